import { posts } from '../../../../posts.mjs'

export const GET = () => Response.json(posts.find(({ slug }) => slug === 'archive'))
