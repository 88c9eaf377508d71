import { host } from '#lib/server/membership.js'
import { posts } from '../../../../../posts.mjs'

export const GET = host.gated('pro', () => Response.json(posts.find(({ slug }) => slug === 'archive')))
