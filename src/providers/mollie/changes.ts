import { customerChange, moneyChange } from '../changes.ts'
import type { Change, ProviderEvent, Ref } from '../contract.ts'
import { isObject, obj, str } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { notesIn, parentOf } from './facts.ts'
import {
  type Begun,
  embedded,
  toChargeback,
  toCheckout,
  toFirstPayment,
  toPayment,
  toRefund,
} from './money.ts'
import type { Common, Customer, Payment, Return, Subscription } from './payload.ts'
import { type Paid, paidFor } from './periods.ts'
import { toSubscriptionData } from './subscription.ts'

/**
 * Reads one webhook event, which only names the object to fetch, signed or not. A signed event may contain
 * the object, but not the moment of its state. The API is asked for all of them, and has one clock.
 */
export function mollieChanges({ object }: Pick<ProviderEvent, 'object'>): Change[] {
  const ref = isObject(object) ? refOf(object as Common) : null
  return ref === null ? [] : [{ type: 'touch', ref }]
}

function refOf(raw: Common): Ref | null {
  const id = str(raw.id)
  const kind = kinds.find(([prefix]) => id?.startsWith(prefix))?.[1]
  if (id === null || kind === undefined) return null
  const parent = parentOf(raw, kind === 'subscription' ? 'customer' : 'payment')
  return { kind, id, ...(parent === null ? {} : { parent }) }
}

// Source: https://docs.mollie.com/reference/common-data-types. A payment link is a page on which payments are
// made.
const kinds: readonly (readonly [string, Ref['kind']])[] = [
  ['tr_', 'payment'],
  ['sub_', 'subscription'],
  ['cst_', 'customer'],
  ['re_', 'refund'],
  ['chb_', 'dispute'],
  ['pl_', 'checkout'],
]

/** Objects fetched in addition, because the object itself does not show them. */
export interface Beside {
  /** Moment of the answer; ISO 8601 UTC. */
  readonly at: string
  /** First payments only: the subscription that it began. */
  readonly begun?: Begun
  /** Subscriptions only: the payments of its customer. */
  readonly payments?: readonly Payment[]
}

/** Reads one object of the API. Pure and total. */
export function objectChanges(raw: unknown, beside: Beside): Change[] {
  const { resource }: Common = obj(raw)
  return isKind(resource) ? changesOf(resource, raw as Kinds[typeof resource], beside) : []
}

/** The type of each kind of object that concerns purchases, by its `resource`. */
interface Kinds {
  readonly payment: Payment
  readonly subscription: Subscription
  readonly customer: Customer
  readonly refund: Return
  readonly chargeback: Return
}

function changesOf<K extends keyof Kinds>(kind: K, raw: Kinds[K], beside: Beside): Change[] {
  return readers[kind](raw, beside)
}

const readers: { readonly [K in keyof Kinds]: (raw: Kinds[K], beside: Beside) => Change[] } = {
  payment(raw, { begun = null }: Beside) {
    const paid = toPayment(raw, begun)
    if (paid === null) return []
    return [
      ...moneyChange('payment', paid),
      ...moneyChange('checkout', toCheckout(raw, paid, begun)),
      ...embedded(raw, 'refunds').flatMap((refund) => moneyChange('refund', toRefund(refund))),
      ...embedded(raw, 'chargebacks').flatMap((item) => moneyChange('dispute', toChargeback(item))),
      ...touched(raw, begun),
    ]
  },
  subscription(raw, { at, payments = [] }: Beside) {
    const paid: Paid = paidFor(raw, payments)
    const data = toSubscriptionData(raw, { paid, at })
    if (data === null) return []
    const { customer_id: customer } = data
    return [
      { type: 'subscription', id: data.id, stage: 'updated', data } as const,
      ...moneyChange('link', toFirstPayment(raw, data.id)),
      // Purchases that began here know their owner.
      ...(notesIn(raw).intent === null && customer !== null ? touch({ kind: 'customer', id: customer }) : []),
    ]
  },
  customer: (raw) => customerChange(toCustomerData(raw)),
  refund: (raw) => moneyChange('refund', toRefund(raw)),
  chargeback: (raw) => moneyChange('dispute', toChargeback(raw)),
}

function isKind(name: unknown): name is keyof Kinds {
  return typeof name === 'string' && Object.hasOwn(readers, name)
}

function touch(ref: Ref): Change[] {
  return [{ type: 'touch', ref }]
}

// Mollie sends no events about subscriptions; their changes show in their payments.
function touched(raw: Payment, begun: Begun): Change[] {
  const customer = parentOf(raw, 'customer')
  const charged = parentOf(raw, 'subscription')
  const id = charged ?? notesIn(raw).subscription ?? begun?.id ?? null
  return [
    ...(id === null
      ? []
      : touch({ kind: 'subscription', id, ...(customer === null ? {} : { parent: customer }) })),
    ...(charged === null && customer !== null ? touch({ kind: 'customer', id: customer }) : []),
  ]
}
