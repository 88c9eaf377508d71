import { type Config, type PlanConfig, sellersOf } from '../../core/config/index.ts'
import {
  boughtTwice,
  type DigitsOf,
  isEnded,
  type Prospect,
  paidUntil,
  type Subscription,
  toSubscription,
} from '../../core/dto/index.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { HooksService } from '../hooks/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { isOf, type User } from '../members/index.ts'
import { type Changes, offers } from '../subscriptions/index.ts'
import type { DiscountsHad } from '../trials/index.ts'
import { providerAt } from '../verification/index.ts'
import { type ChangeInput, createChanging } from './changing.ts'
import { createDiscounting, type DiscountInput } from './discounting.ts'
import { createLeavingReasons } from './leaving-reasons.ts'
import type { MissingCustomers } from './missing-customers.ts'
import { createPaidAccess } from './paid-access.ts'
import { createPausing, type PauseInput } from './pausing.ts'
import { prospectOfCancel, prospectOfResume, requireShown, shownOf } from './prospect.ts'
import { pageAt } from './provider-page.ts'
import { createRefunds } from './refunds.ts'
import type { BeginCheckout } from './request.ts'
import { type ActionResult, createSingleAction } from './single-action.ts'
import { findTarget, refused, type Target, unsupported } from './target.ts'

export interface ActionDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly changes: Changes
  readonly hooks: Pick<HooksService, 'before' | 'asks'>
  readonly config: Config
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly plans: (provider: string) => readonly PlanConfig[]
  /** Reads the provider's prices. */
  readonly learnPrices: (provider: string) => Promise<unknown>
  readonly forLiving: MissingCustomers['forLiving']
  readonly findMember: (id: string) => Promise<User | null>
  readonly digitsOf: DigitsOf
  readonly discountsHad: DiscountsHad
  /** Steps of gifts that follow a resumption, written with it. */
  readonly resuming: (user: User, subscription: Subscription) => Promise<readonly Step[]>
  readonly now: () => Date
  readonly randomId: () => string
}

/**
 * The actions of members on their subscriptions. Each runs once, however often it is clicked. `refund` and `invoices`
 * are for operators' code; no route leads to them.
 */
export function createActions(deps: ActionDeps) {
  const { hooks, config, providers, forLiving, randomId, now } = deps
  const once = createSingleAction(deps)
  const { perform } = once
  const paidAccess = createPaidAccess(deps)
  const leaving = createLeavingReasons(deps.storage)
  const { change, preview, look: describeChange } = createChanging({ ...deps, once, paidAccess })
  const { pause, look: describePause } = createPausing({ ...deps, once })
  const { discount, look: describeDiscount } = createDiscounting({ ...deps, once })
  const { refund, invoices } = createRefunds({
    ...deps,
    ending: { check: (target) => describeCancel(target), cancel: (target) => cancel(target) },
  })

  /**
   * Cancels a subscription, now or at the end of the paid period.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER,
   * ERR_SHOWN_CHANGED
   */
  const cancel = async (target: CancelInput): Promise<ActionResult> => {
    const { subscription, prospect } = decideCancel(target)
    const { when, user, requestedBy, reason } = target
    if (when === 'period_end' && subscription.cancel_at_period_end) return { subscription }
    requireShown(prospect, target.shown)
    await hooks.before('subscription.canceled', { member: user, subscription, when })
    return perform(
      user,
      subscription,
      { mode: 'cancel', request: { when } },
      { kind: 'cancel', args: { subscriptionId: subscription.id, when }, requestedBy },
      {
        before:
          reason === undefined
            ? []
            : [leaving.count({ plan: planOf(subscription), reason, at: now().toISOString() })],
        after: when === 'now' ? paidAccess.end(user, subscription) : [],
      },
    )
  }

  const planOf = ({ provider, price_id }: Subscription): string =>
    deps.plans(provider).find(({ prices }) => prices.some(({ id }) => id === price_id))?.id ?? ''

  /**
   * Previews a cancellation.
   * @throws as `cancel`
   */
  const describeCancel = async (target: CancelInput): Promise<Prospect> => decideCancel(target).prospect

  const decideCancel = (target: CancelInput) => {
    const { subscription, provider } = find(target)
    const { when, user } = target
    if (!offers(provider, 'cancel')) throw unsupported(provider, 'cancel a subscription')
    if (isEnded(subscription)) throw refused('ended', 'This membership has ended already.')
    return {
      subscription,
      prospect: prospectOfCancel(subscription, when, openUntil(user, subscription)),
    }
  }

  /**
   * Undoes a cancellation, or ends a pause. The provider is asked whatever our state says, because a pause in its
   * portal may be newer.
   * @throws as `cancel`, and ERR_PAYMENT_DECLINED where continuing must be paid
   */
  const resume = async (target: ShownTarget): Promise<ActionResult> => {
    const { subscription, prospect } = decideResume(target)
    requireShown(prospect, target.shown)
    await hooks.before('subscription.renewed', { member: target.user, subscription })
    const { user, requestedBy } = target
    const args = { subscriptionId: subscription.id }
    const after = await deps.resuming(user, subscription)
    return perform(
      user,
      subscription,
      { mode: 'resume', request: {} },
      { kind: 'resume', args, requestedBy },
      { after },
    )
  }

  /**
   * Previews a resumption.
   * @throws as `resume`
   */
  const describeResume = async (target: ShownTarget): Promise<Prospect> => decideResume(target).prospect

  const decideResume = (target: Target) => {
    const { subscription, provider } = find(target)
    if (!offers(provider, 'resume')) throw unsupported(provider, 'resume a subscription')
    if (isEnded(subscription))
      throw refused('ended', 'This membership has ended.', 'Buy it again from the prices.')
    if (endsBeside(target.user, subscription))
      throw refused(
        'already_owned',
        'You have bought this again already, and that one goes on.',
        'See your account.',
      )
    return { subscription, prospect: prospectOfResume(subscription, deps.now()) }
  }

  /** True if the member already bought a replacement. Undoing the end would then charge twice. */
  const endsBeside = (user: User, subscription: Subscription): boolean => {
    if (!subscription.cancel_at_period_end && subscription.cancel_at === null) return false
    const plans = [...providers.keys()].flatMap((key) => deps.plans(key))
    const others = user.subscriptions().filter((s) => s !== subscription)
    const goesOn = toSubscription({ ...subscription, cancel_at_period_end: false, cancel_at: null })
    return boughtTwice([goesOn, ...others], plans).includes(goesOn)
  }

  /**
   * Continues a membership: undoes a scheduled end, opens the provider's page for an open invoice, or buys an ended
   * membership again.
   * @throws as `cancel`
   */
  const renew = async (
    target: ShownTarget,
  ): Promise<{ done: ActionResult } | { payUrl: string } | { buy: BoughtAgain }> => {
    const { subscription, provider } = find(target)
    if (isEnded(subscription)) return { buy: again(subscription) }
    if (subscription.past_due || subscription.status === 'unpaid') {
      if (!provider.payUrl) throw unsupported(provider, 'open a page for an unpaid invoice')
      const payUrl = await provider.payUrl(subscription.id)
      if (payUrl) {
        await deps.ledger.notePayPage(subscription)
        return { payUrl: pageAt(provider, payUrl) }
      }
      throw refused(
        'nothing_unpaid',
        'There is no open invoice.',
        'It was paid just now, or look in the portal.',
      )
    }
    return { done: await resume(target) }
  }

  /**
   * Chooses the same price where its provider still sells, else the plan of the same name at the provider for new
   * checkouts.
   */
  const again = ({ provider: key, price_id: price, quantity, unit_amount }: Subscription): BoughtAgain => {
    if (price === null) throw refused('price_unknown', 'The price of this membership is not known any more.')
    const plan = deps.plans(key).find(({ prices }) => prices.some(({ id }) => id === price))
    const isChosen = plan?.prices.some(({ id, choose }) => id === price && choose !== undefined)
    const terms = { quantity: quantity ?? 1, amount: isChosen ? unit_amount : null }
    if (sellersOf(config).includes(key)) return { provider: key, plan: null, price, ...terms }
    if (plan === undefined)
      throw refused('price_unknown', 'This membership is not sold any more.', 'See the prices.')
    return { provider: null, plan: plan.id, price: null, ...terms }
  }

  /**
   * Opens the provider's page for cards and invoices: for the customer of the given subscription, else for the member's
   * best customer.
   * @throws ERR_ACTION_REFUSED, ERR_NOT_FOUND, ERR_PROVIDER_UNSUPPORTED
   */
  const portal = async (input: {
    user: User
    provider: string | null
    subscriptionId: string | null
    returnUrl: string
    localUrl: string
  }): Promise<{ url: string }> => {
    const { subscriptionId, returnUrl, localUrl } = input
    const about = subscriptionId === null ? null : find({ user: input.user, subscriptionId }).subscription
    let without: ProviderReader | null = null
    for (const key of about === null ? portalKeys(input) : [about.provider]) {
      const opened = await forLiving(input.user, key, async (user) => {
        for (const customer of user.customers(key)) {
          if (about !== null && !isOf(customer, about)) continue
          const provider = providerAt(providers, key, customer.account)
          const idempotencyKey = randomId()
          if (provider?.portal) {
            const opened = await provider.portal({
              customerId: customer.id,
              returnUrl,
              localUrl,
              idempotencyKey,
            })
            return { url: pageAt(provider, opened.url) }
          }
          without ??= provider ?? null
        }
        return null
      })
      if (opened !== null) return opened
    }
    if (without !== null) throw unsupported(without, 'open a page for cards and invoices')
    throw refused(
      'nothing_bought',
      'There is nothing to look after yet: you have bought nothing there.',
      'See the prices.',
    )
  }

  const portalKeys = ({ user, provider }: { user: User; provider: string | null }): Iterable<string> =>
    provider !== null
      ? [provider]
      : new Set([
          ...user.subscriptions().map((s) => s.provider),
          ...(config.provider.handler === null ? [] : [config.provider.handler]),
          ...providers.keys(),
        ])

  const find = (target: Target) => findTarget(providers, target)

  /**
   * Previews an action by the action's own rules, with the token that confirms it. Changes nothing, and throws what the
   * action would throw.
   */
  const describe = async (input: DescribeInput): Promise<ActionDescription> => {
    const prospect = await prospectOf(input)
    return { prospect, shown: shownOf(prospect) }
  }

  const prospectOf = (input: DescribeInput): Promise<Prospect> => {
    switch (input.action) {
      case 'change':
        return describeChange(input)
      case 'cancel':
        return describeCancel(input)
      case 'pause':
        return describePause(input)
      case 'discount':
        return describeDiscount(input)
      case 'resume':
        return describeResume(input)
      default:
        throw new TypeError(`unhandled ${input satisfies never}`)
    }
  }

  return {
    change,
    preview,
    cancel,
    resume,
    pause,
    discount,
    renew,
    lookAt: describe,
    portal,
    refund,
    invoices,
  }
}

/** A subscription, and the preview of its end that the member saw. */
export interface ShownTarget extends Target {
  /** The digest of the preview that the member saw. Without it nothing is compared. */
  readonly shown?: string | null
}
export interface CancelInput extends ShownTarget {
  readonly when: 'period_end' | 'now'
  /** The answer of a member who was asked why; null where none was chosen. Absent where nobody was asked. */
  readonly reason?: 'price' | 'use' | 'missing' | 'broken' | 'other' | null
}

/** An action with a preview. */
export type DescribeInput =
  | ({ readonly action: 'change' } & ChangeInput)
  | ({ readonly action: 'cancel' } & CancelInput)
  | ({ readonly action: 'pause' } & PauseInput)
  | ({ readonly action: 'discount' } & DiscountInput)
  | ({ readonly action: 'resume' } & ShownTarget)

/** A preview, and the token by which a form confirms it. */
export interface ActionDescription {
  readonly prospect: Prospect
  readonly shown: string
}

// A failed payment keeps access open for a while. A paused subscription opens nothing.
function openUntil(user: User, s: Subscription): string | null {
  const decided = s.price_id === null ? null : user.explain(s.price_id as never)
  return decided?.open && decided.by === s.id ? (decided.until ?? paidUntil(s)) : null
}

/** The purchase that replaces an ended membership. */
export type BoughtAgain = Pick<BeginCheckout, 'plan' | 'price' | 'quantity' | 'amount'> & {
  readonly provider: string | null
}

export type Actions = ReturnType<typeof createActions>
