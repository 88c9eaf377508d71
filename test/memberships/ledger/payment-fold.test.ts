import test from 'ava'
import type { PaymentData } from '../../../src/core/dto/index.ts'
import {
  foldPayment,
  paymentIdOf,
  type Role,
  refOf,
  roleOf,
  type StoredFact,
  splitRef,
} from '../../../src/memberships/ledger/payment-fold.ts'
import type { MoneyFact, Ref } from '../../../src/providers/contract.ts'

// A payment is what all of its objects say together; here each object is written by hand.

function at(seconds: number): string {
  return new Date(1_772_323_200_000 + seconds * 1000).toISOString()
}

function fact(role: Role, id: string, data: Partial<MoneyFact>, seconds = 0): StoredFact {
  return {
    role,
    at: at(seconds),
    data: { id, refs: [], state: 'paid', ...data },
  }
}
function charge(data: Partial<MoneyFact> = {}, seconds = 0): StoredFact {
  return fact('payment', 'ch_1', { amount: 900, currency: 'EUR', ...data }, seconds)
}
function bill(data: Partial<MoneyFact> = {}, seconds = 0): StoredFact {
  return fact('bill', 'in_1', { amount: 900, currency: 'EUR', ...data }, seconds)
}
function refund(id: string, data: Partial<MoneyFact> = {}, seconds = 60): StoredFact {
  return fact('refund', id, { amount: 300, state: 'succeeded', refs: [names('ch_1')], ...data }, seconds)
}
function names(id: string): Ref {
  return { kind: 'payment', id }
}

function tryFold(...facts: readonly StoredFact[]): PaymentData | null {
  return foldPayment({ provider: 'acme', account: 'eu', id: 'pay_1', facts })
}

/** The payment that these make, in any order. */
function fold(...facts: readonly StoredFact[]): PaymentData {
  const item = tryFold(...facts)
  const other = tryFold(...facts.toReversed())
  if (item === null || JSON.stringify(item) !== JSON.stringify(other))
    throw new Error(`${JSON.stringify(item)} or ${JSON.stringify(other)}`)
  return item
}

test('an object’s name encodes its role, kind and id, even one with a colon', (t) => {
  t.is(refOf('payment', 'ch_1'), 'payment:ch_1')
  t.deepEqual(splitRef('collection:pi_1'), { role: 'collection', kind: 'payment', id: 'pi_1' })
  t.deepEqual(splitRef('bill:in:1'), { role: 'bill', kind: 'payment', id: 'in:1' })
  t.deepEqual(splitRef('refund:re_1'), { role: 'refund', kind: 'refund', id: 're_1' })
  t.is(roleOf({ kind: 'payment', part: 'bill' }), 'bill')
  t.is(roleOf({ kind: 'dispute' }), 'dispute')
})

test('a payment is named after its collection, else the payment, bill, checkout, link, refund or dispute', (t) => {
  const all = ['dispute:d', 'refund:r', 'link:l', 'checkout:c', 'bill:b', 'payment:p', 'collection:i']
  const called = all.map((_, left) => paymentIdOf(all.slice(0, all.length - left)))
  t.deepEqual(called, ['i', 'p', 'b', 'c', 'l', 'r', 'd'])
  t.is(paymentIdOf(['payment:b', 'payment:a']), 'a', 'the same for every order')
  t.throws(() => paymentIdOf([]), { instanceOf: TypeError, message: /without any reference/ })
})

test('a refund, dispute or link alone is no payment, and neither is a subscription’s checkout', (t) => {
  t.is(tryFold(refund('re_1')), null)
  t.is(tryFold(fact('dispute', 'd_1', { state: 'open' })), null)
  t.is(tryFold(fact('link', 'l_1', { price_id: 'price_1' })), null)
  t.is(tryFold(fact('checkout', 'cs_1', { purpose: 'recurring' })), null)
  for (const purpose of ['one_time', 'unknown', undefined] as const)
    t.is(fold(fact('checkout', 'cs_1', { purpose, amount: 500 })).amount, 500)
  for (const role of ['payment', 'collection', 'bill'] as const)
    t.is(fold(fact(role, 'x', {})).status, 'paid')
})

test('a payment of one charge contains exactly the charge’s data', (t) => {
  t.deepEqual(fold(charge()), {
    id: 'pay_1',
    provider: 'acme',
    account: 'eu',
    customer_id: null,
    subscription_id: null,
    invoice_id: null,
    price_id: null,
    items: [],
    quantity: null,
    amount: 900,
    amount_refunded: 0,
    currency: 'EUR',
    status: 'paid',
    paid_at: null,
    invoice_url: null,
    livemode: false,
    metadata: {},
    updated_at: at(0),
    purpose: 'unknown',
  })
})

test('of several objects each is asked first for its own subject', (t) => {
  const said = (role: Role): StoredFact =>
    fact(role, 'x_1', {
      customer_id: role,
      subscription_id: role,
      price_id: role,
      items: [{ price_id: `item of ${role}`, product_id: role, quantity: null }],
      quantity: role.length,
      currency: role,
      invoice_url: `https://${role}.example/`,
      purpose: 'one_time',
    })
  const asked: [keyof PaymentData, readonly Role[]][] = [
    ['customer_id', ['payment', 'collection', 'bill', 'checkout', 'refund']],
    ['subscription_id', ['bill', 'checkout', 'collection', 'payment', 'link']],
    ['price_id', ['checkout', 'collection', 'payment', 'bill']],
    ['currency', ['payment', 'collection', 'bill', 'checkout']],
    ['invoice_url', ['bill', 'payment']],
  ]
  // Whoever is first is heard; without it the next one is.
  for (const [key, roles] of asked)
    for (const [i, role] of roles.entries())
      t.is(
        fold(charge({ currency: null }), ...roles.slice(i).map(said))[key],
        key === 'invoice_url' ? `https://${role}.example/` : role,
        `${key} by ${role}`,
      )
  const lists: readonly Role[] = ['checkout', 'bill', 'collection', 'payment']
  for (const [i, role] of lists.entries()) {
    const { items, quantity } = fold(charge(), ...lists.slice(i).map(said))
    t.is(items[0]?.product_id, role)
    t.is(quantity, role.length, role)
  }
  const nobody: readonly Role[] = ['refund', 'dispute', 'link']
  const { currency, invoice_url, items, quantity } = fold(charge({ currency: null }), ...nobody.map(said))
  t.deepEqual(
    { currency, invoice_url, items, quantity },
    { currency: null, invoice_url: null, items: [], quantity: null },
  )

  const another = fact('payment', 'ch_2', { customer_id: 'cus_2' })
  t.is(
    fold(another, charge({ customer_id: 'cus_1' })).customer_id,
    'cus_1',
    'of two charges the first by name',
  )
})

test('a price that no object names is the first item’s, before a link’s; so is a quantity', (t) => {
  const items = [
    { price_id: 'price_1', product_id: null, quantity: 3 },
    { price_id: 'price_2', product_id: null, quantity: 5 },
  ]
  const link = fact('link', 'l_1', { price_id: 'price_3' })
  t.like(fold(charge({ items }), link), { price_id: 'price_1', quantity: 3, items })
  t.is(fold(charge(), link).price_id, 'price_3')
})

test('an invoice is identified by itself, else by an object that names it', (t) => {
  const named = charge({ refs: [names('pi_1'), { kind: 'payment', id: 'in_9', part: 'bill' }] })
  t.is(fold(named, bill()).invoice_id, 'in_1')
  t.is(fold(named).invoice_id, 'in_9')
  t.is(fold(charge({ refs: [names('pi_1')] })).invoice_id, null)
})

test('metadata is merged from payment, collection and checkout; the checkout wins', (t) => {
  const { metadata } = fold(
    charge({ metadata: { a: 'payment', b: 'payment', c: 'payment' } }),
    fact('collection', 'pi_1', { metadata: { b: 'collection', c: 'collection' } }),
    fact('checkout', 'cs_1', { metadata: { c: 'checkout' } }),
    bill({ metadata: { d: 'bill' } }),
  )
  t.deepEqual(metadata, { a: 'payment', b: 'collection', c: 'checkout' })
})

test('a payment’s change time is the newest of its objects, to the millisecond', (t) => {
  const late = { ...refund('re_1'), at: `${at(90)}123456` }
  t.is(fold(charge(), late, bill({}, 30)).updated_at, at(90))

  t.is(fold(charge(), bill({}, 30)).updated_at, at(30))
  t.is(fold(charge({}, 30), bill()).updated_at, at(30))
})

test('a payment is live if any object that requests money is', (t) => {
  t.true(fold(charge({ livemode: false }), bill({ livemode: true })).livemode)
  t.false(fold(charge({ livemode: false }), bill()).livemode)
})

test('a paid object gives the time; a failed attempt does not', (t) => {
  const failed = charge({ state: 'failed', paid_at: at(5) })
  t.is(fold(failed).paid_at, null)
  t.is(fold(failed, fact('payment', 'ch_2', { amount: 900, paid_at: at(9) })).paid_at, at(9))
  t.is(fold(charge(), bill({ paid_at: at(7) })).paid_at, at(7), 'whoever was paid and tells')
})

test('a paid invoice gives the amount, before the sum of its charges', (t) => {
  t.is(fold(charge({ amount: 400 }), bill({ amount: 1000 })).amount, 1000)
  t.is(fold(charge({ amount: 400 }), fact('payment', 'ch_2', { amount: 500 })).amount, 900)
})

test('a charge and its intent are one part; each may name the other', (t) => {
  const intent = (refs: readonly Ref[]) => fact('collection', 'pi_1', { amount: 900, refs })
  t.is(fold(charge({ refs: [names('pi_1')] }), intent([])).amount, 900)
  t.is(fold(charge(), intent([names('ch_1')])).amount, 900)
  t.is(
    fold(charge(), intent([{ kind: 'refund', id: 'ch_1' }])).amount,
    1800,
    'two that do not know each other',
  )

  const failed = charge({ state: 'failed', amount: 500, refs: [names('pi_1')] })
  t.is(fold(failed, intent([])).amount, 900, 'a try that failed is no part')
  t.is(
    fold(charge(), fact('collection', 'pi_1', { state: 'pending', amount: 500 })).amount,
    900,
    'nor is one that is open',
  )
  const second = fact('payment', 'ch_2', { amount: 300 })
  t.is(
    fold(charge({ refs: [names('pi_1')] }), second, intent([])).amount,
    1200,
    'each intent belongs to one charge',
  )
})

test('without received money, the amount is the requested one', (t) => {
  t.is(fold(charge({ state: 'pending', amount: 700 })).amount, 700)
  t.is(
    fold(charge({ state: 'failed', amount: undefined }), bill({ state: 'pending', amount: 800 })).amount,
    800,
  )
  t.is(fold(charge({ state: 'pending', amount: undefined })).amount, 0)
  t.is(fold(charge({ amount: undefined })).amount, 0, 'a charge that does not say counts as none')

  const page = fact('checkout', 'cs_1', { amount: 500 })
  t.is(fold(charge({ state: 'failed', amount: 700 }), page).amount, 500, 'what was paid, before what failed')
})

test('a partly paid invoice requests the whole and is pending until it is paid in full', (t) => {
  const open = bill({ state: 'pending', amount: 1000, next_try_at: at(99) })
  const part = charge({ amount: 400 })
  t.like(fold(open, part), { amount: 1000, status: 'pending', next_try_at: at(99) })
  t.like(fold(open, part, fact('payment', 'ch_2', { amount: 600 })), { amount: 1000, status: 'paid' })
  t.like(fold(open), { amount: 1000, status: 'pending' })
  t.like(
    fold(bill({ state: 'failed', amount: 1000 }), part),
    { amount: 400, status: 'paid' },
    'a void one asks for nothing',
  )
  t.like(fold(bill({ state: 'pending', amount: undefined }), part), { amount: 400, status: 'paid' })
  t.like(fold(bill({ amount: 1000 }), part), { amount: 1000, status: 'paid' })
  t.false('next_try_at' in fold(bill({ next_try_at: at(99) })), 'what is paid is not tried again')
  t.is(fold(charge({ state: 'failed', next_try_at: at(98) })).next_try_at, at(98))

  const page = fact('checkout', 'cs_1', { amount: 1000 })
  t.is(fold(open, page).status, 'paid', 'the page knows before the invoice does')
  t.is(
    fold(open, part, fact('bill', 'in_2', { amount: 400 })).status,
    'paid',
    'another bill was paid in its place',
  )
})

test('refunds count once, whether in the charge, as refunds, or both', (t) => {
  t.like(fold(charge({ amount_refunded: 300 })), { amount_refunded: 300, status: 'partially_refunded' })
  t.like(fold(charge(), refund('re_1'), refund('re_2')), {
    amount_refunded: 600,
    status: 'partially_refunded',
  })
  t.like(fold(charge({ amount_refunded: 300 }), refund('re_1')), { amount_refunded: 300 })
  t.like(fold(charge({ amount_refunded: 300 }), refund('re_1', { amount: 900 })), {
    amount_refunded: 900,
    status: 'refunded',
  })
  const other = fact('payment', 'ch_2', { amount: 100, amount_refunded: 50 })
  t.is(fold(charge({ amount_refunded: 300 }), other).amount_refunded, 350, 'each charge has its own')
})

test('a payment refunded to the last cent is refunded; with one cent left it is not', (t) => {
  t.is(fold(charge({ amount_refunded: 899 })).status, 'partially_refunded')
  t.is(fold(charge({ amount_refunded: 900 })).status, 'refunded')
})

test('a pending, failed or cancelled refund returns nothing', (t) => {
  for (const state of ['pending', 'failed', 'canceled'] as const)
    t.like(fold(charge(), refund('re_1', { state })), { amount_refunded: 0, status: 'paid' }, state)
  t.is(fold(charge(), refund('re_1', { amount: undefined })).amount_refunded, 0)
})

test('a refund that failed after the charge was read is subtracted from the charge’s total', (t) => {
  const counted = charge({ amount_refunded: 600 })
  for (const state of ['failed', 'canceled'] as const) {
    t.is(fold(counted, refund('re_1', { state })).amount_refunded, 300, state)
    t.is(fold(counted, refund('re_1', { state, amount: undefined })).amount_refunded, 600)
    t.is(fold(counted, refund('re_1', { state, amount: 700 })).amount_refunded, 0, 'never less than nothing')
    t.is(
      fold(counted, refund('re_1', { state, refs: [names('ch_9')] })).amount_refunded,
      600,
      'another charge’s',
    )
    t.is(fold(counted, refund('re_1', { state }, 2)).amount_refunded, 600, 'the charge may know of it')
    t.is(fold(counted, refund('re_1', { state }, 2.001)).amount_refunded, 300)
    t.is(fold(counted, refund('re_1', { state }, -60)).amount_refunded, 600, 'it failed before')
  }
  t.is(fold(counted, refund('re_1', { state: 'pending' })).amount_refunded, 600)
})

test('a payment says how much of its refund has not been made, and how much of it failed', (t) => {
  const counted = charge({ amount_refunded: 600 })
  t.is(fold(counted).refund_pending, undefined, 'no refund is known')
  t.is(fold(counted, refund('re_1', { state: 'pending' })).refund_pending, 300)
  t.is(fold(counted, refund('re_1'), refund('re_2', { state: 'pending' })).refund_pending, 300)
  t.is(fold(charge(), refund('re_1', { state: 'pending' })).refund_pending, undefined, 'counted by nobody')
  const onlyMade = charge({ amount_refunded: 300 })
  t.is(fold(onlyMade, refund('re_1'), refund('re_2', { state: 'pending' })).refund_pending, undefined)
  t.like(fold(charge(), refund('re_1', { state: 'failed' }), refund('re_2', { state: 'canceled' })), {
    amount_refunded: 0,
    refund_failed: 600,
  })
})

test('an open or lost dispute takes the payment away, a won one does not', (t) => {
  const dispute = (state: 'open' | 'won' | 'lost') => fact('dispute', 'd_1', { state })
  t.is(fold(charge(), dispute('open')).status, 'disputed')
  t.is(fold(charge(), dispute('lost')).status, 'disputed')
  t.is(fold(charge(), dispute('won')).status, 'paid')
  t.is(fold(charge(), dispute('won'), fact('dispute', 'd_2', { state: 'open' })).status, 'disputed')
})

test('one paid attempt is enough; while one is open nothing has failed', (t) => {
  const failed = charge({ state: 'failed' })
  t.is(fold(failed).status, 'failed')
  t.is(fold(failed, bill({ state: 'pending' })).status, 'pending')
  t.is(fold(failed, fact('payment', 'ch_2', {})).status, 'paid')
  t.like(fold(failed, refund('re_1')), { status: 'failed' }, 'what never came is not given back')
})

test('an object that names a subscription is recurring; on disagreement the subscription wins', (t) => {
  const once = charge({ purpose: 'one_time' })
  t.is(fold(once).purpose, 'one_time')
  t.is(fold(charge({ purpose: 'unknown' })).purpose, 'unknown')
  t.is(fold(once, bill({ purpose: 'recurring' })).purpose, 'recurring')
  t.is(fold(charge({ purpose: 'one_time', subscription_id: 'sub_1' })).purpose, 'recurring')
})

test('staff decide a payment’s purpose only while the provider does not, and only the last decision counts', (t) => {
  const assigned = (id: string, data: Partial<MoneyFact>, seconds: number) =>
    fact('link', id, { assigned: { by: 'op', at: at(seconds), member_id: null }, ...data }, seconds)
  const once = assigned('l_1', { purpose: 'one_time', price_id: 'price_1' }, 10)
  const recurring = assigned('l_2', { purpose: 'recurring', price_id: 'price_2' }, 20)
  t.like(fold(charge(), once), { purpose: 'one_time', price_id: 'price_1' })
  t.like(fold(charge(), once, recurring), { purpose: 'recurring', price_id: 'price_2' })
  t.like(fold(charge(), once, assigned('l_0', { purpose: 'recurring' }, 5)), { purpose: 'one_time' })
  const same = assigned('l_3', { purpose: 'one_time', price_id: 'price_3' }, 20)
  t.like(
    fold(charge(), recurring, same),
    { purpose: 'one_time', price_id: 'price_3' },
    'of one moment the last name',
  )
  t.like(
    fold(charge({ purpose: 'recurring' }), once),
    { purpose: 'recurring', price_id: null },
    'whoever knows comes first',
  )

  const newest = assigned('l_1', { purpose: 'one_time', price_id: 'price_1' }, 30)
  t.like(fold(charge(), recurring, newest), { purpose: 'one_time', price_id: 'price_1' })
})

test('a payment has one currency: what another one states is neither added to it nor taken from it', (t) => {
  const bill_ = bill({ currency: 'EUR', amount: 900 })
  t.like(fold(charge({ currency: 'USD', amount: 1000, refs: [names('in_1')] }), bill_), {
    amount: 900,
    currency: 'EUR',
  })
  const back = refund('re_1', { currency: 'USD', amount: 1000 })
  t.like(fold(charge(), back), { amount: 900, amount_refunded: 0, status: 'paid' })
  t.like(fold(charge(), refund('re_1', { currency: 'EUR' })), { amount_refunded: 300 })
  const whole = refund('re_1', { currency: 'USD', amount: 1000, is_whole: true })
  t.like(fold(charge(), whole), { status: 'refunded' }, 'the whole is the whole in each currency')
  const second = fact('payment', 'ch_2', { amount: 500, currency: 'JPY' })
  t.is(fold(charge(), second).amount, 900)
})
