import { sitemap } from '../../../posts.mjs'

export const GET = () => new Response(sitemap(), { headers: { 'content-type': 'application/xml' } })
