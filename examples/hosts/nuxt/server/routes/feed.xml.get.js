import { feedFor } from '../../../posts.mjs'

export default defineEventHandler((event) => {
  setHeader(event, 'content-type', 'application/rss+xml')
  return feedFor(event.context.membership)
})
