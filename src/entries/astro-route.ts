/** Makes our addresses known to Astro; its middleware answers them. */
export const prerender = false
export function ALL(): Response {
  return new Response(null, { status: 404 })
}
