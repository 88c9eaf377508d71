import { posts, readBy } from '../../../../posts.mjs'

export const GET = ({ locals }) => Response.json(posts.map((post) => readBy(locals.membership, post)))
