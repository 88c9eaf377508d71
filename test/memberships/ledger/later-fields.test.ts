import test from 'ava'
import type { PaymentData } from '../../../src/core/dto/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import type { MoneyChange } from '../../../src/providers/contract.ts'
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
