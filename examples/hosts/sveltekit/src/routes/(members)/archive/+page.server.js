import { posts } from '../../../../../posts.mjs'

export const load = () => ({ post: posts.find(({ slug }) => slug === 'archive') })
