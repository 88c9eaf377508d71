import { changeOf, dtoProperties } from './api.ts'
import type { Key } from './code.ts'
import type { Kind } from './kinds.ts'

/** Values tracked through a file, and the fields known of them. */
export interface Flow {
  readonly name: 'subscriptions' | 'purchases'
  /** Beginning of a sentence about such a value. */
  readonly subject: string
  /** Words without which a file contains no such value. */
  readonly words: RegExp
  /** Methods of a member, or of the provider, that return them. */
  readonly methods: readonly string[]
  /** Returns true for kinds of values that are tracked. */
  isSource(kind: Kind): boolean
  /** Returns true for kinds that are a list of them. */
  isList(kind: Kind): boolean
  /** Returns true for kinds that are a single one, whose fields are changed or reported separately. */
  isOne(kind: Kind): boolean
  /**
   * True if the form of one is known: an object in both versions of JavaScript, with the fields of `api.ts`.
   */
  readonly isFormKnown: boolean
  /** Returns true for a property that only version 2 has. */
  isOfVersion2(key: Key): boolean
}

/** Values that `subscriptions()` returns. */
export const subscriptionFlow: Flow = {
  name: 'subscriptions',
  subject: 'A subscription, or something that may hold one,',
  words: /subscription/i,
  methods: ['subscriptions'],
  isSource: (kind) => subscriptionKinds.has(kind),
  isList: (kind) => kind === 'subscriptions' || kind === 'strangers',
  isOne: (kind) => kind === 'subscription' || kind === 'stranger',
  isFormKnown: true,
  isOfVersion2: (key) => dtoProperties.has(String(key)),
}

/**
 * Contents of `purchases`, now `payments`: a list in both versions. The form of a purchase in version 1 is
 * undocumented, a price id or any map. Therefore no field of it counts as unchanged.
 */
export const purchaseFlow: Flow = {
  name: 'purchases',
  subject: 'A purchase (payments in version 2), or something that may hold one,',
  words: /purchases|payments|getUserData/,
  methods: ['purchases', 'payments'],
  isSource: (kind) => kind === 'payment' || kind === 'payments' || kind === 'data',
  isList: (kind) => kind === 'payments',
  isOne: () => false,
  isFormKnown: false,
  isOfVersion2: (key) => ofPayments.has(String(key)),
}

const subscriptionKinds: ReadonlySet<Kind> = new Set([
  'subscription',
  'subscriptions',
  'stranger',
  'strangers',
  'mixed',
  'part',
])

// Properties of the Payment DTO that no provider's own object has: `currency` or `status` may belong to
// either.
const ofPayments: ReadonlySet<string> = new Set(
  (
    'provider account customer_id subscription_id invoice_id price_id product_id amount_refunded paid_at invoice_url ' +
    'updated_at purpose next_try_at card_expires card_last4'
  ).split(' '),
)

/** Returns true for a field that a tracked value has in both versions, even with another name or form. */
export function isFieldOf(flow: Flow, path: readonly Key[]): boolean {
  return flow.isFormKnown && ['same', 'time', 'case'].includes(changeOf(path).kind)
}
