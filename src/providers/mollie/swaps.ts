import { MembershipError } from '../../core/errors.ts'
import type { Changed, SwapRequest } from '../contract.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import { amountOf, metadataOf, notesIn, parentOf, rhythmOf, toNotes } from './facts.ts'
import { isChargedBack, stateOf } from './money.ts'
import type { Payment, Subscription } from './payload.ts'
import { nextCharge, shifted } from './periods.ts'
import type { SellingDeps } from './sessions.ts'
import type { KnownSubscription } from './subscriptions.ts'
import { type Terms, termsOf, toAmount } from './terms.ts'

/**
 * Changes price or quantity. Mollie does not prorate, so a dearer one is first charged for the rest of the
 * period, as a separate payment. The subscription is changed when that is paid. A cheaper one returns
 * nothing.
 */
export function mollieSwaps(
  { api, fetch, plans, now }: Omit<SellingDeps, 'trialAmount'>,
  known: KnownSubscription,
) {
  const swap = async (request: SwapRequest): Promise<Changed> => {
    const { subscription, priceId: price, quantity, idempotencyKey: key } = request
    const { raw, path } = await known(subscription.id)
    const terms = changeTerms(raw, request)
    const due = dueFor(raw, request, terms)
    const changedBy = due === 0 ? notesIn(raw).changedBy : await paidChange(raw, request, due)
    const metadata = { ...metadataOf(raw), ...toNotes({ ...notesIn(raw), price, quantity, changedBy }) }
    const body = { amount: toAmount(terms.amount * quantity, terms.currency), metadata }
    return fetch.toFetched(
      await api.write<Subscription>(`a change of ${subscription.id}`, { method: 'PATCH', path, key, body }),
    )
  }

  const preview = async (request: SwapRequest) => {
    const { raw } = await known(request.subscription.id)
    const terms = changeTerms(raw, request)
    const due = dueFor(raw, request, terms)
    const text = `${request.quantity === 1 ? '' : `${request.quantity} × `}${terms.name}`
    return {
      provider: 'mollie',
      subscription_id: request.subscription.id,
      currency: terms.currency,
      amount_due: due,
      total: due,
      lines: due === 0 ? [] : [{ text, amount: due, price_id: request.priceId }],
      next_payment_at: nextCharge(raw),
      proration_at: request.prorationAt ?? now().toISOString(),
    }
  }

  /** @throws ERR_PROVIDER_UNSUPPORTED, ERR_ACTION_REFUSED */
  const changeTerms = (raw: Subscription, { priceId, proration, chosen }: SwapRequest): Terms => {
    const terms = termsOf(plans(), priceId, chosen)
    if (proration === 'next') throw unsupported('add what a change costs to the next charge')
    const [from, to] = [rhythmOf(raw.interval), rhythmOf(terms.rhythm)]
    if (to?.interval !== from?.interval || to?.interval_count !== from?.interval_count)
      throw unsupported('change how often a membership is paid')
    if (raw.status !== 'active')
      throw new MembershipError('ERR_ACTION_REFUSED', 'This membership has ended, or waits for its bank.', {
        reason: 'ended',
      })
    return terms
  }

  /** Returns the difference for the rest of the period; for a trial nothing was paid. */
  const dueFor = (
    raw: Subscription,
    { quantity, proration, prorationAt, subscription }: SwapRequest,
    terms: Terms,
  ): number => {
    const [end, before] = [nextCharge(raw), amountOf(raw.amount)]
    const start = end === null ? null : shifted(raw, end, -1)
    if (proration !== 'now' || start === null || end === null || subscription.status === 'trialing') return 0
    const more = terms.amount * quantity - (before.amount ?? 0)
    const [from, to, at] = [start, end, prorationAt ?? now().toISOString()].map((item) => Date.parse(item))
    const left = Math.min(1, Math.max(0, (to! - at!) / (to! - from!)))
    return Math.max(0, Math.round(more * left))
  }

  /**
   * Returns the id of the payment for this change: an earlier one whose change did not happen, or a new
   * charge.
   * @throws ERR_PAYMENT_DECLINED, ERR_ACTION_REFUSED
   */
  const paidChange = async (raw: Subscription, request: SwapRequest, due: number): Promise<string | null> => {
    const { subscription, priceId: price, quantity, chosen, idempotencyKey } = request
    const customer = parentOf(raw, 'customer') ?? ''
    const { currency } = amountOf(raw.amount)
    const sum = chosen ? `@${chosen.amount}` : ''
    const change = `${price} ${quantity}${sum} ${nextCharge(raw)?.slice(0, 10)}`
    const isOfIt = (raw: Payment) =>
      notesIn(raw).subscription === subscription.id && notesIn(raw).change === change
    const unused = newerThan(notesIn(raw).changedBy, await fetch.paymentsOf(customer)).find(
      (item) => isOfIt(item) && stateOf(item.status) === 'paid' && !isBack(item),
    )
    if (unused) return str(unused.id)
    await checkAnswersAtOnce(customer)
    const { raw: made } = await api.write<Payment>('a charge', {
      method: 'POST',
      path: address`/customers/${customer}/payments`,
      key: `${idempotencyKey}:charge`,
      body: {
        amount: toAmount(due, currency ?? ''),
        description: str(raw.description),
        sequenceType: 'recurring',
        ...(str(raw.webhookUrl) === null ? {} : { webhookUrl: raw.webhookUrl }),
        metadata: toNotes({ subscription: subscription.id, change, price, quantity }),
      },
    })
    if (stateOf(made.status) === 'paid') return str(made.id)
    throw new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
      action: 'Use another card, or ask the bank.',
    })
  }

  /**
   * Refuses direct debits: they take days and may be returned, and the dearer plan would be open meanwhile.
   */
  const checkAnswersAtOnce = async (customer: string): Promise<void> => {
    const path = address`/customers/${customer}/mandates`
    const { all } = await api.all(`mandates of ${customer}`, { path, name: 'mandates' })
    const [newest] = all.filter(({ status }) => status === 'valid')
    if (newest !== undefined && newest.method !== 'directdebit') return
    throw new MembershipError(
      'ERR_ACTION_REFUSED',
      'Your bank takes days to pay the difference: a change now is possible with a card or PayPal alone.',
      { reason: 'provider_refused', action: 'Cancel, and buy the other membership when this one has ended.' },
    )
  }

  return { swap, preview }
}

// Payments before the last change belong to earlier changes.
function newerThan(id: string | null, newestFirst: readonly Payment[]): readonly Payment[] {
  const at = newestFirst.findIndex((item) => item.id === id)
  return at < 0 ? newestFirst : newestFirst.slice(0, at)
}

function isBack(raw: Payment): boolean {
  return isChargedBack(raw) || (amountOf(raw.amountRefunded).amount ?? 0) > 0
}

function unsupported(what: string): MembershipError {
  return new MembershipError('ERR_PROVIDER_UNSUPPORTED', `The provider "mollie" cannot ${what} from here.`, {
    action: 'Cancel, and buy the other membership when this one has ended.',
  })
}
