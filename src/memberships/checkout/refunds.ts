import { ownPayment } from '../../core/access/index.ts'
import {
  currencyDigits,
  type DigitsOf,
  formatMoney,
  type Invoice,
  invoiceAddress,
  isPaid,
  moneyWriter,
  type Payment,
  type PaymentData,
  toPayment,
} from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { MoneyFact, ProviderReader } from '../../providers/contract.ts'
import type { HooksService } from '../hooks/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type Changes, offers, type RequestedBy } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { refused, unsupported } from './target.ts'

/** Identifies a payment as `user.payments()` shows it. */
export type PaymentKey = Pick<Payment, 'provider' | 'account' | 'id'>

/** The effect of a refund on the subscription of its payment. */
export type RefundEnd = 'now' | 'period_end' | 'no'

/** A refund of one payment. */
export interface RefundInput {
  readonly payment: PaymentKey
  /** Minor units. Default: all that is left. */
  readonly amount?: number
  /**
   * Names the request. Repeating it for the same payment refunds once, unless the provider rejected the refund. The same
   * key with another amount or end is an error. Without a key, an equal refund within a day is refused unless `again`.
   */
  readonly key?: string
  /** Gives the same amount back once more, although it was given back within a day. */
  readonly again?: boolean
  /**
   * The fate of the subscription that was paid: it ends `now`, ends at the `period_end`, or goes on. Default: `no`.
   * A refusal to end it stops the refund before money goes back.
   */
  readonly end?: RefundEnd
  /** The operator who asks for the refund. */
  readonly requestedBy?: RequestedBy
}

/** Cancels the subscription of a refund. */
export interface Ending {
  /** @throws what the cancellation itself would throw */
  check(target: EndTarget): Promise<unknown>
  cancel(target: EndTarget): Promise<unknown>
}
interface EndTarget {
  readonly user: User
  readonly subscriptionId: string
  readonly when: 'now' | 'period_end'
  readonly requestedBy: RequestedBy
}

/** Operators' actions on payments. No member's form leads here. */
export function createRefunds(deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  hooks: Pick<HooksService, 'before'>
  providers: ReadonlyMap<string, ProviderReader>
  findMember: (id: string) => Promise<User | null>
  ending: Ending
  digitsOf: DigitsOf
  now: () => Date
}) {
  const { storage, ledger, changes, hooks, providers, findMember } = deps
  const { statements } = ledger
  const mutex = createKeyedMutex()
  const running = new Map<string, Promise<Payment>>()

  /**
   * Refunds a payment, in part or all that is left. Returns the payment as it is afterwards.
   * @throws ERR_NOT_FOUND, ERR_USAGE, ERR_ACTION_REFUSED, ERR_IDEMPOTENCY_REUSED, ERR_REFUSED,
   *   ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER
   */
  const refund = (request: RefundInput): Promise<Payment> => {
    const place = JSON.stringify([request.payment.provider, request.payment.account, request.payment.id])
    const { key = null, amount = null, end = 'no', again = false } = request
    const same = JSON.stringify([place, key, amount, end, again])
    const known = running.get(same)
    if (known !== undefined) return known
    // Refunds of one payment run one after the other, so each sees what the previous one refunded.
    const begun = mutex.take([place], () => giveBackAndEnd(request)).finally(() => running.delete(same))
    running.set(same, begun)
    return begun
  }

  const giveBackAndEnd = async (asked: RefundInput): Promise<Payment> => {
    const ends = await endOf(asked)
    if (ends !== null) await deps.ending.check(ends)
    const payment = await giveBack(asked)
    if (ends === null) return payment
    try {
      await deps.ending.cancel(ends)
    } catch (cause) {
      if (!isMembershipError(cause)) throw cause
      throw new MembershipError(
        cause.code,
        `The payment is refunded, but the subscription ${ends.subscriptionId} still runs: ${cause.message}`,
        { action: 'Cancel the subscription by itself; do not refund again.', cause },
      )
    }
    return payment
  }

  /** Finds the running subscription that a refund ends; null where it goes on, or has ended already. */
  const endOf = async (asked: RefundInput): Promise<EndTarget | null> => {
    const { end = 'no', payment: key, requestedBy = { kind: 'operator', name: 'site code' } } = asked
    if (!ends.includes(end))
      throw new MembershipError('ERR_USAGE', `A refund has no end "${String(end)}".`, {
        action: `Name one of: ${ends.join(', ')}.`,
      })
    if (end === 'no') return null
    const { payment, ownerId } = await find(key)
    const user = await memberOf(key, ownerId)
    const subscription = user
      ?.subscriptions()
      .find(
        ({ id, provider, account }) =>
          id === payment.subscription_id && provider === key.provider && account === key.account,
      )
    if (user === null || subscription === undefined)
      throw new MembershipError('ERR_USAGE', 'This payment is of no subscription that a refund could end.', {
        action: 'Refund it without an end.',
      })
    return subscription.ended ? null : { user, subscriptionId: subscription.id, when: end, requestedBy }
  }

  const giveBack = async (asked: RefundInput): Promise<Payment> => {
    const { payment: key, requestedBy = { kind: 'operator', name: 'site code' } } = asked
    const { payment, whole, ownerId } = await find(key)
    const { provider, account } = key
    const found = providerAt(providers, provider, account)
    if (!offers(found, 'refund')) throw unsupported(found ?? { key: provider }, 'refund a payment')
    const known = await knownRequest(asked, payment)
    if (known === 'done') return payment
    const { amount } = known.wish
    const member = await memberOf(key, ownerId)
    await hooks.before('payment.refunded', { member, payment, amount })
    const request = {
      kind: 'refund' as const,
      provider,
      account,
      object: payment.id,
      memberId: member?.id ?? null,
      requestedBy,
      name: known.name,
      wish: JSON.stringify(known.wish),
      reason: 'money goes back',
    }
    await changes.perform(
      request,
      { payment: whole, amount },
      (fetched, noted) => {
        const origin = { provider, account, id: request.name, source: 'fetch' as const, at: fetched.at }
        return ledger.apply(fetched.changes, origin, noted)
      },
      refundedElsewhere,
    )
    return (await find(key)).payment
  }

  /**
   * Returns the stored request that this one repeats, or a new one. A request with a lost answer is repeated under its
   * name until its money is seen. `done`: the request with this key already refunded the money.
   * @throws ERR_IDEMPOTENCY_REUSED, ERR_ACTION_REFUSED, ERR_USAGE
   */
  const knownRequest = async (
    { payment: place, key: named, amount: asked, end = 'no', again = false }: RefundInput,
    payment: Payment,
  ): Promise<{ name: string; wish: RefundWish } | 'done'> => {
    const [key, wanted] = [named ?? null, asked ?? null]
    const requests = (await changes.requestsOf({ ...place, kind: 'refund' })).map((item) => ({
      ...item,
      wish: wishOf(item.wish),
    }))
    const amount = wanted ?? payment.amount - payment.amount_refunded
    const same = requests.filter(({ wish }) => wish.key === key && (key !== null || wish.amount === amount))
    const [last] = same
    const isOfLast = last !== undefined && (key !== null || !again)
    if (isOfLast && key !== null) requireSame(last.wish, { key, wanted, end })
    if (isOfLast && last.outcome === 'begun') {
      // The provider reported the refund although its answer was lost.
      const hasArrived = payment.amount_refunded >= (last.wish.of ?? 0) + last.wish.amount
      if (!hasArrived) return { name: last.id, wish: last.wish }
      await changes.settle(last.id)
      if (key !== null) return 'done'
    }
    if (isOfLast && last.outcome === 'done' && key !== null && !(await wasRejected(place, last.answer)))
      return 'done'
    const wish = {
      amount: checkedAmount(payment, wanted, deps.digitsOf),
      wanted,
      of: payment.amount_refunded,
      end,
      key,
    }
    if (key === null && !again) await askBack(place, payment, requests, wish.amount)
    const attempt = same.length === 0 ? '' : `:${same.length}`
    const request = key === null ? `${payment.amount_refunded}:amount:${wish.amount}` : `key:${key}`
    return { name: `refund:${payment.id}:${request}${attempt}`, wish }
  }

  /** @throws ERR_ACTION_REFUSED where the same amount was given back within a day */
  const askBack = async (
    place: PaymentKey,
    { currency }: Payment,
    requests: readonly { wish: RefundWish; outcome: string; answer: string | null; at: string }[],
    amount: number,
  ): Promise<void> => {
    const now = deps.now().getTime()
    for (const { wish, outcome, answer, at } of requests) {
      const minutes = Math.floor((now - Date.parse(at)) / 60_000)
      if (outcome === 'failed' || wish.amount !== amount || minutes >= 24 * 60) continue
      if (await wasRejected(place, answer)) continue
      const digits = currency === null ? undefined : deps.digitsOf(place.provider, currency)
      const sum =
        currency === null
          ? String(amount)
          : formatMoney({ amount, currency }, 'en', digits ?? currencyDigits(currency))
      throw refused(
        'repeated',
        `${sum} of this payment was given back ${ago(minutes)}: again?`,
        'To give the same amount back once more, use --again, or again: true in code.',
      )
    }
  }

  const wasRejected = async ({ provider, account }: PaymentKey, id: string | null): Promise<boolean> => {
    if (id === null) return false
    const [fact] = await storage.all(statements.fact, { provider, account, kind: 'refund', id })
    return fact !== undefined && isRejected(fact.data)
  }

  /**
   * Lists a member's invoices, newest first, across all of the member's customers.
   * @throws ERR_PROVIDER_UNSUPPORTED where a provider lists none, ERR_PROVIDER_ANSWER
   */
  const invoices = async ({
    user,
    provider: only,
  }: {
    user: User
    provider?: ProviderKey
  }): Promise<Invoice[]> => {
    const keys = only === undefined ? [...providers.keys()] : [only]
    const asked = keys.flatMap((key) =>
      user.customers(key).map(({ id, account }) => {
        const provider = providerAt(providers, key, account)
        if (!provider?.invoices) throw unsupported(provider ?? { key }, 'list the invoices of a customer')
        return { id, account, provider }
      }),
    )
    const bills: Invoice[] = []
    for (const { id, account, provider } of asked)
      for (const bill of await provider.invoices!(id)) {
        if (!(await isOwnBill(bill, account))) continue
        const url = invoiceAddress({ id: bill.id, invoice_url: bill.url })
        bills.push({ ...bill, url, account })
      }
    return bills.sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? 1 : -1))
  }

  /** True for a bill of this site. Where other shops share the account, it is one whose payment is accepted. */
  const isOwnBill = async (
    { provider, id, subscription_id }: Pick<Invoice, 'provider' | 'id' | 'subscription_id'>,
    account: string,
  ): Promise<boolean> => {
    if (ledger.shopOf(provider).accepts === 'everything') return true
    if (subscription_id !== null)
      return (
        (await storage.all(statements.subscription, { provider, account, id: subscription_id })).length > 0
      )
    for (const ref of [`bill:${id}`, `payment:${id}`, `collection:${id}`])
      for (const { payment_id } of await storage.all(statements.paymentOfRef, { provider, account, ref })) {
        const [row] = await storage.all(statements.payment, { provider, account, id: payment_id })
        if (row !== undefined && row.status !== 'waiting') return true
      }
    return false
  }

  const find = async ({ provider, account, id }: PaymentKey): Promise<FoundPayment> => {
    const [row] = await storage.all(statements.payment, { provider, account, id })
    // A payment known only by a refund or a dispute has a row but no data.
    const whole = row ? (JSON.parse(row.data) as PaymentData | null) : null
    if (row && whole) {
      const own = ownPayment(whole, ledger.shopOf(provider))
      return {
        // No more is given back than is left for sure, whosever part an earlier refund was.
        payment: toPayment({ ...own, amount_refunded: Math.min(own.amount, whole.amount_refunded) }),
        whole: toPayment(whole),
        ownerId: row.owner_id,
      }
    }
    throw new MembershipError('ERR_NOT_FOUND', `There is no payment "${id}" of ${provider}.`, {
      action: 'Hand over a payment of user.payments().',
    })
  }

  const memberOf = async ({ provider, account }: PaymentKey, ownerId: string): Promise<User | null> => {
    const [owner] = await storage.all(statements.customer, { provider, account, customer_id: ownerId })
    return owner?.member_id ? findMember(owner.member_id) : null
  }

  return { refund, invoices }
}

interface FoundPayment {
  /** This site's part of it, which is all that a refund gives back. */
  readonly payment: Payment
  /** As the provider charged it. */
  readonly whole: Payment
  readonly ownerId: string
}

/** A refund request as it is stored. */
interface RefundWish {
  /** Minor units, as sent to the provider. */
  readonly amount: number
  /** The amount of the request; null for all that was left. */
  readonly wanted: number | null
  /** The sum that was given back before. Null in requests of older versions. */
  readonly of: number | null
  readonly end: RefundEnd
  readonly key: string | null
}

function wishOf(stored: string | null): RefundWish {
  if (stored?.startsWith('{')) return JSON.parse(stored) as RefundWish
  // Older versions stored `amount:300` or `key:ticket 7`, the latter without its content.
  const [, kind, value = ''] = /^(amount|key):(.*)$/s.exec(stored ?? '') ?? []
  const amount = kind === 'amount' ? Number(value) : Number.NaN
  return { amount, wanted: null, of: null, end: 'no', key: kind === 'key' ? value : null }
}

/** @throws ERR_IDEMPOTENCY_REUSED */
function requireSame(
  was: RefundWish,
  { key, wanted, end }: { key: string; wanted: number | null; end: RefundEnd },
): void {
  if (Number.isNaN(was.amount) || ((was.wanted === wanted || was.amount === wanted) && was.end === end))
    return
  throw new MembershipError(
    'ERR_IDEMPOTENCY_REUSED',
    `The refund "${key}" of this payment was asked for with another amount or end.`,
    { action: 'Give another refund another key.' },
  )
}

function ago(minutes: number): string {
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [Math.floor(minutes / 60), 'hour']
  return count === 0 ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

const ends: readonly RefundEnd[] = ['now', 'period_end', 'no']

/** Used when another process made the refund while this one waited. Both share one database. */
async function refundedElsewhere(): Promise<void> {}

function isRejected(data: string): boolean {
  const { state } = JSON.parse(data) as Pick<MoneyFact, 'state'>
  return state === 'failed' || state === 'canceled'
}

/**
 * Returns the amount to refund in minor units.
 * @throws ERR_USAGE, ERR_ACTION_REFUSED
 */
function checkedAmount(payment: Payment, wanted: number | null, digitsOf: DigitsOf): number {
  if (payment.status === 'refunded') throw refused('already_refunded', 'This payment was given back already.')
  if (payment.status === 'disputed')
    throw refused(
      'disputed',
      'This payment is disputed: the bank decides about it.',
      'Answer the dispute at the provider.',
    )
  if (!isPaid(payment))
    throw refused('not_paid', 'This payment was never paid, so that nothing can be given back.')
  const left = payment.amount - payment.amount_refunded
  const amount = wanted ?? left
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new MembershipError(
      'ERR_USAGE',
      'The amount of a refund is a whole number of minor units above 0.',
      {
        action: 'Leave it out to give back all that is left.',
      },
    )
  const { currency, provider } = payment
  const shown = (minor: number) =>
    currency === null ? `${minor}` : moneyWriter(digitsOf)({ amount: minor, currency, provider })
  if (amount > left)
    throw refused(
      'amount_too_large',
      `Only ${shown(left)} of ${shown(payment.amount)} is left of this payment.`,
      'Give back less.',
    )
  return amount
}
