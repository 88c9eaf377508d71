import { feedFor } from '../../../posts.mjs'
import { host } from '../../lib/membership.js'

export async function GET() {
  return new Response(feedFor(await host.view()), { headers: { 'content-type': 'application/rss+xml' } })
}
