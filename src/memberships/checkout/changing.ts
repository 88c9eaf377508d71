import { isReplaced } from '../../core/access/index.ts'
import type { ChangeConfig, Config, PlanConfig } from '../../core/config/index.ts'
import {
  type Cost,
  costFor,
  type DigitsOf,
  groupOf,
  type InvoicePreview,
  isDearer,
  isEnded,
  type Price,
  type Prospect,
  type Subscription,
  toCost,
  toSubscription,
} from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { ChosenAmount, Proration, ProviderReader, SwapRequest } from '../../providers/contract.ts'
import type { HooksService } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import { offers } from '../subscriptions/index.ts'
import { type AskedAmount, atChosenAmount, checkAmount, toChosen } from './chosen-amount.ts'
import { checkQuantity, chooseOffer, rivalsOf } from './offers.ts'
import type { PaidAccess } from './paid-access.ts'
import { nextAfter, prospectBase, requireShown } from './prospect.ts'
import type { ActionResult, Once } from './single-action.ts'
import { findTarget, refused, type Target, unsupported } from './target.ts'

export interface Wanted {
  readonly plan: string | null
  readonly price: string | null
  /** null keeps the current quantity. */
  readonly quantity: number | null
  readonly proration: Proration | null
  /** The new amount of a price whose amount members choose; null keeps the current one of the same price. */
  readonly amount?: AskedAmount
}

/** A change under the site's rules. A form chooses none of them. */
export type ChangePlan = {
  readonly priceId: string
  readonly quantity: number
  /** The amount of a price whose amount members choose; null for other prices. */
  readonly chosen?: ChosenAmount | null
  /** The cost of a whole period afterwards; null when it is unknown. */
  readonly cost: Cost | null
} & (
  | { readonly does: 'nothing' }
  /** Undoes the scheduled change. */
  | { readonly does: 'keep' }
  | { readonly does: 'now'; readonly proration: Proration }
  | { readonly does: 'later'; readonly at: string }
)

/**
 * Decides what a change does. A dearer price takes effect now, a cheaper one at the end of the paid period, unless
 * configured otherwise. Pure.
 * @throws ERR_PLAN_UNKNOWN, ERR_FORM, ERR_ACTION_REFUSED
 */
export function planChange(
  {
    user,
    subscription,
    wanted,
    requestedBy,
  }: Pick<ChangeInput, 'user' | 'requestedBy'> & { subscription: Subscription; wanted: Wanted },
  { plans, change, digitsOf }: { plans: readonly PlanConfig[]; change: ChangeConfig; digitsOf: DigitsOf },
): ChangePlan {
  refuseState(subscription)
  const current = findPrice(plans, subscription.price_id)
  const keeps = wanted.plan === null && wanted.price === null
  const listed = keeps ? current : wantedOffer(plans, wanted, current)
  if (!listed) throw refused('price_unknown', 'The price of this membership is not known.')
  const hasPrice = (id: string) => subscription.hasPrice(id)
  if (requestedBy?.kind !== 'operator' && isReplaced(listed.price.id, { hasPrice }, plans))
    throw refused(
      'price_unknown',
      'A raise replaced that price, and this membership pays the new one.',
      'Keep the price, or choose another plan.',
    )
  const offer = { ...listed, price: atOwnAmount(listed.price, { subscription, wanted, digitsOf }) }
  const [rival = null] = rivalsOf(user, offer.plan, plans)
  if (rival && rival.id !== subscription.id)
    throw refused('already_owned', 'You have that membership already.')

  const held = subscription.quantity ?? 1
  const quantity = wanted.quantity ?? held
  const priceId = offer.price.id
  const chosen = toChosen(offer.price)
  const isSame =
    subscription.hasPrice(priceId) &&
    quantity === held &&
    (chosen === null || chosen.amount === subscription.unit_amount)
  const base = {
    priceId,
    quantity,
    ...(chosen === null ? {} : { chosen }),
    cost: toCost(offer.price, quantity),
  }
  if (isSame) return { ...base, does: subscription.scheduled_change === null ? 'nothing' : 'keep' }
  checkQuantity(offer, quantity)
  const next = subscription.scheduled_change
  const isNextAmount = chosen === null || next?.unit_amount === chosen.amount
  if (next !== null && next.price_id === priceId && next.quantity === quantity && isNextAmount)
    return { ...base, does: 'nothing' }

  if (momentOf({ subscription, current, target: offer, quantity }, change) === 'now') {
    const asked = wanted.proration !== null && change.proration.includes(wanted.proration)
    return { ...base, does: 'now', proration: asked ? wanted.proration! : 'now' }
  }
  if (subscription.cancel_at_period_end || subscription.cancel_at !== null)
    throw refused(
      'already_canceled',
      'This membership ends before that change.',
      'Take the cancellation back first.',
    )
  const at = subscription.current_period_end ?? subscription.trial_ends_at
  if (at === null) throw refused('period_unknown', 'It is not known until when this membership is paid.')
  return { ...base, does: 'later', at }
}

// Another quantity, or a page that names no amount, keeps the amount of the member's own price.
function atOwnAmount(
  price: Price,
  { subscription: s, wanted, digitsOf }: { subscription: Subscription; wanted: Wanted; digitsOf: DigitsOf },
): Price {
  return price.choose !== undefined && wanted.amount == null && s.hasPrice(price.id) && s.unit_amount !== null
    ? { ...price, amount: s.unit_amount }
    : atChosenAmount(price, wanted, digitsOf)
}

function refuseState(s: Subscription): void {
  if (isEnded(s)) throw refused('ended', 'This membership has ended.', 'Buy it again from the prices.')
  if (s.past_due || s.status === 'unpaid' || s.status === 'incomplete')
    throw refused('payment_open', 'A payment is open; it has to be paid first.', 'Pay it from your account.')
  if (s.status === 'paused' || s.paused_at !== null) throw refusedInPause(s)
}

// No provider says what a change costs in days that a pause or a gift made free, and at which of its ends it counts.
function refusedInPause({ paused_at, resumes_at }: Subscription): MembershipError {
  const from = paused_at === null ? '' : ` from ${paused_at.slice(0, 10)}`
  const until = resumes_at === null ? '' : ` until ${resumes_at.slice(0, 10)}`
  const later = resumes_at === null ? '' : `, or change it after ${resumes_at.slice(0, 10)}`
  return new MembershipError('ERR_ACTION_REFUSED', `This membership is paused${from}${until}.`, {
    reason: 'paused',
    action: `Resume it in your account, then change it${later}.`,
    extensions: { resumes_at },
  })
}

type Offer = { plan: PlanConfig; price: Price }

// A member may keep a price that is no longer sold.
function wantedOffer(plans: readonly PlanConfig[], wanted: Wanted, current: Offer | null): Offer {
  const isOwn = current !== null && wanted.price === current.price.id
  return isOwn && (wanted.plan === null || wanted.plan === current.plan.id)
    ? current
    : chooseOffer(plans, { ...wanted, mode: 'subscription' })
}

function findPrice(plans: readonly PlanConfig[], id: string | null): Offer | null {
  for (const plan of plans) for (const price of plan.prices) if (price.id === id) return { plan, price }
  return null
}

interface Change {
  readonly subscription: Subscription
  readonly current: Offer | null
  readonly target: Offer
  readonly quantity: number
}

function momentOf(change: Change, { upgrade, downgrade }: ChangeConfig): 'now' | 'period_end' {
  // Nothing was paid yet. If the target price includes a trial, the change takes effect now; otherwise it starts when
  // it is paid.
  if (change.subscription.on_trial) return keepsTrial(change) ? 'now' : 'period_end'
  const { from, to } = costsOf(change)
  // An unknown price is treated as dearer, so that it opens only when it is paid.
  return from === null || to === null || isDearer(to, from) ? upgrade : downgrade
}

const dayMs = 86_400_000

// Only within the plan's own group. The member may have had the other group's trial already.
function keepsTrial({ subscription: s, current, target: { plan, price } }: Change): boolean {
  if (plan.trial === 'never' || current === null || groupOf(plan) !== groupOf(current.plan)) return false
  if (s.trial_ends_at === null || s.started_at === null) return false
  const days = (Date.parse(s.trial_ends_at) - Date.parse(s.started_at)) / dayMs
  return (price.trial_days ?? 0) >= Math.floor(days)
}

function costsOf({ subscription: s, current, target, quantity }: Change) {
  const to = toCost(target.price, quantity)
  const held = s.quantity ?? 1
  const paid = toCost({ ...s, amount: s.unit_amount }, held)
  if (to === null || paid === null || paid.currency === to.currency) return { from: paid, to }
  // A price may be sold in several currencies. Both prices are then compared in a currency that both list.
  const listed = current ? toCost(current.price, held) : null
  if (listed?.currency === to.currency) return { from: listed, to }
  throw refused(
    'currency_differs',
    `That is sold in ${to.currency}, and this membership is paid in ${paid.currency}: it is a new purchase.`,
    'Cancel this one, and buy the other when it has ended.',
  )
}

/**
 * Previews a change from its plan and the provider's preview, which is null where the provider offers none. Pure.
 * @throws ERR_ACTION_REFUSED where nothing would change
 */
export function prospectOfChange(
  { subscription: s, plan }: { subscription: Subscription; plan: ChangePlan },
  preview: InvoicePreview | null,
  now: Date,
): Prospect {
  if (plan.does === 'nothing') throw refused('unchanged', 'You have that already.', 'See your account.')
  const cost = costFor(preview?.currency ?? s.currency, plan.cost)
  const amount = cost?.amount ?? null
  const base = {
    ...prospectBase(s),
    to: { price_id: plan.priceId, quantity: plan.quantity, cost },
    currency: preview?.currency ?? s.currency ?? cost?.currency ?? null,
  }
  if (plan.does === 'keep') return { ...base, action: 'keep', next_payment: { at: paidUntil(s), amount } }
  const later = plan.does === 'later' ? plan.at : (preview?.changes_at ?? null)
  if (later !== null)
    return { ...base, action: 'change', at: later, next_payment: { at: later, amount }, access_until: later }
  const credit = Math.max(0, -(preview?.total ?? 0))
  return {
    ...base,
    action: 'change',
    amount_due: preview?.amount_due ?? null,
    credit,
    lines: preview?.lines ?? [],
    next_payment: stops(s)
      ? null
      : { at: nextOf(s, plan, now), amount: nextAmount({ amount, credit, known: preview !== null, plan }) },
    proration_at: preview?.proration_at ?? null,
  }
}

function stops(s: Subscription): boolean {
  return s.cancel_at_period_end || s.cancel_at !== null
}
function paidUntil(s: Subscription): string | null {
  return s.current_period_end ?? s.trial_ends_at
}

// Another billing interval begins a new period. The same interval continues the current one.
function nextOf(s: Subscription, { cost }: ChangePlan, now: Date): string | null {
  if (s.on_trial) return s.trial_ends_at
  const isSame =
    cost !== null && cost.interval === s.interval && cost.interval_count === (s.interval_count ?? 1)
  return isSame ? paidUntil(s) : nextAfter(now, cost)
}

// An amount settled with the next bill, or unknown now, is left to the provider.
function nextAmount({
  amount,
  credit,
  known,
  plan,
}: {
  amount: number | null
  credit: number
  known: boolean
  plan: ChangePlan
}): number | null {
  if (amount === null || !known || (plan.does === 'now' && plan.proration === 'next')) return null
  return Math.max(0, amount - credit)
}

export interface ChangingDeps {
  readonly once: Once
  readonly paidAccess: PaidAccess
  readonly hooks: Pick<HooksService, 'before' | 'asks'>
  readonly config: Pick<Config, 'providers'>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly plans: (provider: string) => readonly PlanConfig[]
  /** Reads the provider's prices. */
  readonly learnPrices: (provider: string) => Promise<unknown>
  readonly digitsOf: DigitsOf
  readonly now: () => Date
  readonly randomId: () => string
}

/** A requested change of a subscription. `prorationAt` is the moment of the preview that was shown. */
export interface ChangeInput extends Target, Wanted {
  readonly prorationAt: string | null
  /** The digest of the preview that the member saw. Without it nothing is compared. */
  readonly shown?: string | null
}

/** Changes of price and quantity. The site decides what a change costs and when it takes effect, never the form. */
export function createChanging(deps: ChangingDeps) {
  const { once, paidAccess, hooks, providers, now, randomId } = deps

  /**
   * Changes the price or quantity now or later, or undoes a scheduled change.
   * @throws ERR_NOT_FOUND, ERR_PLAN_UNKNOWN, ERR_FORM, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED,
   * ERR_PAYMENT_DECLINED, ERR_PROVIDER_ANSWER, and ERR_SHOWN_CHANGED where the preview no longer holds
   */
  const change = async (input: ChangeInput): Promise<ActionResult> => {
    const found = await find(input)
    const { subscription, provider, plan } = found
    if (plan.does === 'nothing') return { subscription }
    checkCan(provider, subscription, plan)
    if (input.shown != null) requireShown(await prospectOf(found, input), input.shown)
    if (hooks.asks('subscription.changed')) {
      const at = plan.does === 'later' ? plan.at : now().toISOString()
      await hooks.before('subscription.changed', {
        member: input.user,
        subscription,
        price_id: plan.priceId,
        quantity: plan.quantity,
        ...(await chargeOf(found, input)),
        at,
      })
    }
    return make(found, input)
  }

  /**
   * Returns the cost of a change without making it.
   * @throws as `change`
   */
  const preview = async (input: ChangeInput): Promise<InvoicePreview> => {
    const found = await find(input)
    checkCan(found.provider, found.subscription, found.plan)
    return previewOf(found, input)
  }

  /**
   * Previews a change as the member sees it.
   * @throws as `change`
   */
  const describe = async (input: ChangeInput): Promise<Prospect> => {
    const found = await find(input)
    checkCan(found.provider, found.subscription, found.plan)
    return prospectOf(found, input)
  }

  const prospectOf = async (found: Found, input: ChangeInput): Promise<Prospect> => {
    const asksProvider = found.plan.does === 'now' && found.provider.preview !== undefined
    return prospectOfChange(found, asksProvider ? await previewOf(found, input) : null, now())
  }

  const make = ({ subscription, provider, plan }: Found, input: ChangeInput): Promise<ActionResult> => {
    const { priceId, quantity, does } = plan
    const action = { mode: 'change' as const, price_id: priceId, quantity }
    const { user, requestedBy } = input
    if (does === 'keep') {
      const args = { subscriptionId: subscription.id }
      const asked = { kind: 'unschedule' as const, args, requestedBy }
      return once.perform(user, subscription, { ...action, request: { does } }, asked)
    }
    if (does === 'later' && offers(provider, 'schedule')) {
      const args = { subscription, priceId, quantity, ...chosenOf(plan), at: plan.at }
      const asked = { kind: 'schedule' as const, args, requestedBy }
      return once.perform(user, subscription, { ...action, request: plan }, asked)
    }
    const request = swapOf(subscription, plan, input)
    return once.perform(
      user,
      subscription,
      { ...action, request },
      { kind: 'swap', args: request, requestedBy },
      // A provider without schedules changes the price at once and unbilled. The paid price stays open until its period
      // ends.
      does === 'later'
        ? { before: paidAccess.keep(input.user, subscription, plan.at) }
        : { after: paidAccess.end(input.user, subscription) },
    )
  }

  /** The charge when the change takes effect, if it is known beforehand. */
  const chargeOf = async (found: Found, input: ChangeInput) => {
    const { provider, subscription, plan } = found
    const cost = costFor(subscription.currency, plan.cost)
    const currency = cost?.currency ?? subscription.currency
    if (plan.does === 'later') return { amount_due: cost?.amount ?? null, currency }
    if (plan.does === 'now' && !provider.preview) return { amount_due: null, currency }
    const { amount_due, ...preview } = await previewOf(found, input)
    return { amount_due, currency: preview.currency }
  }

  const previewOf = async (found: Found, input: ChangeInput): Promise<InvoicePreview> => {
    const { subscription, provider, plan } = found
    if (plan.does === 'now') {
      if (!provider.preview) throw unsupported(provider, 'tell what a change costs')
      const request = swapOf(subscription, plan, input)
      return { changes_at: null, ...(await provider.preview({ ...request, idempotencyKey: randomId() })) }
    }
    const at = plan.does === 'later' ? plan.at : null
    const cost = costFor(subscription.currency, plan.cost)
    const lines = cost === null ? [] : [{ text: titleOf(plan), amount: cost.amount, price_id: plan.priceId }]
    return {
      provider: provider.key,
      subscription_id: subscription.id,
      currency: cost?.currency ?? subscription.currency ?? 'EUR',
      amount_due: 0,
      total: at === null ? 0 : (cost?.amount ?? 0),
      lines: at === null ? [] : lines,
      next_payment_at: subscription.cancel_at_period_end ? null : subscription.current_period_end,
      changes_at: at,
      proration_at: now().toISOString(),
    }
  }

  const titleOf = ({ priceId, quantity }: ChangePlan): string => {
    const plan = [...providers.keys()]
      .flatMap((key) => deps.plans(key))
      .find(({ prices }) => prices.some(({ id }) => id === priceId))
    return `${quantity === 1 ? '' : `${quantity} × `}${plan?.name ?? priceId}`
  }

  const find = async (input: ChangeInput) => {
    const { subscription: found, provider } = findTarget(providers, input)
    const subscription = asListed(found, deps.plans(provider.key))
    const { user, requestedBy } = input
    const planned = await planWith(provider, { user, requestedBy, subscription, wanted: input })
    const wantedPrice = findPrice(deps.plans(provider.key), planned.priceId)
    if (wantedPrice && planned.does !== 'nothing' && planned.does !== 'keep')
      checkAmount(provider, wantedPrice.price, 'change')
    const plan = offers(provider, 'schedule') ? planned : withPaid(planned, input.user, subscription)
    return { subscription, provider, plan }
  }
  type Found = Awaited<ReturnType<typeof find>>

  // Deciding which price is dearer needs amounts. A configuration need not have them, and the start does not wait for
  // them.
  const planWith = async (
    provider: ProviderReader,
    asked: Parameters<typeof planChange>[0],
  ): Promise<ChangePlan> => {
    const { key } = provider
    const { digitsOf } = deps
    const plan = () =>
      planChange(asked, { plans: deps.plans(key), change: changeOf(deps.config, key), digitsOf })
    const first = plan()
    if (first.cost !== null || !provider.prices) return first
    await deps.learnPrices(key)
    return plan()
  }

  // Returning to the paid price is not billed again, because the cheaper price was set without billing. Any other
  // change would be prorated from the cheaper price, which nobody has paid yet.
  const withPaid = (plan: ChangePlan, user: User, s: Subscription): ChangePlan => {
    const paid = paidAccess.paidFor(user, s)
    if (plan.does !== 'now' || paid.length === 0) return plan
    const isBack = paid.includes(plan.priceId) && plan.quantity === (s.quantity ?? 1)
    if (isBack) return { ...plan, proration: 'none' }
    throw refused(
      'change_scheduled',
      'Another plan is agreed on for the end of the period.',
      'Take that change back first.',
    )
  }

  const swapOf = (subscription: Subscription, plan: ChangePlan, input: ChangeInput): SwapTerms => ({
    subscription,
    priceId: plan.priceId,
    quantity: plan.quantity,
    ...chosenOf(plan),
    proration: plan.does === 'now' ? plan.proration : 'none',
    prorationAt: checkedMoment(input.prorationAt, now()),
  })

  return { change, preview, look: describe }
}

// Some providers' subscriptions state neither amount nor interval. The listed price fills them in.
function asListed(s: Subscription, plans: readonly PlanConfig[]): Subscription {
  const listed = plans.flatMap(({ prices }) => prices).find(({ id }) => id === s.price_id)
  const isOther = s.currency !== null && listed?.currency !== s.currency
  if (s.unit_amount !== null || listed === undefined || isOther) return s
  const { amount: unit_amount, currency, interval, interval_count } = listed
  return toSubscription({ ...s, unit_amount, currency, interval, interval_count })
}

function chosenOf({ chosen }: ChangePlan) {
  return chosen == null ? {} : { chosen }
}

type SwapTerms = Omit<SwapRequest, 'idempotencyKey'>

function changeOf(config: Pick<Config, 'providers'>, key: string) {
  return (
    config.providers[key]?.change ?? {
      upgrade: 'now' as const,
      downgrade: 'period_end' as const,
      proration: [] as Proration[],
    }
  )
}

function checkCan(provider: ProviderReader, subscription: Subscription, plan: ChangePlan): void {
  if (!offers(provider, 'swap')) throw unsupported(provider, 'change a subscription')
  if (plan.does === 'keep' && !offers(provider, 'unschedule'))
    throw unsupported(provider, 'take back a change')
  if (plan.quantity !== (subscription.quantity ?? 1) && provider.capabilities?.quantity === false)
    throw unsupported(provider, 'change a quantity')
  // Another interval begins a new period, which is billed when it begins.
  const isSameRhythm =
    plan.cost === null ||
    (plan.cost.interval === subscription.interval &&
      plan.cost.interval_count === (subscription.interval_count ?? 1))
  if (plan.does !== 'later' || offers(provider, 'schedule')) return
  if (!isSameRhythm)
    throw unsupported(provider, 'change how often a membership is paid before its period ends')
  // Paid access keeps a price open, not a quantity. A lower quantity would be lost, and charged again.
  if (plan.quantity !== (subscription.quantity ?? 1))
    throw unsupported(provider, 'lower a quantity before its period ends')
}

// The member controls the form's value. An old moment would refund days that were used long ago.
const previewSeconds = 3600

function checkedMoment(given: string | null, now: Date): string | null {
  if (given === null) return null
  const age = now.getTime() - Date.parse(given)
  if (age >= -clockSkewMs && age <= previewSeconds * 1000) return given
  throw refused('preview_expired', 'This preview is too old.', 'Look at what the change costs again.')
}
