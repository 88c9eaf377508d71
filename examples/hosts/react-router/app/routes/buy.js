import { membership } from 'membership'
import { redirect } from 'react-router'

export const action = async ({ request }) => {
  const { url } = await membership().checkout.start({ request, price: 'price_pro', redirect: '/archive' })
  return redirect(url, 303)
}
