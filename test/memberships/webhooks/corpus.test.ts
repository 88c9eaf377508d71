import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Stripe from 'stripe'
import {
  type PaymentData,
  type PaymentStatus,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
} from '../../../src/core/dto/index.ts'
import { createMembership, type Membership } from '../../../src/index.ts'
import { type Expected, expected } from '../../providers/stripe/expected.ts'
import { freshDatabase } from '../../support/databases.ts'
import { stripeCorpus } from '../../support/stripe-corpus.ts'

const secret = 'whsec_corpus'
const sdk = new Stripe('sk_test_unused')
const corpus = stripeCorpus()

if (corpus === null) {
  test('public payloads through the router', (t) => {
    t.log('skipped: the folder with public payloads is not beside the project')
    t.pass()
  })
} else
  for (const { file, type, body } of corpus)
    test(`${file} through the router becomes what its documentation says`, async (t) => {
      const { m, url } = await open(t)
      const signature = sdk.webhooks.generateTestHeaderString({ payload: body.toString('utf8'), secret })
      const send = () =>
        fetch(url, { method: 'POST', body: new Uint8Array(body), headers: { 'stripe-signature': signature } })
      const wanted = expected[file] ?? []

      const answer = await send()
      t.is(answer.status, 200)
      t.deepEqual(await answer.json(), { status: wanted.length > 0 ? 'processed' : 'ignored' })
      const [event, ...others] = await m.webhooks.list()
      t.is(others.length, 0)
      t.is(event?.type, type, 'every event is kept in the inbox')
      await assertLedger(t, m, wanted)
      t.deepEqual(await (await send()).json(), { status: 'duplicate' })
    })

async function open(t: ExecutionContext): Promise<{ m: Membership; url: string }> {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    install: false,
    root: false,
    log: () => {},
  })
  const server = createServer(m.listener()).listen(0, '127.0.0.1')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  await new Promise((ready) => server.once('listening', ready))
  return { m, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/stripe` }
}

async function assertLedger(t: ExecutionContext, m: Membership, wanted: readonly Expected[]) {
  const subscriptions = await m.storage.read((db) => db.selectFrom('subscriptions').select('data'))
  const payments = await m.storage.read((db) =>
    db.selectFrom('payments').select('data').where('status', '!=', 'waiting'),
  )
  const customers = await m.storage.read((db) =>
    db.selectFrom('customers').select(['customer_id', 'email', 'deleted']),
  )
  t.is(subscriptions.length, wanted.filter((w) => w.type === 'subscription').length)
  for (const want of wanted)
    if (want.type === 'subscription') {
      const dto = subscriptionSchema.parse(JSON.parse(subscriptions[0]!.data)) as SubscriptionData
      for (const [key, value] of Object.entries(want.data))
        t.deepEqual(dto[key as keyof SubscriptionData], value as never, key)
    } else if (want.type === 'customer') {
      const row = customers.find((c) => c.customer_id === want.id)
      t.is(row?.email ?? null, want.data.email?.toLowerCase() ?? null)
      t.is(row?.deleted, want.data.deleted ? 1 : 0)
    } else if (want.type === 'money' && isPayment(want)) {
      const dto = paymentSchema.parse(JSON.parse(payments[0]?.data ?? 'null')) as PaymentData
      const { amount = 0, amount_refunded = 0, currency, subscription_id } = want.data
      t.is(dto.amount, amount)
      t.is(dto.amount_refunded, amount_refunded)
      if (currency !== undefined) t.is(dto.currency, currency)
      if (subscription_id !== undefined) t.is(dto.subscription_id, subscription_id)
      t.is(dto.status, statusOf(want.data.state, amount, amount_refunded))
    }
}

// A refund, a dispute or a link alone is no payment yet, and a checkout that opens a subscription never is one.
function isPayment(want: Expected & { type: 'money' }): boolean {
  return want.kind === 'payment' || (want.kind === 'checkout' && want.data.purpose === 'one_time')
}

function statusOf(state: string | undefined, amount: number, refunded: number): PaymentStatus {
  if (state === 'pending') return 'pending'
  if (state !== 'paid') return 'failed'
  return refunded === 0 ? 'paid' : refunded >= amount ? 'refunded' : 'partially_refunded'
}
