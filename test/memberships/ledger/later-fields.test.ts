import test from 'ava'
import { type PaymentData, type Price, paymentSchema } from '../../../src/core/dto/index.ts'
import { createLedger, withoutLater } from '../../../src/memberships/ledger/index.ts'
import type { MoneyChange, MoneyFact } from '../../../src/providers/contract.ts'
import { paypalChanges } from '../../../src/providers/paypal/changes.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { openInstance } from '../../support/converge.ts'

// A newer version reads more from the same message. It is the same message.

const at = '2026-03-01T00:00:00.000Z'
const item = { price_id: 'price_1', product_id: null, quantity: 1 }
const older: MoneyChange = {
  type: 'money',
  kind: 'payment',
  part: 'bill',
  id: 'in_1',
  stage: 'updated',
  data: {
    id: 'in_1',
    refs: [],
    subscription_id: 'sub_1',
    items: [item],
    amount: 900,
    currency: 'EUR',
    state: 'paid',
    paid_at: at,
  },
}
const newer: MoneyChange = {
  ...older,
  data: {
    ...older.data,
    items: [{ ...item, amount: 900, period_start: at, period_end: '2026-04-01T00:00:00.000Z' }],
    billed_for: 'renewal',
  },
}

for (const [order, changes] of [
  ['older first', [older, newer]],
  ['newer first', [newer, older]],
] as const)
  test(`a message that a newer version reads again is no other message: ${order}`, async (t) => {
    const m = await openInstance('sqlite::memory:', () => new Date('2026-03-02T00:00:00.000Z'))
    const ledger = createLedger({
      neighbours: neighboursOn(m.storage),
      storage: m.storage,
      now: () => new Date('2026-03-02T00:00:00.000Z'),
      randomId: () => 'member',
      rules: { create: true, roles: ['member'] },
      canFetch: () => true,
      reports: false,
    })
    for (const [i, change] of changes.entries())
      await ledger.apply([change], { provider: 'stripe', account: '', id: `evt_${i}`, source: 'event', at })

    const facts = await m.storage.read((db) => db.selectFrom('facts').select(['marks', 'tied', 'contested']))
    t.is(facts.length, 1)
    t.is(facts[0]!.tied, null)
    t.is(facts[0]!.contested, 0)
    t.is((JSON.parse(facts[0]!.marks) as unknown[]).length, 1)
    const fetches = await m.storage.read((db) => db.selectFrom('fetches').select('id'))
    t.deepEqual(fetches, [])
    const [payment] = await m.storage.read((db) => db.selectFrom('payments').select('data'))
    const data = JSON.parse(payment!.data) as PaymentData
    t.is(data.items[0]?.period_end, '2026-04-01T00:00:00.000Z')
    t.is(data.billed_for, 'renewal')
    await m.close()
  })

// The fields of 2.0.0-rc.1. A later field that is not known to be one would be other content: each repetition a tie.
type FirstField =
  | (
      | 'id'
      | 'refs'
      | 'cut'
      | 'customer_id'
      | 'subscription_id'
      | 'price_id'
      | 'items'
      | 'quantity'
      | 'is_whole'
    )
  | (
      | 'amount'
      | 'amount_refunded'
      | 'currency'
      | 'state'
      | 'paid_at'
      | 'invoice_url'
      | 'next_try_at'
      | 'due_at'
    )
  | (
      | 'card_expires'
      | 'email'
      | 'name'
      | 'livemode'
      | 'metadata'
      | 'intent_id'
      | 'checkout_status'
      | 'purpose'
    )
  | ('assigned' | 'final')
// Does not compile while a field is missing here.
const later: Record<Exclude<keyof MoneyFact, FirstField>, true> = {
  billed_for: true,
  period_start: true,
  period_end: true,
  trial: true,
  due_date: true,
  failed_at: true,
  in_progress: true,
  waived: true,
  reversed: true,
  card_last4: true,
  place: true,
}
const firstOfPayments = new Set([
  'id',
  'provider',
  'account',
  'customer_id',
  'subscription_id',
  'invoice_id',
  'price_id',
  'items',
  'quantity',
  'amount',
  'amount_refunded',
  'currency',
  'status',
  'paid_at',
  'invoice_url',
  'livemode',
  'metadata',
  'updated_at',
  'purpose',
  'next_try_at',
  'card_expires',
])

test('every field that came after 2.0.0-rc.1 is no other content, neither of a fact nor of a payment', (t) => {
  const ofPayments = Object.keys(paymentSchema.shape).filter((key) => !firstOfPayments.has(key))
  t.true(ofPayments.length > 0)
  for (const key of [...Object.keys(later), ...ofPayments])
    t.deepEqual(withoutLater({ id: 'in_1', [key]: 'x' }), { id: 'in_1' }, key)
})

test('a message of PayPal that states no amount is the same message whatever the site’s own price is', async (t) => {
  const occurred = '2026-03-01T00:00:05Z'
  const object = { id: 'I-1', plan_id: 'P-1', status: 'ACTIVE', update_time: occurred, start_time: at }
  const now = () => new Date('2026-03-02T00:00:00.000Z')
  const m = await openInstance('sqlite::memory:', now)
  const ledger = createLedger({
    neighbours: neighboursOn(m.storage),
    storage: m.storage,
    now,
    randomId: () => 'member',
    rules: { create: true, roles: ['member'] },
    canFetch: () => true,
    reports: false,
  })
  const price = (amount: number) => ({ id: 'P-1', amount, currency: 'EUR', interval: 'month' }) as Price
  for (const [i, own] of [900, undefined, 1000].entries()) {
    const found = own === undefined ? { ...price(0), amount: null } : price(own)
    const changes = paypalChanges(
      { type: 'BILLING.SUBSCRIPTION.ACTIVATED', object, occurred_at: occurred },
      () => found,
    )
    const origin = { provider: 'paypal', account: '', id: `WH-${i}`, source: 'event' } as const
    await ledger.apply(changes, { ...origin, at: occurred })
  }
  const [row, ...others] = await m.storage.read((db) =>
    db.selectFrom('subscriptions').select(['data', 'marks', 'tied', 'contested']),
  )
  t.deepEqual(others, [])
  t.is(row!.tied, null)
  t.is(row!.contested, 0)
  t.is((JSON.parse(row!.marks) as unknown[]).length, 1)
  t.is(JSON.parse(row!.data).unit_amount, 900)
  t.deepEqual(await m.storage.read((db) => db.selectFrom('fetches').select('id')), [])
  await m.close()
})
