import { redirect } from '@sveltejs/kit'
import { membership } from 'membership'

export const POST = async ({ request }) => {
  const { url } = await membership().checkout.start({ request, price: 'price_pro', redirect: '/archive' })
  redirect(303, url)
}
