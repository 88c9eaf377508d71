import { membership } from 'membership'
import { feedFor } from '../../../posts.mjs'

export const loader = () =>
  new Response(feedFor(membership()), { headers: { 'content-type': 'application/rss+xml' } })
