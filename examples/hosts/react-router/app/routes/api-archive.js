import { posts } from '../../../posts.mjs'
import { host } from '../membership.server.js'

export const middleware = [host.gate('pro')]

export const loader = () => Response.json(posts.find(({ slug }) => slug === 'archive'))
