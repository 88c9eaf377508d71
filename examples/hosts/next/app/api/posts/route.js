import { posts, readBy } from '../../../../posts.mjs'
import { host } from '../../../lib/membership.js'

export async function GET() {
  const view = await host.view()
  return Response.json(posts.map((post) => readBy(view, post)))
}
