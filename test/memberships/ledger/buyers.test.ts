import test from 'ava'
import type { PaymentData } from '../../../src/core/dto/index.ts'
import { buyingOf, newestBuyer } from '../../../src/memberships/ledger/buyers.ts'
import { foldPayment, type Role, type StoredFact } from '../../../src/memberships/ledger/payment-fold.ts'
import type { MoneyFact } from '../../../src/providers/contract.ts'

function at(seconds: number): string {
  return new Date(1_772_323_200_000 + seconds * 1000).toISOString()
}
function fact(role: Role, id: string, data: Partial<MoneyFact> = {}, seconds = 0): StoredFact {
  return {
    role,
    at: at(seconds),
    data: { id, refs: [], state: 'paid', ...data },
  }
}
function paymentOf(facts: readonly StoredFact[]): PaymentData | null {
  return foldPayment({ provider: 'acme', account: '', id: 'pay_1', facts })
}
function buying(...facts: readonly StoredFact[]) {
  return buyingOf('pay_1', paymentOf(facts), facts)
}
/** Who bought, in the order of the facts and the other way round. */
function buyer(...facts: readonly StoredFact[]) {
  const [first, other] = [facts, facts.toReversed()].map((list) => buying(...list).buyer)
  if (first !== other) throw new Error(`${first} or ${other}`)
  return first === null ? null : JSON.parse(first!)
}
const ann = { email: 'ann@example.com', name: 'Ann' }

test('a payment belongs to its customer, else to a guest under its own id', (t) => {
  t.like(buying(fact('payment', 'ch_1')), { ownerId: 'pay_1', guest: true, others: [], isPurchase: true })
  t.like(buying(fact('payment', 'ch_1', { customer_id: 'cus_1' })), {
    ownerId: 'cus_1',
    guest: false,
    others: [],
  })
})

test('other customers named by an object have bought too, each once', (t) => {
  const { ownerId, others } = buying(
    fact('payment', 'ch_1', { customer_id: 'cus_1' }),
    fact('checkout', 'cs_1', { customer_id: 'cus_2' }),
    fact('bill', 'in_1', { customer_id: 'cus_2' }),
    fact('refund', 're_1', { customer_id: null, state: 'succeeded' }),
  )
  t.deepEqual([ownerId, others], ['cus_1', ['cus_2']])
})

test('a purchase exists when money came, a page was completed, or a dispute exists', (t) => {
  const pending = fact('payment', 'ch_1', { state: 'pending' })
  t.false(buying(pending).isPurchase)
  t.true(buying(fact('payment', 'ch_1', { state: 'failed' }), fact('payment', 'ch_2')).isPurchase)
  t.true(buying(pending, fact('dispute', 'd_1', { state: 'open' })).isPurchase)
  t.false(buying(fact('dispute', 'd_1', { state: 'open' })).isPurchase, 'of a payment that nobody told of')
  t.false(buying(fact('link', 'l_1')).isPurchase)
})

test('the page of a trial is a purchase without a payment, under its customer', (t) => {
  const page = (data: Partial<MoneyFact>) => fact('checkout', 'cs_1', { purpose: 'recurring', ...data })
  t.like(buying(page({ customer_id: 'cus_1', ...ann })), {
    ownerId: 'cus_1',
    guest: false,
    others: [],
    isPurchase: true,
    buyer: JSON.stringify([at(0), 'ann@example.com', 'Ann']),
  })
  t.like(buying(page({ customer_id: 'cus_1', state: 'pending' })), {
    isPurchase: false,
    guest: true,
    buyer: null,
  })
  t.like(buying(page({})), { ownerId: 'pay_1', guest: true, isPurchase: true })
})

test('the buyer is the one typed at the checkout, else on the invoice, and for a guest the payer', (t) => {
  const said = (role: Role) => fact(role, `${role}_1`, { email: `${role}@example.com`, name: role })
  const roles: readonly Role[] = ['checkout', 'bill', 'payment', 'collection']
  for (const [i, role] of roles.entries()) t.is(buyer(...roles.slice(i).map(said))[2], role)
  const customers = fact('payment', 'ch_0', { customer_id: 'cus_1' })
  t.is(buyer(customers, said('payment'), said('collection')), null, 'a card may be somebody else’s')
  t.is(buyer(customers, said('bill'))[2], 'bill')
  t.is(buyer(customers, said('refund'), said('link')), null)
  t.is(buyer(fact('payment', 'ch_1', { name: 'Ann' })), null, 'a name without an address says nothing')
  t.is(buyer(fact('payment', 'ch_1', { ...ann, state: 'pending' })), null, 'nothing was bought')
})

test('of two of one kind the first by name decides; addresses are compared case-insensitively', (t) => {
  const second = fact('checkout', 'cs_2', { email: 'bob@example.com', name: 'Bob' })
  t.deepEqual(buyer(second, fact('checkout', 'cs_1', { email: ' Ann@Example.com ' })), [
    at(0),
    'ann@example.com',
    null,
  ])
})

test('a buyer counts from the payment, else from the first event', (t) => {
  t.is(buyer(fact('payment', 'ch_1', { ...ann, paid_at: at(7) }))[0], at(7))
  t.is(
    buyer(
      fact('payment', 'ch_1', ann, 30),
      fact('bill', 'in_1', {}, 10),
      fact('checkout', 'cs_1', {}, 20),
    )[0],
    at(10),
  )
})

test('of several payments the newest names the buyer; without payments nobody does', (t) => {
  const [old, young] = [at(1), at(2)].map((moment, i) => JSON.stringify([moment, `${i}@example.com`, null]))
  for (const list of [
    [old!, null, young!],
    [young!, old!],
  ])
    t.deepEqual(newestBuyer(list), { email: '1@example.com', name: null, place: null })
  t.is(newestBuyer([null]), null)
})
