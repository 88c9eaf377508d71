import { sitemap } from '../../../posts.mjs'

export default defineEventHandler((event) => {
  setHeader(event, 'content-type', 'application/xml')
  return sitemap()
})
