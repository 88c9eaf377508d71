import { instance } from '../membership.js'

export const POST = async ({ request, redirect }) => {
  const m = await instance()
  const { url } = await m.checkout.start({ request, price: 'price_pro', redirect: '/archive' })
  return redirect(url, 303)
}
