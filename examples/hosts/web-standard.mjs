import { createMembership } from 'membership'
import options from './membership.config.mjs'

const m = await createMembership(options)
const archive = m.guard('pro')

const page = async (request) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/archive') {
    const { error } = await archive(request)
    const headers = { 'Cache-Control': 'private, no-store' }
    return new Response(error?.message ?? 'The archive.', { status: error?.status ?? 200, headers })
  }
  if (pathname === '/buy' && request.method === 'POST') {
    const { url } = await m.checkout.start({ request, price: 'price_pro', redirect: '/archive' })
    return new Response(null, { status: 303, headers: { Location: url } })
  }
  if (pathname === '/cancel' && request.method === 'POST') {
    const [subscription] = m.user()?.subscriptions() ?? []
    await m.subscriptions.cancel({ request, subscriptionId: subscription?.id ?? '' })
  }
  const wish = { ...m.provider().subscriptionAction('price_pro'), label: 'Join' }
  const { html } = await m.pages.form(request, wish)
  return new Response(html, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}
const handle = (request, address) => m.fetch(request, { address, next: () => page(request) })

const [hostname, port] = ['127.0.0.1', Number(process.env.PORT ?? 3000)]
if (globalThis.Bun)
  Bun.serve({
    hostname,
    port,
    fetch: (request, server) => handle(request, server.requestIP(request)?.address),
  })
else Deno.serve({ hostname, port }, (request, info) => handle(request, info.remoteAddr.hostname))
