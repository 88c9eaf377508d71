import type { Config, PlanConfig } from '../config/index.ts'
import type { Price } from '../dto/index.ts'
import { isEnded } from '../dto/index.ts'
import { isMembershipError, MembershipError } from '../errors.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Log } from '../log.ts'
import type { User } from '../members/index.ts'
import type { Fetched, Provider } from '../providers/contract.ts'
import { type Storage, step } from '../storage/index.ts'
import { type Intent, intentStatements } from './statements.ts'

export interface CheckoutDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly config: Config
  readonly providers: ReadonlyMap<string, Provider>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

export interface BeginCheckout {
  /** Wanted plan; null where the price alone says it. */
  readonly plan: string | null
  /** Wanted price; null where the plan has one. */
  readonly price: string | null
  readonly mode: 'subscription' | 'payment'
  readonly quantity: number
  readonly currency?: string | null
  readonly code?: string | null
  readonly user: User | null
  /** A path on this site. */
  readonly redirect: string
  /** Fingerprint of the browser that asks. */
  readonly browser: string
  /** The site as its visitors reach it, and as this process does. */
  readonly publicUrl: string
  readonly localUrl: string
}

/** Where a purchase stands, as its return page says it. */
export type Settled = 'paid' | 'processing' | 'expired'

/** Begins purchases here and learns how they ended. */
export const createCheckout = (deps: CheckoutDeps) => {
  const { storage, ledger, config, providers, now, randomId, log } = deps
  const statements = intentStatements(storage)

  /** Begins a purchase at the provider for new checkouts.
   *  @throws ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CHECKOUT_REFUSED, ERR_PROVIDER_UNSUPPORTED */
  const begin = async (input: BeginCheckout): Promise<{ intentId: string; url: string }> => {
    const key = config.provider.handler
    const provider = key === null ? undefined : providers.get(key)
    if (key === null || !provider?.checkout)
      throw new MembershipError(
        'ERR_PROVIDER_UNSUPPORTED',
        `The provider "${key ?? ''}" takes no new checkouts here.`,
        {
          action: 'Set membership.provider.handler to a provider with a checkout.',
        },
      )
    const { plan, price } = choose(Object.values(config.providers[key]?.plans ?? {}), input)
    if (input.user === null && !config.members.create)
      throw new MembershipError('ERR_LOGIN_REQUIRED', 'Please log in before you buy.', {
        action: 'Log in, then choose the price again.',
      })
    refuseSecond(
      input.user,
      plan,
      price,
      Object.values(config.providers).flatMap((p) => Object.values(p.plans)),
    )

    const intent = await record(input, key, plan, price)
    const page = input.mode === 'payment' ? 'payment' : 'subscribe'
    const checkout = await provider.checkout({
      intentId: intent.id,
      mode: input.mode,
      priceId: price.id,
      quantity: input.quantity,
      currency: input.currency ?? null,
      code: input.code ?? null,
      trialDays: price.trial_days,
      email: input.user?.email ?? null,
      customerId: input.user?.customerId(key) ?? null,
      returnUrl: `${input.publicUrl}/membership/${page}/${intent.id}`,
      cancelUrl: `${input.publicUrl}${input.redirect}`,
      localUrl: input.localUrl,
      extra: additions(config.providers[key]?.checkout, input),
      metadata: textsOnly(additions(config.providers[key]?.metadata, input)),
    })
    await storage.commit([
      step(statements.opened, { id: intent.id, checkout_id: checkout.id, checkout_url: checkout.url }, 1),
    ])
    return { intentId: intent.id, url: checkout.url ?? `${input.publicUrl}/membership/${page}/${intent.id}` }
  }

  const record = async (
    input: BeginCheckout,
    provider: string,
    plan: PlanConfig,
    price: Price,
  ): Promise<Intent> => {
    const intent: Intent = {
      id: randomId(),
      provider,
      mode: input.mode,
      plan: plan.id,
      price_id: price.id,
      quantity: input.quantity,
      member_id: input.user?.id ?? null,
      checkout_id: null,
      checkout_url: null,
      redirect: input.redirect,
      browser: input.browser,
      status: 'open',
      created_at: now().toISOString(),
      expires_at: new Date(now().getTime() + intentSeconds * 1000).toISOString(),
      settled_at: null,
    }
    await storage.commit([step(statements.insert, intent, 1)])
    return intent
  }

  /**
   * Finds out how a purchase ended and takes it into the ledger. The return page and the webhook both come here, in any
   * order, also at once. @throws ERR_INTENT_UNKNOWN
   */
  const settle = async (intentId: string): Promise<{ state: Settled; intent: Intent }> => {
    const intent = await find(intentId)
    const provider = providers.get(intent.provider)
    if (intent.status === 'open' && intent.checkout_id !== null && provider?.fetch)
      try {
        const ref = { kind: 'checkout' as const, id: intent.checkout_id }
        const fetched = await provider.fetch(ref)
        if (fetched) await takeIn(provider, intent, fetched)
      } catch (error) {
        // The webhook will say it; until then the page says "processing".
        log('a checkout could not be asked for', {
          provider: intent.provider,
          reason: isMembershipError(error) ? error.message : String(error),
        })
      }
    const settled = await find(intentId)
    return { state: stateOf(settled), intent: settled }
  }

  const takeIn = async (provider: Provider, intent: Intent, fetched: Fetched): Promise<void> => {
    const account = config.providers[intent.provider]?.webhook[0]?.label ?? ''
    const origin = (id: string, at: string) => ({
      provider: intent.provider,
      account,
      id,
      source: 'fetch' as const,
      at,
    })
    await ledger.apply(fetched.changes, origin(`fetch:${intent.checkout_id}`, fetched.at))
    // What the checkout led to, so that access opens before the webhooks arrive.
    for (const change of fetched.changes) {
      if (change.type !== 'money' || change.kind !== 'checkout') continue
      const { subscription_id, refs } = change.data
      const led = [
        ...(subscription_id ? [{ kind: 'subscription' as const, id: subscription_id }] : []),
        ...refs,
      ]
      for (const ref of led) {
        const more = await provider.fetch?.(ref)
        if (more) await ledger.apply(more.changes, origin(`fetch:${ref.kind}:${ref.id}`, more.at))
      }
    }
  }

  const find = async (id: string): Promise<Intent> => {
    const [intent] = await storage.all(statements.find, { id })
    if (intent) return intent
    throw new MembershipError('ERR_INTENT_UNKNOWN', 'There is no such checkout.', {
      action: 'Start again from the prices.',
    })
  }

  const stateOf = (intent: Intent): Settled =>
    intent.status === 'complete'
      ? 'paid'
      : intent.status === 'expired' || intent.expires_at <= now().toISOString()
        ? 'expired'
        : 'processing'

  /**
   * The member whom a return page may log in: one that this very purchase made, in the browser that began it. Which
   * message made the account does not matter: an intent begun signed-out learns its member from its own checkout alone.
   */
  const newcomer = async (intent: Intent, browser: string): Promise<string | null> => {
    if (intent.status !== 'complete' || intent.member_id === null || intent.browser !== browser) return null
    const [created] = await storage.all(statements.madeSince, {
      member: intent.member_id,
      begun: intent.created_at,
    })
    return created?.id ?? null
  }

  return { begin, settle, newcomer }
}
export type CheckoutRoom = ReturnType<typeof createCheckout>

const intentSeconds = 7 * 86_400

const choose = (
  plans: readonly PlanConfig[],
  { plan, price, mode }: BeginCheckout,
): { plan: PlanConfig; price: Price } => {
  const wanted = mode === 'payment' ? 'one_time' : 'recurring'
  const offers = plans.flatMap((p) => p.prices.map((one) => ({ plan: p, price: one })))
  const fitting = offers.filter(
    (o) =>
      !o.price.retired &&
      o.price.type === wanted &&
      (plan === null || o.plan.id === plan) &&
      (price === null || o.price.id === price),
  )
  if (fitting.length === 1) return fitting[0]!
  const names = offers.filter((o) => !o.price.retired && o.price.type === wanted).map((o) => o.price.id)
  throw new MembershipError(
    'ERR_PLAN_UNKNOWN',
    fitting.length > 1
      ? `The plan "${plan}" has several prices.`
      : `There is nothing to buy by the name of "${price ?? plan ?? ''}".`,
    {
      action: `Name one of: ${names.join(', ') || '(no prices are configured)'}.`,
    },
  )
}

const refuseSecond = (
  user: User | null,
  plan: PlanConfig,
  price: Price,
  all: readonly PlanConfig[],
): void => {
  if (user === null) return
  if (price.type === 'one_time') {
    if (user.hasPayment(price.id))
      throw new MembershipError('ERR_CHECKOUT_REFUSED', 'You have bought this already.', {
        action: 'See your account.',
      })
    return
  }
  const group = (p: PlanConfig) => p.group ?? p.id
  const rivals = all.filter((p) => group(p) === group(plan)).flatMap((p) => p.prices.map((one) => one.id))
  const living = user
    .subscriptions()
    .find((s) => !isEnded(s) && s.status !== 'incomplete' && rivals.some((id) => s.hasPrice(id)))
  if (living)
    throw new MembershipError('ERR_CHECKOUT_REFUSED', 'You have this membership already.', {
      action: 'Change or cancel it in your account.',
    })
}

const additions = (given: unknown, input: BeginCheckout): Record<string, unknown> => {
  const value =
    typeof given === 'function'
      ? (given as (context: unknown) => unknown)({ user: input.user, plan: input.plan, price: input.price })
      : given
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const textsOnly = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
