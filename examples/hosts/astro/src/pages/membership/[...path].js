// So that Astro knows these addresses; the middleware answers them.
export const ALL = () => new Response(null, { status: 404 })
