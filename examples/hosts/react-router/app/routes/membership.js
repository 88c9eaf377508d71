import { host } from '../membership.server.js'

// So that React Router knows these addresses; the middleware answers them.
export const loader = host.loader
export const action = host.action
