/** Makes our addresses known to Astro; its middleware answers them. */
export const prerender = false
export const ALL = (): Response => new Response(null, { status: 404 })
