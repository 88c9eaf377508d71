import { changeOf, dtoProperties } from './api.ts'
import type { Key } from './code.ts'
import type { Kind } from './kinds.ts'

/** The values that are followed through a file, and the fields that are known of them. */
export interface Flow {
  readonly name: 'subscriptions' | 'purchases'
  /** The beginning of a sentence about such a value. */
  readonly subject: string
  /** A word without which a file has none of its own. */
  readonly words: RegExp
  /** The methods of a member, or of the provider, that give them. */
  readonly methods: readonly string[]
  /** Kinds of values that are followed. */
  isSource(kind: Kind): boolean
  /** Kinds of values that are a list of them. */
  isList(kind: Kind): boolean
  /** Kinds of values that are one of them, and whose fields are changed or listed by themselves. */
  isOne(kind: Kind): boolean
  /** True where the form of one is known: an object in both versions of JavaScript, with the fields of `api.ts`. */
  readonly isFormKnown: boolean
  /** A property by which only version 2 reads one. */
  isOfVersion2(key: Key): boolean
}

/** What `subscriptions()` gives. */
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
 * What `purchases`, now `payments`, holds: a list in both versions. The form of a purchase in version 1 is not documented: a
 * price's id, or a map of anything. So no field of it is taken as the same.
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

// Properties of the Payment DTO that are no words of the providers' own objects: `currency` or `status` may be read of either.
const ofPayments: ReadonlySet<string> = new Set(
  (
    'provider account customer_id subscription_id invoice_id price_id product_id amount_refunded paid_at invoice_url ' +
    'updated_at purpose next_try_at'
  ).split(' '),
)

/** True for a field that a followed value has in both versions, be it with another name or in another form. */
export const isFieldOf = (flow: Flow, path: readonly Key[]): boolean =>
  flow.isFormKnown && ['same', 'time', 'case'].includes(changeOf(path).kind)
