import { posts, readBy } from '../../../posts.mjs'

export default defineEventHandler(({ context }) => posts.map((post) => readBy(context.membership, post)))
