import { host } from '../../../lib/membership.js'

export const { GET, POST } = host.handlers
