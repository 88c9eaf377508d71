import { feedFor } from '../../../posts.mjs'

export const GET = ({ locals }) =>
  new Response(feedFor(locals.membership), { headers: { 'content-type': 'application/rss+xml' } })
