import { membership } from 'membership'

export default defineEventHandler(async (event) => {
  const { req: request, res: response } = event.node
  const { url } = await membership().checkout.start({
    request,
    response,
    price: 'price_pro',
    redirect: '/archive',
  })
  return sendRedirect(event, url, 303)
})
