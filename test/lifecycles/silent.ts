import type { Played } from './lifecycle.ts'
import { type Dropped, eventOf } from './mutations.ts'

/** A message after which everything that can be seen is as before. */
export interface Silent {
  readonly provider: Played
  /** The events, as `eventOf` names them. */
  readonly event: RegExp
  /** The situations in which it is so. */
  readonly situation: RegExp
  readonly because: string
}

/**
 * With their reasons from the documentation. The run of the mutations checks that nothing can be seen, and a
 * test that no line here is left over.
 */
export const silent: readonly Silent[] = [
  {
    provider: 'apple',
    event: /^SUBSCRIBED$/,
    situation: /^The member turns the renewal off while/,
    because: 'The messages that follow carry the whole purchase.',
  },
  {
    provider: 'chargebee',
    event: /^payment_failed$/,
    situation: /^A parent account/,
    because: 'The invoices of a parent are none of the member’s payments.',
  },
  {
    provider: 'chargebee',
    event: /^transaction_created$/,
    situation: /^A SEPA debit runs for five days at a renewal, and then arrives/,
    because: 'The invoice names its running debit, too.',
  },
  {
    provider: 'chargebee',
    event: /^(refund_initiated|transaction_updated)$/,
    situation: /^The refund of a debit is in progress/,
    because: 'A refund that was not made moves no money.',
  },
  {
    provider: 'chargebee',
    event: /^invoice_updated$/,
    situation: /unpaid invoice is voided$/,
    because: 'The month stays closed, and the site has no address at which it could be paid.',
  },
  {
    provider: 'creem',
    event: /^checkout\.completed$/,
    situation: /./,
    because: 'The subscription that is paid at the same moment names its buyer and its payment, too.',
  },
  {
    provider: 'creem',
    event: /^refund\.created$/,
    situation: /^A refund of a book is pending/,
    because: 'A refund that is not made moves no money.',
  },
  {
    provider: 'dodo',
    event: /^(payment|subscription)\.failed$/,
    situation: /^The mandate of a new subscription/,
    because: 'Nothing began: there is no member yet, and nothing was bought.',
  },
  {
    provider: 'dodo',
    event: /^(dispute\.accepted|refund\.failed)$/,
    situation:
      /^(A bank charges a book back, and the seller accepts|A part of a book is refunded, and a refund)/,
    because: 'A refund that was not made moves no money, and a lost dispute leaves it where it went.',
  },
  {
    provider: 'dodo',
    event: /^dispute\.(opened|cancelled)$/,
    situation: /^A bank asks about a book before any dispute/,
    because: 'A question moves no money.',
  },
  {
    provider: 'google',
    event: /^subscriptionNotification 13$/,
    situation: /Google knows (its|the) token no more$/,
    because: 'A token that is gone tells nothing.',
  },
  {
    provider: 'google',
    event: /^subscriptionNotification 20$/,
    situation: /^A pending first payment/,
    because: 'Nothing began: nothing was bought.',
  },
  {
    provider: 'google',
    event: /^subscriptionNotification (6|13)$/,
    situation: /^(A renewal is never paid|A cheaper plan is bought)/,
    because: 'The hold that follows, and the new purchase, say the same of the former state.',
  },
  {
    provider: 'lemonsqueezy',
    event: /^subscription_paused$/,
    situation: /^Paused with mode free/,
    because: 'With mode free the seller serves on, as before.',
  },
  {
    provider: 'lemonsqueezy',
    event: /^subscription_(created|updated)$/,
    situation: /^(A month|A year) is renewed|^A change to a year/,
    because: 'The messages that follow carry the whole subscription.',
  },
  {
    provider: 'mollie',
    event: /^id=tr_book$/,
    situation: /^A refund is queued/,
    because: 'A refund that was not made moves no money.',
  },
  {
    provider: 'mollie',
    event: /^id=tr_first$/,
    situation: /^The first payment of a subscription fails/,
    because: 'Nothing began: there is no member yet, and nothing was bought.',
  },
  {
    provider: 'mollie',
    event: /^id=tr_extra$/,
    situation: /^The seller charges the mandate/,
    because: 'A charge that failed, and that no plan names, is none of the membership’s.',
  },
  {
    provider: 'paddle',
    event: /^adjustment\.(created|updated)$/,
    situation: /^(A refund waits|A chargeback is announced)/,
    because: 'Only an approved refund or a chargeback moves money.',
  },
  {
    provider: 'paddle',
    event: /^customer\.updated$/,
    situation: /^The seller archives/,
    because: 'An archived customer keeps what was bought.',
  },
  {
    provider: 'paddle',
    event: /^transaction\.(canceled|past_due)$/,
    situation: /^(Every retry fails, and the setting cancels|A one-time charge)/,
    because:
      'A cancelled transaction was not paid before, either. No plan of the site names the extra price.',
  },
  {
    provider: 'paypal',
    event: /^PAYMENT\.SALE\.(COMPLETED|PENDING|DENIED|REFUNDED)$/,
    situation: /./,
    because: 'Without API keys a sale names no payer, as the page of PayPal says; the subscription tells it.',
  },
  {
    provider: 'paypal',
    event: /^BILLING\.SUBSCRIPTION\.PAYMENT\.FAILED$/,
    situation: /./,
    because: 'The first failed attempt is what counts; the counter follows it.',
  },
  {
    provider: 'paypal',
    event: /^CUSTOMER\.DISPUTE\.(CREATED|RESOLVED)$/,
    situation: /^(A buyer only asks|A chargeback reverses a purchase, and the buyer wins)/,
    because: 'A question moves no money, and a lost dispute leaves it where it went.',
  },
  {
    provider: 'paypal',
    event: /^PAYMENT\.CAPTURE\.COMPLETED$/,
    situation: /^A chargeback reverses a purchase, and the buyer wins/,
    because: 'The completed order names the captured payment, too.',
  },
  {
    provider: 'paypal',
    event: /^(CHECKOUT\.ORDER\.(APPROVED|COMPLETED)|PAYMENT\.CAPTURE\.(PENDING|DECLINED))$/,
    situation: /^(The payment of a book is declined|A book is paid by eCheck)/,
    because: 'Nothing is paid yet: there is no member, and nothing was bought.',
  },
  {
    provider: 'paypal',
    event: /^PAYMENT\.CAPTURE\.COMPLETED$/,
    situation: /^The payment of a book is declined/,
    because: 'The completed order names the captured payment, too.',
  },
  {
    provider: 'paypal',
    event: /^PAYMENT\.CAPTURE\.REFUNDED$/,
    situation: /^A refund waits/,
    because: 'A refund that is not made moves no money.',
  },
  {
    provider: 'polar',
    event: /^subscription\.(cycled|created)$/,
    situation: /revoked|^A renewal needs a second factor/,
    because: 'The messages that follow carry the whole subscription.',
  },
  {
    provider: 'polar',
    event: /^order\.created$/,
    situation: /^A trial of a week ends, and is paid/,
    because: 'The paid order follows within minutes.',
  },
  {
    provider: 'polar',
    event: /^checkout\.updated$/,
    situation: /^The first payment fails/,
    because: 'Nothing began: the buyer can still pay on the same page.',
  },
  {
    provider: 'polar',
    event: /^order\.created$/,
    situation: /^The seller charges a member/,
    because: 'A draft charges nothing.',
  },
  {
    provider: 'polar',
    event: /^refund\.(created|updated)$/,
    situation: /^A refund of a book is pending/,
    because: 'A refund that was not made moves no money.',
  },
  {
    provider: 'polar',
    event: /^order\.updated$/,
    situation: /^A book is refunded, and the refund fails/,
    because: 'The refund says that it failed, too.',
  },
  {
    provider: 'polar',
    event: /^customer\.deleted$/,
    situation: /^The seller deletes the customer/,
    because: 'The subscription that ended with it says it, too.',
  },
  {
    provider: 'stripe',
    event: /^customer\.subscription\.updated$/,
    situation: /^Payment collection is paused/,
    because: 'Such a pause changes no access; without it, an unpaid month keeps its days of grace.',
  },
  {
    provider: 'stripe',
    event: /^customer\.subscription\.created$/,
    situation: /^(Every retry fails, the setting (cancels|pauses)|The seller marks the invoice)/,
    because: 'The messages that follow carry the whole subscription.',
  },
  {
    provider: 'stripe',
    event: /^payment_intent\.processing$/,
    situation: /^A SEPA debit/,
    because: 'An open invoice that nobody failed to pay is pending already.',
  },
  {
    provider: 'stripe',
    event: /^invoice\.payment_failed$/,
    situation: /^A SEPA debit of a renewal is pending for days, and then fails/,
    because: 'The subscription that is past due a second later says the same of its newest invoice.',
  },
  {
    provider: 'stripe',
    event: /^subscription_schedule\.updated$/,
    situation: /^A schedule (moves|pauses)/,
    because:
      'Without an API key the schedule is not fetched; the subscription tells the change when it begins.',
  },
  {
    provider: 'stripe',
    event: /^refund\.(created|failed)$/,
    situation: /^A refund waits/,
    because: 'A refund that was not made moves no money.',
  },
  {
    provider: 'stripe',
    event: /^charge\.dispute\.(created|closed)$/,
    situation: /^A bank only asks/,
    because: 'A question moves no money.',
  },
  {
    provider: 'stripe',
    event: /^customer\.created$/,
    situation: /^(A schedule of two months|The seller deletes the customer)/,
    because: 'The paid invoice and the checkout name their buyer, too.',
  },
  {
    provider: 'stripe',
    event: /^charge\.succeeded$/,
    situation: /^The seller deletes the customer/,
    because: 'The completed checkout names the payment, too.',
  },
  {
    provider: 'stripe',
    event: /^customer\.deleted$/,
    situation: /^The seller deletes the customer/,
    because: 'The subscription ends with a message of its own, and what was bought once stays.',
  },
  {
    provider: 'stripe',
    event: /./,
    situation: /^The first payment needs a second factor/,
    because: 'Nothing began: there is no member yet, and nothing was bought.',
  },
]

/** The reason for which a dropped message changes nothing; undefined where none is known. */
export function reasonOf(dropped: Pick<Dropped, 'life' | 'message'>): string | undefined {
  return silent.find((line) => isOf(line, dropped))?.because
}

export function isOf(
  { provider, event, situation }: Silent,
  { life, message }: Pick<Dropped, 'life' | 'message'>,
): boolean {
  return provider === life.provider && event.test(eventOf(message)) && situation.test(life.situation)
}
