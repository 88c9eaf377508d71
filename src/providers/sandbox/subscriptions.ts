import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import {
  activeDiscount,
  addCoupon,
  addDiscount,
  addIntervals,
  cancellationAt,
  cancelSubscription,
  changeSubscription,
  expireChange,
  methodOf,
  noCancellation,
  planPause,
  releaseSchedule,
  reschedule,
  resumeSubscription,
  type Subscription,
  scheduleFrom,
  testCardOf,
  type World,
} from '../../fakes/engine/index.ts'
import type {
  Call,
  Changed,
  ChosenAmount,
  DiscountRequest,
  Fetched,
  PauseRequest,
  ScheduleRequest,
  SubscriptionCall,
  SwapRequest,
} from '../contract.ts'
import type { Book } from './book.ts'
import { type Asked, type Books, unknownObject } from './books.ts'
import { ownerOf } from './ids.ts'
import type { SandboxPrice } from './objects.ts'
import { toEnginePrice } from './prices.ts'
import { declined, inWords, refusal } from './refusals.ts'
import { changeFor, checkChange, endOf, previewOf, toSeconds } from './swaps.ts'

export interface SubscriptionDeps {
  readonly books: Books
  /** @throws ERR_CONFIG for a price that is not configured, or has no amount */
  readonly priceOf: (id: string, chosen?: ChosenAmount | null) => SandboxPrice
  /** Returns the object as ledger changes. */
  readonly fetched: (book: Book, id: string) => Fetched
  /** Returns the page that answers the bank's question about a subscription's open payment. */
  readonly payPage: (subscriptionId: string) => Promise<string | null>
}

/** Only the subscription's id is read; the sandbox has the rest. */
export type SandboxSwap = Omit<SwapRequest, 'subscription'> & WithId
type SandboxSchedule = Omit<ScheduleRequest, 'subscription' | 'at'> & WithId
interface WithId {
  readonly subscription: { readonly id: string }
}

/** Writes a chosen amount as text, because a call is compared by its plain values. */
function flat<T extends Call & { readonly chosen?: ChosenAmount | null }>({ chosen, ...request }: T) {
  return {
    ...request,
    chosen: chosen ? JSON.stringify(chosen) : null,
  }
}

export interface Subscriptions {
  swap(request: SandboxSwap): Promise<Changed>
  preview(request: SandboxSwap): Promise<Omit<InvoicePreview, 'changes_at'>>
  schedule(request: SandboxSchedule): Promise<Fetched>
  unschedule(request: SubscriptionCall): Promise<Fetched>
  cancel(request: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched>
  resume(request: SubscriptionCall): Promise<Fetched>
  pause(request: Omit<PauseRequest, 'from'>): Promise<Fetched>
  discount(request: DiscountRequest): Promise<Fetched>
}

/** Actions on a subscription by a member, or by the site. Each call is executed once per key. */
export function createSubscriptions({ books, priceOf, fetched, payPage }: SubscriptionDeps): Subscriptions {
  const once = (
    id: string,
    { idempotencyKey: key, ...request }: Call & Asked,
    run: (world: World, current: Subscription) => void,
  ): Promise<Fetched> =>
    inWords(() =>
      books.call({ key, what: { ...request, id }, owner: ownerOf(id) }, (book) => {
        run(book.world, subscriptionIn(book, id))
        return fetched(book, id)
      }),
    )

  const swap = async ({ subscription: { id }, ...request }: SandboxSwap): Promise<Changed> => {
    const answer = await once(id, { ...flat(request), do: 'swap' }, (world, current) => {
      const change = changeTo(world, current, request)
      if (current.pending !== null) expireChange(world, id)
      const asks = testCardOf(world.store.find('method', methodOf(world, current))?.number ?? '')?.asks
      // A declined card changes nothing, because the error leaves the book unsaved. The bank's question is
      // answered first. A failure set for the next renewal is not used up here.
      const { fails_next, ...before } = world.store.get('subscription', id)
      const after = changeSubscription(
        world,
        { ...before, fails_next: false },
        { ...change, unpaid: asks ? 'wait' : 'refuse' },
      )
      world.change('subscription', id, { fails_next })
      if (after.pending === null) dropPlan(world, id)
    })
    const isAsked = await books.look(ownerOf(id), (book) => subscriptionIn(book, id).pending !== null)
    return isAsked ? { ...answer, payUrl: await payPage(id) } : answer
  }

  const preview = ({
    subscription: { id },
    ...request
  }: SandboxSwap): Promise<Omit<InvoicePreview, 'changes_at'>> =>
    inWords(async () => {
      const seen = await books.look(ownerOf(id), (book) => {
        const current = subscriptionIn(book, id)
        return previewOf(book.world, current, changeTo(book.world, current, request))
      })
      if (seen === null) throw unknownObject('subscription', id)
      return seen
    })

  const changeTo = (world: World, current: Subscription, request: Omit<SandboxSwap, 'subscription'>) => {
    const price = priceOf(request.priceId, request.chosen)
    checkChange(current, price, request.quantity)
    return changeFor(world, current, request, price)
  }

  const schedule = ({ subscription: { id }, ...request }: SandboxSchedule): Promise<Fetched> =>
    once(id, { ...flat(request), do: 'schedule' }, (world, current) => {
      const sold = priceOf(request.priceId, request.chosen)
      checkChange(current, sold, request.quantity)
      const price = toEnginePrice(sold)
      if (current.cancel_at_period_end) throw refusal('the subscription ends before that')
      world.store.put(price)
      const plan = scheduleFrom(world, dropPlan(world, id))
      const [running] = plan.phases as [(typeof plan.phases)[0]]
      const items = [{ price: price.id, quantity: request.quantity }]
      const next = { ...running, start: running.end, end: addIntervals(running.end, price.rhythm!), items }
      reschedule(world, plan, { phases: [running, { ...next, trial_end: null }] })
    })

  const unschedule = (request: SubscriptionCall): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'unschedule' }, (world, { id }) => dropPlan(world, id))

  const cancel = (request: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'cancel' }, (world, { id, status }) => {
      if (status === 'canceled') return
      const current = dropPlan(world, id)
      // During a pause nothing is paid, so there is no period to wait for.
      if (request.when === 'now' || status === 'paused') cancelSubscription(world, current)
      else if (!current.cancel_at_period_end)
        world.change('subscription', id, { ...cancellationAt(world, current, null), ...noPause })
    })

  const resume = (request: SubscriptionCall): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'resume' }, (world, current) => {
      if (current.status === 'canceled') throw refusal('the subscription has ended')
      if (current.status !== 'paused')
        world.change('subscription', current.id, { ...noCancellation(current), ...noPause })
      // The error leaves the book unsaved, so the subscription stays paused.
      else if (resumeSubscription(world, current, 'now').status === 'paused') throw declined()
    })

  const pause = (request: Omit<PauseRequest, 'from'>): Promise<Fetched> =>
    once(request.subscriptionId, { ...request, do: 'pause' }, (world, current) => {
      if (current.status === 'canceled') throw refusal('the subscription has ended')
      if (current.status === 'past_due') throw refusal('a payment is open; it has to be paid first')
      if (current.status === 'paused') throw refusal('the subscription is paused already')
      if (current.cancel_at_period_end) throw refusal('the subscription ends already')
      const until = request.until === null ? null : toSeconds(request.until)
      if (until !== null && until <= endOf(current))
        throw refusal('a pause begins when what is paid has ended, and ends later')
      planPause(world, dropPlan(world, current.id), until)
    })

  // The note has the moment of the click, so it is no part of what is compared.
  const discount = ({
    metadata,
    subscriptionId,
    idempotencyKey,
    percentOff,
  }: DiscountRequest): Promise<Fetched> =>
    once(subscriptionId, { idempotencyKey, percentOff, do: 'discount' }, (world, current) => {
      if (Object.keys(metadata).every((key) => current.metadata[key] !== undefined)) return
      if (current.status !== 'active' || current.cancel_at_period_end)
        throw refusal('only a subscription that is paid and goes on can be reduced')
      if (activeDiscount(world, current.discounts, world.clock.seconds()) !== undefined)
        throw new MembershipError('ERR_ACTION_REFUSED', 'This membership has a discount already.', {
          reason: 'not_allowed',
          action: 'Nothing was changed.',
        })
      const coupon = addCoupon(world, { percent_off: percentOff })
      const { discounts } = addDiscount(world, current, { coupon, code: null })
      const noted = { discounts, metadata: { ...current.metadata, ...metadata } }
      world.change('subscription', current.id, noted, 'subscription changed')
    })

  return { swap, preview, schedule, unschedule, cancel, resume, pause, discount }
}

/** Finds the subscription in its buyer's book. @throws ERR_NOT_FOUND */
export function subscriptionIn({ world }: Book, id: string): Subscription {
  const found = world.store.find('subscription', id)
  if (found) return found
  throw unknownObject('subscription', id)
}

const noPause = { pause_at: null, resumes_at: null }

function dropPlan(world: World, id: string): Subscription {
  const { schedule } = world.store.get('subscription', id)
  if (schedule !== null) releaseSchedule(world, world.store.get('schedule', schedule))
  return world.store.get('subscription', id)
}
