import test from 'ava'
import { openFake, subscribe } from './support.ts'

function post(url: string, fields: Record<string, string>) {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

test('a buyer completes the payment page and returns with the session’s id', async (t) => {
  const { stripe } = await openFake(t)
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_gold', quantity: 1 }],
    success_url: 'https://site.example/thanks?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://site.example/prices',
  })
  const url = String(session.url)
  const page = await (await fetch(url)).text()
  t.regex(page, /<form method="post">/)
  t.regex(page, /Gold: €30\.00/)
  t.regex(page, /https:\/\/site\.example\/prices/)
  const refused = await post(url, { email: 'ann@example.com', card: '4000000000000002' })
  t.is(refused.status, 402)
  t.regex(await refused.text(), /role="alert">Your card was declined\./)
  t.is((await post(url, { email: 'ann@example.com', card: '12' })).status, 422)
  const paid = await post(url, { email: 'ann@example.com', name: 'Ann', card: '4242 4242 4242 4242' })
  t.is(paid.status, 303)
  t.is(paid.headers.get('location'), `https://site.example/thanks?session=${session.id}`)
  t.is((await stripe.subscriptions.list()).data.length, 1)
  // A second click buys nothing more.
  t.is((await post(url, { email: 'ann@example.com' })).status, 303)
  t.is((await stripe.subscriptions.list()).data.length, 1)
  t.is((await fetch(`${url}x`)).status, 404)
})

test('an expired page takes no money', async (t) => {
  const { fake, stripe } = await openFake(t)
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: 'price_book', quantity: 1 }],
    success_url: 'https://site.example',
  })
  await fake.advance({ days: 1 })
  t.is((await post(String(session.url), { email: 'ann@example.com' })).status, 410)
  t.deepEqual(fake.objects.list('charge'), [])
})

test('text of buyers and sites is escaped on the page', async (t) => {
  const { fake, stripe } = await openFake(t)
  fake.addPrice({ id: 'price_odd', nickname: '<script>1</script>', unit_amount: 1, currency: 'eur' })
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: 'price_odd', quantity: 1 }],
    success_url: 'https://site.example',
    cancel_url: 'javascript:alert(1)',
    customer_email: '"><script>2</script>@example.com',
  })
  const page = await (await fetch(String(session.url))).text()
  t.notRegex(page, /<script|javascript:/)
  const answer = await post(String(session.url), { card: '<script>3</script>' })
  t.is(answer.status, 422)
  t.notRegex(await answer.text(), /<script/)
})

test('in the portal a customer cancels, resumes, switches and pays with another card', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  const portal = await stripe.billingPortal.sessions.create({
    customer,
    return_url: 'https://site.example/account',
    flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: id } },
  })
  t.is((await stripe.billingPortal.configurations.list()).data[0]!.id, portal.configuration as string)
  const page = await (await fetch(portal.url)).text()
  t.regex(page, /Cancel plan/)
  t.regex(page, /https:\/\/site\.example\/account/)
  t.is((await post(portal.url, { do: 'cancel', subscription: id })).status, 303)
  t.true((await stripe.subscriptions.retrieve(id)).cancel_at_period_end)
  t.regex(await (await fetch(portal.url)).text(), /ends 2026-02-15/)
  await post(portal.url, { do: 'resume', subscription: id })
  t.false((await stripe.subscriptions.retrieve(id)).cancel_at_period_end)
  await post(portal.url, { do: 'switch', subscription: id, price: 'price_silver' })
  t.is((await stripe.subscriptions.retrieve(id)).items.data[0]!.price.id, 'price_silver')
  await post(portal.url, { do: 'card', card: '4000000000000341' })
  // The first renewal leaves 10.00 of the 20.00 credit, the second uses it up, the third has to be paid.
  await fake.advance({ months: 2, ms: 3_600_000 })
  t.is((await stripe.subscriptions.retrieve(id)).status, 'active')
  await fake.advance({ months: 1 })
  t.is((await stripe.subscriptions.retrieve(id)).status, 'past_due')
})

test('a flow with its own target ends there', async (t) => {
  const { fake, stripe } = await openFake(t)
  const { id, customer } = await subscribe({ fake, stripe })
  const portal = await stripe.billingPortal.sessions.create({
    customer,
    flow_data: {
      type: 'subscription_cancel',
      subscription_cancel: { subscription: id },
      after_completion: { type: 'redirect', redirect: { return_url: 'https://site.example/gone' } },
    },
  })
  const answer = await post(portal.url, { do: 'cancel', subscription: id })
  t.is(answer.headers.get('location'), 'https://site.example/gone')
})

test('a portal changes nothing of another customer', async (t) => {
  const { fake, stripe } = await openFake(t)
  const mine = await subscribe({ fake, stripe }, { email: 'me@example.com' })
  const other = await subscribe({ fake, stripe }, { email: 'other@example.com' })
  const portal = await stripe.billingPortal.sessions.create({ customer: mine.customer })
  await post(portal.url, { do: 'cancel', subscription: other.id })
  t.false((await stripe.subscriptions.retrieve(other.id)).cancel_at_period_end)
  t.notRegex(await (await fetch(portal.url)).text(), new RegExp(other.id))
  const error = await t.throwsAsync(stripe.billingPortal.sessions.create({ customer: 'cus_none' }))
  t.like(error, { code: 'resource_missing', param: 'customer' })
})
