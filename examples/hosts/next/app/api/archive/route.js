import { posts } from '../../../../posts.mjs'
import { host } from '../../../lib/membership.js'

export const GET = host.gated('pro', () => Response.json(posts.find(({ slug }) => slug === 'archive')))
