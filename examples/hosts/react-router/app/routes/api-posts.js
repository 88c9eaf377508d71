import { membership } from 'membership'
import { posts, readBy } from '../../../posts.mjs'

export const loader = () => Response.json(posts.map((post) => readBy(membership(), post)))
