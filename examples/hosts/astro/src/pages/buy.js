import { membership } from 'membership'

export const POST = async ({ request, redirect }) => {
  const { url } = await membership().checkout.start({ request, price: 'price_pro', redirect: '/archive' })
  return redirect(url, 303)
}
