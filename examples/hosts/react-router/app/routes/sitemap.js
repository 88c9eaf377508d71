import { sitemap } from '../../../posts.mjs'

export const loader = () => new Response(sitemap(), { headers: { 'content-type': 'application/xml' } })
