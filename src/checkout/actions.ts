import type { Config, PlanConfig } from '../config/index.ts'
import { type InvoicePreview, isEnded } from '../dto/index.ts'
import { MembershipError } from '../errors.ts'
import type { HooksRoom } from '../hooks/index.ts'
import { clockSkewMs } from '../jobs/clocks.ts'
import type { Ledger } from '../ledger/index.ts'
import { isStopping, type User } from '../members/index.ts'
import type { Capabilities, Proration, Provider, SwapRequest } from '../providers/contract.ts'
import type { Storage } from '../storage/index.ts'
import { chooseOffer, rivalOf } from './offers.ts'
import { createOnce, type Done, refused } from './once.ts'

export interface ActionDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly hooks: Pick<HooksRoom, 'before'>
  readonly config: Config
  readonly providers: ReadonlyMap<string, Provider>
  readonly plans: (provider: string) => readonly PlanConfig[]
  readonly now: () => Date
  readonly randomId: () => string
}

/** The member's own subscription that something is to be done to. */
export interface Target {
  readonly user: User
  readonly subscriptionId: string
}

export interface ChangeWish extends Target {
  readonly plan: string | null
  readonly price: string | null
  /** null keeps it. */
  readonly quantity: number | null
  readonly proration: Proration
  readonly prorationAt: string | null
}

/** What members do to their subscriptions: each once, however often it is clicked. */
export const createActions = (deps: ActionDeps) => {
  const { hooks, config, providers, plans, now, randomId } = deps
  const { perform } = createOnce(deps)

  /** Another price or quantity. @throws ERR_NOT_FOUND, ERR_PLAN_UNKNOWN, ERR_ACTION_REFUSED, ERR_REFUSED,
   *  ERR_PROVIDER_UNSUPPORTED, ERR_PAYMENT_DECLINED, ERR_PROVIDER_ANSWER */
  const change = async (wish: ChangeWish): Promise<Done> => {
    const { subscription, provider, request } = planChange(wish)
    if (!provider.swap) throw unsupported(provider, 'change a subscription')
    if (subscription.hasPrice(request.priceId) && request.quantity === (subscription.quantity ?? 1))
      return { subscription }
    const { priceId, quantity } = request
    await hooks.before('membership.change:before', {
      member: wish.user,
      subscription,
      price_id: priceId,
      quantity,
    })
    return perform(
      wish.user,
      subscription,
      { mode: 'change', price_id: priceId, quantity, request },
      (call) => provider.swap!({ ...request, ...call }),
    )
  }

  /** What that change would cost, without doing it. @throws as `change` */
  const preview = async (wish: ChangeWish): Promise<InvoicePreview> => {
    const { provider, request } = planChange(wish)
    if (!provider.preview) throw unsupported(provider, 'tell what a change costs')
    return provider.preview({ ...request, idempotencyKey: randomId() })
  }

  /** @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  const cancel = async (target: Target & { when: 'period_end' | 'now' }): Promise<Done> => {
    const { subscription, provider } = find(target)
    const { when, user } = target
    if (!provider.cancel) throw unsupported(provider, 'cancel a subscription')
    if (isEnded(subscription)) throw refused('This membership has ended already.')
    if (when === 'period_end' && subscription.cancel_at_period_end) return { subscription }
    await hooks.before('membership.cancel:before', { member: user, subscription, when })
    return perform(user, subscription, { mode: 'cancel', request: { when } }, (call) =>
      provider.cancel!({ subscriptionId: subscription.id, when, ...call }),
    )
  }

  /** Takes back a cancellation, or ends a pause. @throws as `cancel` */
  const resume = async (target: Target): Promise<Done> => {
    const { subscription, provider } = find(target)
    if (!provider.resume) throw unsupported(provider, 'resume a subscription')
    if (isEnded(subscription)) throw refused('This membership has ended.', 'Buy it again from the prices.')
    if (!isStopping(subscription)) return { subscription }
    await hooks.before('membership.renew:before', { member: target.user, subscription })
    return perform(target.user, subscription, { mode: 'resume', request: {} }, (call) =>
      provider.resume!({ subscriptionId: subscription.id, ...call }),
    )
  }

  /** @throws as `cancel` */
  const pause = async (target: Target & { until: string | null }): Promise<Done> => {
    const { subscription, provider } = find(target)
    const { until } = target
    if (!provider.pause) throw unsupported(provider, 'pause a subscription')
    if (!subscription.active) throw refused('Only a running membership can be paused.')
    return perform(target.user, subscription, { mode: 'pause', request: { until } }, (call) =>
      provider.pause!({ subscriptionId: subscription.id, until, ...call }),
    )
  }

  /**
   * How a membership goes on: a scheduled end is taken back, an open invoice is paid on the provider's page, one that has
   * ended is bought again. @throws as `cancel`
   */
  const renew = async (
    target: Target,
  ): Promise<{ done: Done } | { payUrl: string } | { buy: { priceId: string; quantity: number } }> => {
    const { subscription, provider } = find(target)
    if (isEnded(subscription)) {
      if (subscription.price_id === null) throw refused('The price of this membership is not known any more.')
      return { buy: { priceId: subscription.price_id, quantity: subscription.quantity ?? 1 } }
    }
    if (subscription.past_due || subscription.status === 'unpaid') {
      const payUrl = await provider.payUrl?.(subscription.id)
      if (payUrl) return { payUrl }
      throw refused('There is no open invoice.', 'It was paid just now, or look in the portal.')
    }
    return { done: await resume(target) }
  }

  /** The provider's own page for cards and invoices. @throws ERR_ACTION_REFUSED, ERR_PROVIDER_UNSUPPORTED */
  const portal = async (input: {
    user: User
    provider: string | null
    returnUrl: string
    localUrl: string
  }): Promise<{ url: string }> => {
    const keys = input.provider === null ? portalKeys(input.user) : [input.provider]
    for (const key of keys) {
      const provider = providers.get(key)
      const customerId = input.user.customerId(key)
      if (!provider?.portal || customerId === null) continue
      const { returnUrl, localUrl } = input
      return provider.portal({ customerId, returnUrl, localUrl, idempotencyKey: randomId() })
    }
    throw refused('There is nothing to look after yet: you have bought nothing there.', 'See the prices.')
  }

  const portalKeys = (user: User): string[] => [
    ...user.subscriptions().map((s) => s.provider),
    ...(config.provider.handler === null ? [] : [config.provider.handler]),
    ...providers.keys(),
  ]

  const find = ({ user, subscriptionId }: Target) => {
    const subscription = user.subscriptions().find(({ id }) => id === subscriptionId)
    const provider = subscription && providers.get(subscription.provider)
    // Somebody else's is as unknown as none.
    if (subscription && provider) return { subscription, provider }
    throw new MembershipError('ERR_NOT_FOUND', 'You have no such subscription.', {
      action: 'See your account.',
    })
  }

  const planChange = (wish: ChangeWish) => {
    const { subscription, provider } = find(wish)
    if (isEnded(subscription)) throw refused('This membership has ended.', 'Buy it again from the prices.')
    const all = plans(subscription.provider)
    const keeps = wish.plan === null && wish.price === null
    const priceId = keeps
      ? subscription.price_id
      : chooseOffer(all, { ...wish, mode: 'subscription' }).price.id
    if (priceId === null) throw refused('The price of this membership is not known.')
    const target = all.find((plan) => plan.prices.some((price) => price.id === priceId))
    const rival = target ? rivalOf(wish.user, target, all) : null
    if (rival && rival.id !== subscription.id) throw refused('You have that membership already.')
    const quantity = wish.quantity ?? subscription.quantity ?? 1
    if (quantity !== (subscription.quantity ?? 1) && !provider.capabilities.quantity)
      throw unsupported(provider, 'change a quantity')
    const { proration } = wish
    const prorationAt = checkedMoment(wish.prorationAt, now())
    const request = { subscription, priceId, quantity, proration, prorationAt }
    return { subscription, provider, request: request satisfies Omit<SwapRequest, 'idempotencyKey'> }
  }

  return { change, preview, cancel, resume, pause, renew, portal }
}
export type Actions = ReturnType<typeof createActions>

// The member chooses what stands in the form: an old moment would give back what was used up long ago.
const previewSeconds = 3600

const checkedMoment = (given: string | null, now: Date): string | null => {
  if (given === null) return null
  const age = now.getTime() - Date.parse(given)
  if (age >= -clockSkewMs && age <= previewSeconds * 1000) return given
  throw refused('This preview is too old.', 'Look at what the change costs again.')
}

const unsupported = ({ key }: { key: string; capabilities: Capabilities }, what: string): MembershipError =>
  new MembershipError('ERR_PROVIDER_UNSUPPORTED', `The provider "${key}" cannot ${what} from here.`, {
    action: 'Use the provider’s own page (POST /membership/portal) or its dashboard.',
  })
