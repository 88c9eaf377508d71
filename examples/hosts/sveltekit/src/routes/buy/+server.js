import { membership } from 'membership'

export const POST = async ({ request }) => {
  const { url } = await membership().checkout.start({ request, price: 'price_pro', redirect: '/archive' })
  // SvelteKit 3's own redirect() leads to other sites only where it is told to.
  return new Response(null, { status: 303, headers: { location: url } })
}
