import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type {
  Call,
  Fetched,
  PauseRequest,
  ScheduleRequest,
  SubscriptionCall,
  SwapRequest,
} from '../contract.ts'
import type { Asked, Books, Desk } from './books.ts'
import { charge, withCredit } from './charges.ts'
import type { SandboxPrice, SandboxSubscription } from './objects.ts'
import { planSwap, type SwapPlan, totalOf } from './proration.ts'
import { endNow, goOn } from './renewals.ts'

export interface SubscriptionDeps {
  readonly books: Books
  readonly now: () => Date
  /** @throws ERR_CONFIG for a price that is not configured, or has no amount */
  readonly priceOf: (id: string) => SandboxPrice
  /** The object as the ledger takes it. */
  readonly fetched: (subscription: SandboxSubscription) => Fetched
}

/** Of the subscription only its id counts: the sandbox knows the rest better. */
export type SandboxSwap = Omit<SwapRequest, 'subscription'> & WithId
type SandboxSchedule = Omit<ScheduleRequest, 'subscription' | 'at'> & WithId
interface WithId {
  readonly subscription: { readonly id: string }
}

/** What a member, or the site for them, can do to a subscription. Each call is done once for its key. */
export const createSubscriptions = ({ books, now, priceOf, fetched }: SubscriptionDeps) => {
  const once = async (
    id: string,
    { idempotencyKey: key, ...request }: Call & Asked,
    run: (desk: Desk, current: SandboxSubscription, at: string) => Promise<SandboxSubscription>,
  ): Promise<Fetched> => {
    const { customer } = await books.get('subscription', id)
    return books.call({ key, what: { ...request, id }, owners: [customer] }, async (desk) =>
      fetched(await run(desk, await desk.get('subscription', id), now().toISOString())),
    )
  }

  const swap = ({ subscription: { id }, ...request }: SandboxSwap): Promise<Fetched> =>
    once(id, { ...request, do: 'swap' }, async (desk, current, at) => {
      const plan = plannedSwap(current, request, at)
      if (plan.subscription === current) return current
      if (plan.isDueNow) await settle(desk, plan, at)
      return desk.write('subscription', plan.subscription, { type: 'subscription.updated', at })
    })

  // A declined card changes nothing: the error leaves the desk unwritten.
  const settle = async (desk: Desk, { subscription, lines }: SwapPlan, at: string): Promise<void> => {
    const customer = await desk.get('customer', subscription.customer)
    const amount = totalOf(lines)
    const { toPay } = withCredit(customer, subscription.price.currency, amount)
    if (toPay > 0 && customer.card === 'fails') throw declined()
    // The revision before the change: every change is a bill of its own.
    await charge(desk, { subscription, about: `swap ${subscription.updated}`, amount, at, fails: false })
  }

  const preview = async ({
    subscription: { id },
    ...request
  }: SandboxSwap): Promise<Omit<InvoicePreview, 'changes_at'>> => {
    const current = await books.get('subscription', id)
    const customer = await books.get('customer', current.customer)
    const at = now().toISOString()
    const { subscription, lines, isDueNow } = plannedSwap(current, request, at)
    const total = totalOf(lines)
    const { currency } = subscription.price
    return {
      provider: 'sandbox',
      subscription_id: id,
      currency,
      amount_due: isDueNow ? withCredit(customer, currency, total).toPay : 0,
      total,
      lines: [...lines],
      next_payment_at: subscription.cancel_at_period_end ? null : subscription.period_end,
      proration_at: countedFrom(current, request.prorationAt, at),
    }
  }

  const plannedSwap = (
    current: SandboxSubscription,
    request: Omit<SandboxSwap, 'subscription'>,
    at: string,
  ): SwapPlan => {
    const { quantity, proration } = request
    const price = checkedPrice(current, request)
    const from = countedFrom(current, request.prorationAt, at)
    return planSwap(current.scheduled === null ? current : { ...current, scheduled: null }, {
      price,
      quantity,
      proration,
      at,
      from,
    })
  }

  /** The price of a change that can be. @throws ERR_PROVIDER_ANSWER */
  const checkedPrice = (
    current: SandboxSubscription,
    { priceId, quantity }: { priceId: string; quantity: number },
  ): SandboxPrice => {
    const price = priceOf(priceId)
    if (!Number.isInteger(quantity) || quantity < 1) throw refusal('a quantity is a whole number from 1')
    if (current.status === 'past_due') throw refusal('a payment is open; it has to be paid first')
    if (current.paused !== null) throw refusal('the subscription is paused; it has to be resumed first')
    if (current.status === 'canceled') throw refusal('the subscription has ended')
    if (price.interval === null) throw refusal(`"${price.id}" is paid once and cannot be subscribed to`)
    if (price.currency !== current.price.currency)
      throw refusal(`"${price.id}" is in ${price.currency}, the subscription in ${current.price.currency}`)
    return price
  }

  const schedule = ({ subscription: { id }, ...request }: SandboxSchedule): Promise<Fetched> =>
    once(id, { ...request, do: 'schedule' }, async (desk, current, at) => {
      const price = checkedPrice(current, request)
      if (current.cancel_at_period_end) throw refusal('the subscription ends before that')
      const scheduled = { price, quantity: request.quantity }
      return desk.write('subscription', { ...current, scheduled }, { type: 'subscription.updated', at })
    })

  const unschedule = (request: SubscriptionCall): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'unschedule' }, async (desk, current, at) => {
      if (current.scheduled === null) return current
      return desk.write('subscription', { ...current, scheduled: null }, { type: 'subscription.updated', at })
    })

  const cancel = (request: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'cancel' }, async (desk, current, at) => {
      if (current.status === 'canceled') return current
      // In a pause nothing is paid, so that there is nothing to wait for.
      const isOver = current.status === 'paused' && current.period_end <= at
      if (request.when === 'now' || isOver) return endNow(desk, current, at)
      if (current.cancel_at_period_end) return current
      const planned = current.status === 'paused' ? {} : { paused: null, resumes: null }
      const leaving = { ...current, ...planned, scheduled: null, cancel_at_period_end: true, canceled: at }
      return desk.write('subscription', leaving, { type: 'subscription.updated', at })
    })

  const resume = (request: SubscriptionCall): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'resume' }, async (desk, current, at) => {
      if (current.status === 'canceled') throw refusal('the subscription has ended')
      if (current.paused === null && !current.cancel_at_period_end) return current
      const staying = { ...current, cancel_at_period_end: false, canceled: null }
      if (current.status !== 'paused')
        return desk.write(
          'subscription',
          { ...staying, paused: null, resumes: null },
          { type: 'subscription.updated', at },
        )
      const { card } = await desk.get('customer', current.customer)
      // Nothing is written when it throws: it is paused still.
      if (card === 'fails' || current.fail_next) throw declined()
      return goOn(desk, staying, at)
    })

  const pause = (request: Omit<PauseRequest, 'from'>): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'pause' }, async (desk, current, at) => {
      if (current.status === 'canceled') throw refusal('the subscription has ended')
      if (current.status === 'past_due') throw refusal('a payment is open; it has to be paid first')
      if (current.status === 'paused') throw refusal('the subscription is paused already')
      if (current.cancel_at_period_end) throw refusal('the subscription ends already')
      const resumes = request.until === null ? null : new Date(request.until).toISOString()
      if (resumes !== null && resumes <= current.period_end)
        throw refusal('a pause begins when what is paid has ended, and ends later')
      const paused = { ...current, scheduled: null, paused: current.period_end, resumes }
      return desk.write('subscription', paused, { type: 'subscription.updated', at })
    })

  return { swap, preview, schedule, unschedule, cancel, resume, pause }
}
export type Subscriptions = ReturnType<typeof createSubscriptions>

const previewHoldsMs = 3_600_000

// A preview's amounts hold for an hour. Sites pass the moment through a form: one further back would let its sender
// have the whole period's price back on its last day.
const countedFrom = (current: SandboxSubscription, wanted: string | null, at: string): string => {
  const from = wanted === null ? at : new Date(wanted).toISOString()
  const earliest = new Date(Date.parse(at) - previewHoldsMs).toISOString()
  return from >= current.period_start && from >= earliest && from <= at ? from : at
}

const declined = (): MembershipError =>
  new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
    action: 'Use another card.',
  })

const refusal = (why: string): MembershipError =>
  new MembershipError('ERR_PROVIDER_ANSWER', `The sandbox refused: ${why}.`, {
    action: 'See the subscription in the account.',
  })
