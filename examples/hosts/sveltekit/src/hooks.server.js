import { host } from '#lib/server/membership.js'

export const { init, handle } = host
