import { lives } from './all.ts'
import { type Played, played, type SituationKey } from './lifecycle.ts'

/** A situation that a member or a seller meets, at whichever provider. */
export interface Situation {
  readonly key: SituationKey
  readonly name: string
  /** Tests that hold it for all providers at once, as `file: title`; it then needs no lifecycle. */
  readonly elsewhere?: readonly `${string}.test.ts: ${string}`[]
}

export const situations: readonly Situation[] = [
  { key: 'first-fails', name: 'The first payment fails' },
  { key: 'second-factor', name: 'A payment needs a second factor' },
  { key: 'debit-paid', name: 'A debit is pending for days, and is paid' },
  { key: 'debit-fails', name: 'A debit is pending for days, and fails' },
  { key: 'trial-paid', name: 'A trial ends, and is paid' },
  { key: 'trial-unpaid', name: 'A trial ends, and its charge fails' },
  { key: 'trial-cardless', name: 'A trial without a card ends' },
  { key: 'trial-paused', name: 'A trial ends in a pause' },
  { key: 'retry-recovers', name: 'A renewal fails, and is paid later' },
  { key: 'dunning-cancels', name: 'Dunning ends the subscription' },
  { key: 'dunning-unpaid', name: 'Dunning leaves it unpaid' },
  { key: 'dunning-past-due', name: 'Dunning leaves it past due' },
  { key: 'dunning-pauses', name: 'Dunning pauses it' },
  { key: 'dunning-stopped', name: 'Dunning of one invoice is stopped' },
  { key: 'invoice-paid-late', name: 'An invoice is paid after the end' },
  { key: 'invoice-voided', name: 'An invoice is voided after the end' },
  { key: 'extra-charge-fails', name: 'An extra charge within the period is not paid' },
  { key: 'cancel-at-end', name: 'Cancelled at the end of the period' },
  { key: 'cancel-undone', name: 'A cancellation is taken back' },
  { key: 'cancel-now', name: 'Cancelled at once, without a refund' },
  { key: 'cancel-credited', name: 'Cancelled at once, with a refund' },
  { key: 'change-now', name: 'Another price at once' },
  { key: 'change-later', name: 'Another price with the next period' },
  { key: 'change-unpaid', name: 'A change is not paid' },
  { key: 'quantity', name: 'Another quantity' },
  { key: 'pause-now', name: 'A pause that begins at once' },
  { key: 'pause-later', name: 'A pause that begins with the next period' },
  { key: 'pause-collection', name: 'Only the payments are paused' },
  { key: 'refund-full', name: 'A refund of everything' },
  { key: 'refund-part', name: 'A refund in part' },
  { key: 'refund-pending', name: 'A refund is pending' },
  { key: 'refund-failed', name: 'A refund fails' },
  { key: 'dispute', name: 'A payment is disputed' },
  { key: 'inquiry', name: 'A bank or a buyer only asks' },
  { key: 'dispute-won', name: 'A dispute is won' },
  { key: 'dispute-lost', name: 'A dispute is lost' },
  { key: 'reversed', name: 'A refund is taken back' },
  { key: 'customer-deleted', name: 'The customer is deleted at the provider' },
  { key: 'customer-merged', name: 'Customers are merged at the provider' },
  { key: 'last-payment', name: 'A limited number of payments' },
  { key: 'free-months', name: 'The seller gives free time' },
  {
    key: 'paused-where',
    name: 'Paused on the site, in the portal, in the dashboard',
    elsewhere: [
      'memberships/checkout/changes.test.ts: a pause begins at the end of the paid period, closes access, and ends with a payment',
      'memberships/checkout/changes.test.ts: a pause made on the provider’s page closes access, and the member can end it',
      'providers/selling.test.ts: …: a pause begins at the end of the paid period; resuming is paid, or it stays paused',
    ],
  },
  {
    key: 'retired',
    name: 'A plan or a price is retired',
    elsewhere: [
      'memberships/members/gates.test.ts: a plan is opened by any of its prices, retired ones included',
      'memberships/catalogue/differences.test.ts: a corrected amount is sold as soon as the prices are read again, and old prices stop nothing',
    ],
  },
  {
    key: 'events-late',
    name: 'Events arrive late, or in another order',
    elsewhere: [
      'providers/selling.test.ts: …: lists, past events, and events in any order give the same state',
      'memberships/ledger/set-of-deliveries.test.ts: …: any order, duplication and split over instances of the same deliveries ends equal',
    ],
  },
  {
    key: 'events-twice',
    name: 'Events arrive twice',
    elsewhere: ['providers/matrix.test.ts: …: its events in any order, some twice, give the same rows'],
  },
  {
    key: 'events-never',
    name: 'Events never arrive',
    elsewhere: [
      'memberships/sync/compare.test.ts: …: a payment whose events were all lost is found, and opens access after the correction',
      'memberships/sync/overdue.test.ts: an end whose event was lost for good is found by a fetch',
      'lifecycles/mutations.test.ts: …: a message that is missing is noticed, or listed with a reason',
    ],
  },
  {
    key: 'secrets',
    name: 'A secret is rotated',
    elsewhere: [
      'memberships/webhooks/status.test.ts: any of several secrets verifies, and its label becomes the account',
      'providers/signatures.test.ts: …: a signed body verifies, byte for byte, and names its secret',
    ],
  },
]

/** Situations that a provider does not have, with the reason. */
export interface Without {
  readonly providers: readonly Played[]
  readonly situations: readonly SituationKey[]
  readonly because: string
  /** A page that says it; `unknown` where it follows from the messages that the provider documents. */
  readonly source: string
}

const stores = ['apple', 'google', 'revenuecat'] as const

export const withouts: readonly Without[] = [
  {
    providers: ['apple', 'revenuecat'],
    situations: ['first-fails', 'second-factor'],
    because: 'The store settles the first payment before it reports a purchase.',
    source: 'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  },
  {
    providers: ['google'],
    situations: ['second-factor'],
    because: 'The Play Store asks for it in the app, before it reports a purchase.',
    source: 'https://developer.android.com/google/play/billing/lifecycle/subscriptions',
  },
  {
    providers: [...stores],
    situations: ['debit-paid', 'debit-fails'],
    because: 'The state of a store’s renewal is paid, in grace or in retry, and names no running debit.',
    source: 'https://developer.android.com/google/play/billing/lifecycle/subscriptions',
  },
  {
    providers: [...stores],
    situations: ['trial-cardless', 'trial-paused'],
    because: 'A store’s free offer renews from the account of the store.',
    source: 'https://developer.apple.com/documentation/storekit/supporting-introductory-offers-in-your-app',
  },
  {
    providers: [...stores],
    situations: ['dunning-unpaid', 'dunning-past-due', 'dunning-pauses', 'dunning-stopped'],
    because: 'A store’s dunning has one end: the purchase expires.',
    source: 'https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn',
  },
  {
    providers: [...stores],
    situations: ['invoice-paid-late', 'invoice-voided', 'extra-charge-fails'],
    because: 'A store has no invoices that a seller writes, and no charge beside a period.',
    source: 'unknown',
  },
  {
    providers: [...stores],
    situations: ['change-unpaid'],
    because: 'A store changes the product only with its payment.',
    source: 'https://developer.android.com/google/play/billing/subscriptions#replacement-modes',
  },
  {
    providers: [...stores],
    situations: ['dispute', 'inquiry', 'dispute-won', 'dispute-lost'],
    because: 'The store answers its buyers’ banks, and reports a refund alone.',
    source: 'unknown',
  },
  {
    providers: [...stores],
    situations: ['refund-pending', 'refund-failed'],
    because: 'A store reports a refund when it is made.',
    source: 'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  },
  {
    providers: ['apple', 'google'],
    situations: ['customer-deleted', 'customer-merged'],
    because: 'A store reports purchases, and no customers.',
    source: 'unknown',
  },
  {
    providers: ['apple'],
    situations: ['pause-now', 'pause-later', 'pause-collection'],
    because: 'The App Store knows no pause.',
    source: 'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  },
  {
    providers: ['apple'],
    situations: ['cancel-now'],
    because: 'A renewal that is turned off leaves the paid period, and only a refund ends it sooner.',
    source: 'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  },
  {
    providers: ['google', 'revenuecat'],
    situations: ['pause-now', 'pause-collection'],
    because: 'A pause in the Play Store begins at the end of the paid period.',
    source: 'https://developer.android.com/google/play/billing/lifecycle/subscriptions',
  },
  {
    providers: ['google'],
    situations: ['reversed'],
    because: 'Google has no reversed refunds.',
    source: 'https://developer.android.com/google/play/billing/rtdn-reference',
  },
  {
    providers: ['google'],
    situations: ['quantity'],
    because: 'A subscription of the Play Store has no quantity.',
    source: 'https://developer.android.com/google/play/billing/integrate#quantity',
  },
  {
    providers: [...stores],
    situations: ['last-payment'],
    because: 'A subscription of a store renews until somebody ends it.',
    source: 'unknown',
  },
  {
    providers: ['mollie'],
    situations: ['pause-now', 'pause-later', 'pause-collection', 'dunning-pauses'],
    because: 'Mollie knows no pause.',
    source: 'https://docs.mollie.com/reference/get-subscription',
  },
  {
    providers: ['mollie'],
    situations: ['trial-cardless', 'trial-paused'],
    because: 'A subscription needs a mandate, and its status follows the mandate.',
    source: 'https://docs.mollie.com/docs/recurring-payments',
  },
  {
    providers: ['mollie'],
    situations: [
      'dunning-cancels',
      'dunning-unpaid',
      'dunning-stopped',
      'invoice-paid-late',
      'invoice-voided',
    ],
    because: 'Mollie has no invoices of subscriptions, and no dunning.',
    source: 'unknown',
  },
  {
    providers: ['mollie'],
    situations: ['cancel-at-end', 'cancel-undone', 'change-later', 'quantity'],
    because: 'A subscription of Mollie ends at once and for good, and is one amount.',
    source: 'https://docs.mollie.com/reference/cancel-subscription',
  },
  {
    providers: ['stripe'],
    situations: ['customer-merged'],
    because: 'Stripe does not merge customers.',
    source: 'https://support.stripe.com/questions/can-i-merge-multiple-customers-into-one',
  },
  {
    providers: ['mollie'],
    situations: ['change-now', 'change-unpaid'],
    because: 'Mollie charges no difference: another amount counts from the next charge on.',
    source: 'https://docs.mollie.com/reference/update-subscription',
  },
  {
    providers: ['mollie'],
    situations: ['second-factor'],
    because: 'Mollie’s page asks for it before the first payment, and later charges run without the buyer.',
    source: 'https://docs.mollie.com/docs/recurring-payments',
  },
  {
    providers: ['mollie'],
    situations: ['inquiry'],
    because: 'Mollie reports a chargeback when the money was taken, and no question before it.',
    source: 'https://docs.mollie.com/reference/chargebacks-api',
  },
  {
    providers: ['mollie'],
    situations: ['customer-merged'],
    because: 'There is no call or message that merges customers.',
    source: 'https://docs.mollie.com/reference/customers-api',
  },
  {
    providers: ['paypal'],
    situations: ['cancel-at-end', 'cancel-undone'],
    because: 'PayPal ends a cancelled subscription at once and for good.',
    source: 'https://developer.paypal.com/docs/api/subscriptions/v1/',
  },
  {
    providers: ['paypal'],
    situations: ['invoice-paid-late', 'invoice-voided', 'dunning-stopped', 'extra-charge-fails'],
    because: 'A subscription of PayPal has an outstanding balance, and no invoices.',
    source: 'https://developer.paypal.com/docs/api/subscriptions/v1/',
  },
  {
    providers: ['paypal'],
    situations: ['dunning-cancels', 'dunning-unpaid', 'dunning-past-due'],
    because: 'PayPal suspends after the failures that the plan allows.',
    source: 'https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/',
  },
  {
    providers: ['paypal'],
    situations: ['change-now', 'change-unpaid'],
    because: 'PayPal charges no difference: another plan counts from the next payment on.',
    source: 'https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/',
  },
  {
    providers: ['paypal'],
    situations: ['customer-deleted', 'customer-merged'],
    because: 'PayPal has no customers: the PayPal account identifies a buyer.',
    source: 'unknown',
  },
  {
    providers: ['paypal'],
    situations: ['second-factor'],
    because: 'The buyer proves it on PayPal’s page, before the purchase is approved.',
    source: 'https://developer.paypal.com/docs/api/orders/v2/',
  },
  {
    providers: ['paypal'],
    situations: ['trial-cardless', 'trial-paused', 'pause-later', 'pause-collection'],
    because: 'A subscription has a funding source from the start, and is suspended at once.',
    source: 'https://developer.paypal.com/docs/api/subscriptions/v1/',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['dispute', 'inquiry', 'dispute-won', 'dispute-lost'],
    because: 'Lemon Squeezy sends no events about disputes, and its API does not show them.',
    source: 'https://docs.lemonsqueezy.com/help/webhooks/event-types',
  },
  {
    providers: ['polar'],
    situations: ['dispute', 'inquiry', 'dispute-won', 'dispute-lost'],
    because: 'Polar sends no events about disputes; it may refund and cancel.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/features/refunds.mdx',
  },
  {
    providers: ['creem'],
    situations: ['dispute-won', 'dispute-lost', 'inquiry'],
    because: 'Its only message about disputes is dispute.created.',
    source: 'https://docs.creem.io/code/webhooks',
  },
  {
    providers: ['creem'],
    situations: ['dunning-unpaid', 'dunning-past-due', 'dunning-pauses', 'dunning-stopped'],
    because: 'Retries go on until a payment or the final end.',
    source: 'https://docs.creem.io/code/webhooks',
  },
  {
    providers: ['creem'],
    situations: ['invoice-paid-late', 'trial-paused'],
    because: 'A canceled subscription bills no more, and a trial ends with a charge.',
    source: 'https://docs.creem.io/features/subscriptions/introduction',
  },
  {
    providers: ['creem'],
    situations: ['pause-collection'],
    because: 'A pause stops the subscription as a whole, and has its status.',
    source: 'https://docs.creem.io/api-reference/endpoint/pause-subscription',
  },
  {
    providers: ['creem'],
    situations: ['last-payment'],
    because: 'A product for a subscription has a billing period, and no number of payments.',
    source: 'https://docs.creem.io/api-reference/endpoint/create-product',
  },
  {
    providers: ['creem'],
    situations: ['customer-deleted', 'customer-merged'],
    because: 'Its API makes and changes customers, and has no call or message that deletes or merges them.',
    source: 'https://docs.creem.io/api-reference/endpoint/update-customer',
  },
  {
    providers: ['creem'],
    situations: ['reversed'],
    because: 'Its only message about refunds is refund.created.',
    source: 'https://docs.creem.io/code/webhooks',
  },
  {
    providers: ['dodo', 'lemonsqueezy', 'creem'],
    situations: ['invoice-voided'],
    because: 'It has payments, and no invoices that a seller voids.',
    source: 'unknown',
  },
  {
    providers: ['dodo'],
    situations: ['dunning-unpaid', 'dunning-pauses', 'dunning-stopped'],
    because: 'After the last retry the subscription stays on hold, or is cancelled with its grace period.',
    source: 'https://docs.dodopayments.com/features/subscription',
  },
  {
    providers: ['dodo'],
    situations: ['pause-later', 'pause-collection', 'trial-paused'],
    because: 'A pause is asked for, begins at once, and ends access with the payments.',
    source: 'https://docs.dodopayments.com/features/subscription',
  },
  {
    providers: ['dodo'],
    situations: ['customer-deleted', 'customer-merged'],
    because:
      'Its API creates and changes customers, deletes and merges none, and sends no events about them.',
    source: 'https://docs.dodopayments.com/features/customers',
  },
  {
    providers: ['lemonsqueezy'],
    situations: [
      'change-later',
      'pause-later',
      'trial-paused',
      'dunning-past-due',
      'dunning-pauses',
      'dunning-stopped',
    ],
    because: 'Its statuses know no planned change or pause, and its dunning ends as unpaid or expired.',
    source: 'https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object',
  },
  {
    providers: ['polar'],
    situations: ['dunning-unpaid', 'dunning-past-due', 'dunning-pauses', 'dunning-stopped'],
    because: 'Dunning ends with the end of the subscription.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/failed-payments.mdx',
  },
  {
    providers: ['polar'],
    situations: ['trial-cardless', 'trial-paused', 'pause-now', 'pause-collection'],
    because: 'A trial stores the payment method, and a pause never takes effect within a period.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/manage.mdx',
  },
  {
    providers: ['polar'],
    situations: ['change-unpaid'],
    because: 'A change applies only with its payment: without it the call has an error, and nothing changes.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/proration.mdx',
  },
  {
    providers: ['polar'],
    situations: ['last-payment'],
    because: 'A subscription renews until the buyer or the seller ends it.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/introduction.mdx',
  },
  {
    providers: ['polar'],
    situations: ['customer-merged'],
    because: 'Customers are created, changed and deleted, and its events name nothing else.',
    source: 'https://github.com/polarsource/polar/blob/main/docs/integrate/webhooks/events.mdx',
  },
  {
    providers: ['paddle'],
    situations: ['dunning-unpaid', 'dunning-past-due', 'dunning-stopped', 'invoice-paid-late'],
    because: 'Dunning cancels or pauses, and cancels the open transactions with it.',
    source: 'https://developer.paddle.com/webhooks/simulator/scenarios/subscription-canceled',
  },
  {
    providers: ['paddle'],
    situations: ['pause-collection', 'change-later', 'last-payment'],
    because: 'Its subscriptions know neither: they pause as a whole, and change at once.',
    source: 'https://developer.paddle.com/api-reference/subscriptions/overview',
  },
  {
    providers: ['google'],
    situations: ['cancel-now'],
    because: 'A cancellation keeps the paid period; a purchase that ends at once is revoked with a refund.',
    source:
      'https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2/revoke',
  },
  {
    providers: ['chargebee'],
    situations: ['trial-paused'],
    because: 'A trial of Chargebee ends active or cancelled, and only what is active can be paused.',
    source:
      'https://support.chargebee.com/support/solutions/articles/253642-how-do-i-configure-end-of-trial-action-',
  },
  {
    providers: ['chargebee'],
    situations: ['dunning-unpaid', 'dunning-pauses'],
    because: 'Dunning of Chargebee ends with a cancelled subscription, or with one that stays active.',
    source:
      'https://www.chargebee.com/docs/payments/2.0/kb/payments/how-do-i-avoid-unpaid-invoices-for-active-subscriptions',
  },
  {
    providers: ['chargebee'],
    situations: ['inquiry'],
    because: 'Chargebee sends no events about disputes: it records a refund when a chargeback moves money.',
    source: 'https://apidocs.chargebee.com/docs/api/events',
  },
  {
    providers: ['paddle'],
    situations: ['reversed'],
    because: 'Paddle reverses chargebacks and credits. An approved refund is never taken back.',
    source: 'https://developer.paddle.com/api-reference/adjustments',
  },
  {
    providers: ['paddle'],
    situations: ['customer-merged'],
    because: 'Its API has no call or message that merges customers.',
    source: 'https://developer.paddle.com/api-reference/customers',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['first-fails'],
    because: 'Nothing is sent before an order is placed, and a failed payment is one of a renewal.',
    source: 'https://docs.lemonsqueezy.com/help/webhooks/event-types',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['cancel-now'],
    because: 'A cancelled subscription goes on until its next billing date.',
    source: 'https://docs.lemonsqueezy.com/help/webhooks/event-types',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['refund-pending', 'refund-failed', 'reversed'],
    because:
      'The answer to a refund is the order or invoice with what went back. No status or event tells more.',
    source: 'https://docs.lemonsqueezy.com/api/orders/issue-refund',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['extra-charge-fails'],
    because: 'An invoice is the first one, a renewal or a change; there is no other charge.',
    source: 'https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['last-payment'],
    because: 'A subscription has no number of payments, and renews until somebody ends it.',
    source: 'https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object',
  },
  {
    providers: ['lemonsqueezy'],
    situations: ['customer-deleted', 'customer-merged'],
    because: 'A customer can only be archived, which stops marketing mails. No event is about customers.',
    source: 'https://docs.lemonsqueezy.com/api/customers/update-customer',
  },
  {
    providers: ['revenuecat'],
    situations: ['cancel-now'],
    because: 'A purchase ends within its period only with a refund.',
    source: 'https://www.revenuecat.com/docs/subscription-guidance/refunds',
  },
  {
    providers: ['revenuecat'],
    situations: ['refund-part'],
    because: 'RevenueCat does not learn what went back in part, and treats the purchase as paid.',
    source: 'https://www.revenuecat.com/docs/offerings/virtual-currency/refunds',
  },
]

/** Situations of which no page that we read says what the provider then does or sends. */
export const unknowns: readonly Pick<Without, 'providers' | 'situations'>[] = [
  { providers: ['creem'], situations: ['second-factor', 'debit-paid', 'debit-fails', 'extra-charge-fails'] },
  // A trial may begin without a card, and the ledger knows reversed refunds; no page says what is then sent.
  { providers: ['dodo'], situations: ['trial-cardless', 'reversed'] },
  // UPI pays subscriptions there, and no page says how long its debits run.
  { providers: ['polar'], situations: ['debit-paid', 'debit-fails'] },
  // A won chargeback is a mail to the seller there. No page says if the recorded refund is taken back.
  { providers: ['chargebee'], situations: ['dispute-won', 'reversed'] },
  // No page names the message of a first payment that fails, or of a change whose charge fails. None says whether a trial
  // begins without a card, or whether a discount can be the whole price.
  { providers: ['creem'], situations: ['first-fails', 'change-unpaid', 'trial-cardless', 'free-months'] },
  // An order may be pending, and no page says with which way to pay. Nor does one name trials without a card.
  {
    providers: ['lemonsqueezy'],
    situations: ['second-factor', 'debit-paid', 'debit-fails', 'trial-cardless'],
  },
  // Apple sells subscriptions for several people since September 2026; no page says what RevenueCat tells of them.
  { providers: ['revenuecat'], situations: ['quantity'] },
]

/** One situation at each provider. */
export interface Told {
  readonly situation: Situation
  readonly played: readonly Played[]
  readonly without: readonly Played[]
  readonly unknown: readonly Played[]
  /** The rest: it may be there, and no lifecycle plays it yet. */
  readonly open: readonly Played[]
}

/** The table of situations and providers. Each provider stands in one column of a row. */
export const told: readonly Told[] = situations
  .filter(({ elsewhere }) => elsewhere === undefined)
  .map((situation) => {
    const isIn = (list: readonly Pick<Without, 'providers' | 'situations'>[], provider: Played) =>
      list.some((line) => line.providers.includes(provider) && line.situations.includes(situation.key))
    const isPlayed = (provider: Played) =>
      lives.some((life) => life.provider === provider && life.plays.includes(situation.key))
    return {
      situation,
      played: played.filter(isPlayed),
      without: played.filter((provider) => isIn(withouts, provider)),
      unknown: played.filter((provider) => isIn(unknowns, provider)),
      open: played.filter(
        (provider) => !isPlayed(provider) && !isIn(withouts, provider) && !isIn(unknowns, provider),
      ),
    }
  })
