import test, { type ExecutionContext } from 'ava'
import { loadConfig } from '../../../src/core/config/index.ts'
import { checkPurchases } from '../../../src/site/doctor/purchases.ts'
import { memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { creem } from './selling.ts'

const ann = 'ann@example.com'
type Opened = Awaited<ReturnType<typeof openSellingSite>>

function at({ fake }: Opened, method: string, path: string, body: object): Promise<Response> {
  return fetch(`${fake.url}/v1/${path}`, {
    method,
    headers: { 'x-api-key': fake.secret },
    body: JSON.stringify(body),
  })
}

test('a changed address is sent to Creem', async (t) => {
  const opened = await openSellingSite(t, creem)
  const { m, fake } = opened
  await purchase(opened, ann)
  const member = await memberOf(m, ann)
  await (await m.viewOf(member)).provider('creem').updateCustomer({ email: 'Anna@Example.com', name: 'Anna' })
  await m.runDueJobs()
  t.like(fake.books.list('customer')[0], { email: 'anna@example.com', name: 'Anna' })
})

test('another customer’s address is refused, and changes nothing', async (t) => {
  const opened = await openSellingSite(t, creem)
  const { fake, provider } = opened
  await purchase(opened, ann)
  await purchase(opened, 'ben@example.com')
  const [customer] = fake.books.list('customer')
  await t.throwsAsync(
    provider().updateCustomer!({ customerId: customer!.id, email: 'ben@example.com', idempotencyKey: 'k' }),
    { code: 'ERR_PROVIDER_ANSWER', message: /409/ },
  )
  t.is(fake.books.find('customer', customer!.id)!.email, ann)
})

/** Ends it at Creem at once, as its dashboard does. */
async function endThere(opened: Opened, id: string): Promise<void> {
  await at(opened, 'POST', `subscriptions/${id}/cancel`, { mode: 'immediate' })
  await passing(opened.fake)
  await opened.fake.deliver()
  await opened.m.runDueJobs()
}

async function doctorSays(t: ExecutionContext, { m, fake }: Opened): Promise<string> {
  const { config } = await loadConfig({ root: false, env: {}, definitions: [] })
  const checks = await checkPurchases(m.storage, { config, now: fake.now(), cancelsEarly: ['creem'] })
  const found = checks.find(({ name }) => name === 'cut-short')
  t.truthy(found)
  return `${found!.status}: ${found!.what}`
}

test('a paid subscription canceled at Creem with days left keeps access until their end, and doctor warns', async (t) => {
  const opened = await openSellingSite(t, creem)
  const { m, fake } = opened
  const { id } = await purchase(opened, ann)
  await fake.advance({ days: 5 })
  t.regex(await doctorSays(t, opened), /^ok/)
  await endThere(opened, id)
  t.like((await memberOf(m, ann)).subscriptions()[0], { status: 'canceled' })
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  t.is(
    await doctorSays(t, opened),
    `warning: creem ended 1 subscription with days left and gave nothing back; access stays until the end of what is paid: ${id} until 2026-02-15.`,
  )
  await fake.advance({ days: 27 })
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  t.regex(await doctorSays(t, opened), /^ok/)
})

test('a canceled subscription with days left closes after its refund', async (t) => {
  const opened = await openSellingSite(t, creem)
  const { m, fake } = opened
  const { id } = await purchase(opened, ann)
  await endThere(opened, id)
  const [payment] = (await memberOf(m, ann)).payments()
  await at(opened, 'POST', 'refunds', { transaction_id: payment!.id })
  await passing(fake)
  await fake.deliver()
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  t.regex(await doctorSays(t, opened), /^ok/)
})

test('an immediate cancellation here gives up the rest, whatever Creem reports later', async (t) => {
  const opened = await openSellingSite(t, creem)
  const { m, fake } = opened
  const { id, visitor } = await purchase(opened, ann)
  await fake.advance({ days: 5 })
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await passing(fake)
  await fake.deliver()
  await m.runDueJobs()
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  t.regex(await doctorSays(t, opened), /^ok/)
})

test('a cancelled trial was not paid, and closes at once', async (t) => {
  const tried = { id: 'prod_tried', amount: 900, currency: 'EUR', interval: 'month', trial_days: 7 }
  const opened = await openSellingSite(t, {
    ...creem,
    settings: () => ({ plans: { pro: { group: 'a', prices: [tried] } } }),
  })
  const { m, fake } = opened
  const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const
  fake.addPrice({ id: 'prod_tried', unit_amount: 900, ...monthly, trial_days: 7 })
  const { id } = await purchase(opened, ann)
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  await endThere(opened, id)
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
})
