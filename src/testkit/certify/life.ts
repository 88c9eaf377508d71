import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { isMembershipError } from '../../core/errors.ts'
import type {
  CataloguePrice,
  Change,
  CheckoutRequest,
  Fetched,
  Provider,
  SubscriptionSnapshot,
} from '../../providers/contract.ts'
import { canDo, type Feature, type Lacks } from '../../providers/features.ts'

/** The name that the run gives to the customer. */
export const buyerName = 'Ann Certify'

/** The environment of one life, with the adapter. */
export interface World {
  readonly provider: Provider
  readonly lacks: Lacks
  readonly prices: { readonly month: string; readonly team: string; readonly once: string | null }
  readonly email: string
  /** Identifies the checkouts of this run. */
  readonly run: string
  /** Lets the buyer pay on this page, or approve a change. */
  readonly pay: (url: string, what: string) => Promise<void>
  /** Makes the service send pending events, and lets some time pass. */
  readonly settle: () => Promise<void>
  readonly now: () => Date
}

/** One step of a life, with its outcome in this package's terms. */
export interface Step {
  readonly feature: Feature | 'cancel_now'
  /** null if the step is not possible here; `why` gives the reason. */
  readonly outcome: Outcome | null
  readonly why: string | null
}

export type Outcome = Readonly<Record<string, unknown>>

/**
 * Plays the whole life of a subscription, step by step. A failed step has its error as outcome, and the next
 * step follows. `onStep` is called after each step.
 */
export async function live(world: World, onStep: (step: Step) => void): Promise<void> {
  const { provider, prices, now } = world
  let subscription: SubscriptionSnapshot | null = null
  let payment: PaymentData | null = null
  let sequence = 0
  const key = () => `certify:${world.run}:${++sequence}`

  const play = async (
    feature: Step['feature'],
    run: () => Promise<Outcome>,
    { needs = false }: { needs?: boolean } = {},
  ): Promise<void> => {
    const listed = feature === 'cancel_now' ? 'cancel' : feature
    if (!canDo(provider, listed))
      return onStep({ feature, outcome: null, why: world.lacks[listed] ?? 'This provider does not do it.' })
    if (needs && subscription === null)
      return onStep({ feature, outcome: null, why: 'No subscription was bought before.' })
    const outcome = await run().catch((error: unknown): Outcome => ({ error: codeOf(error) }))
    await world.settle()
    onStep({ feature, outcome, why: null })
  }

  const id = (): string => subscription!.id
  const data = (): SubscriptionData =>
    ({
      ...subscription!,
      provider: provider.key,
      account: '',
      livemode: false,
      updated_at: now().toISOString(),
      past_due_since: null,
    }) as SubscriptionData
  /** Stores the subscription from an answer, and returns it as outcome. */
  const outcomeOf = ({ changes }: Fetched): Outcome => {
    for (const change of changes)
      if (change.type === 'subscription' && (subscription === null || change.id === subscription.id))
        subscription = change.data
    return { ...(subscription === null ? {} : wordsOf(subscription, prices)) }
  }
  const again = async (): Promise<Outcome> => {
    const found = await provider.fetch!({ kind: 'subscription', id: id(), ...parentOf(subscription) })
    return found === null ? { found: false } : outcomeOf(found)
  }

  await play('prices', async () => {
    const found = (await provider.prices!()).find((price) => price.id === prices.month)
    return found === undefined ? { found: false } : priceWords(found)
  })

  const request = (priceId: string, mode: CheckoutRequest['mode']): CheckoutRequest => ({
    intentId: `certify_${world.run}_${mode}`,
    signedIntent: `certify_${world.run}_${mode}.signed`,
    mode,
    priceId,
    quantity: 1,
    currency: null,
    code: null,
    trialDays: null,
    email: world.email,
    customerId: null,
    returnUrl: 'https://example.com/back',
    cancelUrl: 'https://example.com/left',
    localUrl: 'http://127.0.0.1',
    extra: {},
    metadata: {},
  })

  /** Buys, and returns every change that the service then reports of the purchase. */
  const buy = async (priceId: string, mode: CheckoutRequest['mode']) => {
    const checkoutRequest = request(priceId, mode)
    const known = new Set((await everything(provider)).map(keyOf))
    const checkout = await provider.checkout!(checkoutRequest)
    await world.pay(checkout.url ?? '', mode)
    await world.settle()
    const changes: Change[] = []
    if (provider.complete) {
      const completed = await provider.complete({
        checkoutId: checkout.id,
        request: checkoutRequest,
        isClosed: false,
        idempotencyKey: key(),
      })
      changes.push(...(completed?.changes ?? []))
      await world.settle()
    }
    const fetched = await provider.fetch!({ kind: 'checkout', id: checkout.id })
    changes.push(...(fetched?.changes ?? []))
    for (const change of await everything(provider)) if (!known.has(keyOf(change))) changes.push(change)
    return { checkout, changes }
  }

  await play('subscriptions', async () => {
    const { checkout, changes } = await buy(prices.month, 'subscription')
    const begun = await begunIn(provider, changes)
    if (begun !== null) subscription = begun
    payment = paymentIn(provider, changes, subscription)
    return {
      mode: checkout.mode,
      opened: checkout.status,
      begun: subscription !== null,
      ...(subscription === null ? {} : wordsOf(subscription, prices)),
    }
  })
  await play('ask', again, { needs: true })
  await play(
    'list',
    async () => {
      const all = await everything(provider)
      return { knows_it: all.some((change) => change.type === 'subscription' && change.id === id()) }
    },
    { needs: true },
  )
  await play(
    'bills',
    async () => ({
      some: (await provider.invoices!(subscription!.customer_id ?? '')).length > 0,
    }),
    { needs: true },
  )
  await play(
    'trial_once',
    async () => {
      const payer = await provider.payerOf!(id())
      return { known: (payer?.methods.length ?? 0) > 0, trial: payer?.isOnTrial ?? null }
    },
    { needs: true },
  )
  await play('open_invoice', async () => ({ open: (await provider.payUrl!(id())) !== null }), { needs: true })
  await play(
    'portal',
    async () => {
      const { url } = await provider.portal!({
        customerId: subscription!.customer_id ?? '',
        returnUrl: 'https://example.com/back',
        localUrl: 'http://127.0.0.1',
        idempotencyKey: key(),
      })
      return { address: URL.canParse(url) }
    },
    { needs: true },
  )
  await play(
    'customer',
    async () => {
      const { changes } = await provider.updateCustomer!({
        customerId: subscription!.customer_id ?? '',
        name: buyerName,
        idempotencyKey: key(),
      })
      return { named: changes.some((change) => change.type === 'customer' && change.data.name !== null) }
    },
    { needs: true },
  )
  const swap = (quantity: number) => ({
    subscription: data(),
    priceId: prices.team,
    quantity,
    proration: 'now' as const,
    prorationAt: null,
    idempotencyKey: key(),
  })
  await play(
    'preview',
    async () => {
      const preview = await provider.preview!(swap(1))
      return { due: typeof preview.amount_due, now: preview.changes_at === undefined }
    },
    { needs: true },
  )
  const changed = async (
    answer: Promise<Fetched & { readonly payUrl?: string | null }>,
  ): Promise<Outcome> => {
    const fetched = await answer
    const url = fetched.payUrl ?? null
    if (url === null) return outcomeOf(fetched)
    await world.pay(url, 'change')
    await world.settle()
    return { agreed_on_page: true, ...(await again()) }
  }
  await play('change_now', () => changed(provider.swap!(swap(1))), { needs: true })
  await play('quantity', () => changed(provider.swap!(swap(2))), { needs: true })
  await play(
    'change_later',
    async () => {
      const planned = await changed(
        provider.schedule!({
          subscription: data(),
          priceId: prices.month,
          quantity: subscription!.quantity ?? 1,
          at: subscription!.current_period_end ?? now().toISOString(),
          idempotencyKey: key(),
        }),
      )
      const back = await changed(provider.unschedule!({ subscriptionId: id(), idempotencyKey: key() }))
      return { planned, back }
    },
    { needs: true },
  )
  await play(
    'pause',
    async () => {
      const from = subscription!.current_period_end ?? now().toISOString()
      const until = new Date(Date.parse(from) + 40 * 86_400_000).toISOString()
      const paused = outcomeOf(
        await provider.pause!({ subscriptionId: id(), from, until, idempotencyKey: key() }),
      )
      await world.settle()
      const back = await changed(provider.resume!({ subscriptionId: id(), idempotencyKey: key() }))
      return { paused, back }
    },
    { needs: true },
  )
  await play(
    'refunds',
    async () => {
      if (payment === null) return { payment: null }
      const { changes } = await provider.refund!({
        payment,
        amount: payment.amount,
        idempotencyKey: key(),
      })
      return {
        states: [
          ...new Set(changes.flatMap((c) => (c.type === 'money' ? `${c.kind} ${c.data.state}` : []))),
        ].sort(),
      }
    },
    { needs: true },
  )
  await play(
    'cancel',
    async () =>
      outcomeOf(await provider.cancel!({ subscriptionId: id(), when: 'period_end', idempotencyKey: key() })),
    { needs: true },
  )
  await play('resume', () => changed(provider.resume!({ subscriptionId: id(), idempotencyKey: key() })), {
    needs: true,
  })
  await play('past_events', async () => {
    let count = 0
    for await (const _ of provider.pull!(new Date(now().getTime() - 3_600_000))) count++
    return { some: count > 0 }
  })
  await play('one_time', async () => {
    if (prices.once === null) return { asked: false }
    const { checkout, changes } = await buy(prices.once, 'payment')
    return {
      mode: checkout.mode,
      opened: checkout.status,
      paid: changes.some((change) => change.type === 'money' && change.data.state === 'paid'),
    }
  })
  await play(
    'cancel_now',
    async () =>
      outcomeOf(await provider.cancel!({ subscriptionId: id(), when: 'now', idempotencyKey: key() })),
    { needs: true },
  )
}

/** Lists every object that the provider lists; empty for a provider without lists. */
async function everything(provider: Provider): Promise<Change[]> {
  const changes: Change[] = []
  if (provider.list === undefined) return changes
  const since = new Date(Date.now() - 3_600_000)
  for await (const page of provider.list({ since })) changes.push(...page.changes)
  return changes
}

function keyOf(change: Change): string {
  return change.type === 'touch'
    ? `${change.ref.kind}:${change.ref.id}`
    : `${change.type === 'money' ? change.kind : change.type}:${change.id}`
}

/** Finds the new subscription in its current state. */
async function begunIn(provider: Provider, changes: readonly Change[]): Promise<SubscriptionSnapshot | null> {
  const own = changes.findLast((change) => change.type === 'subscription')
  if (own?.type === 'subscription' && own.data.status !== 'incomplete') return own.data
  const named = changes.flatMap((change) =>
    change.type === 'touch' && change.ref.kind === 'subscription'
      ? [change.ref]
      : change.type === 'money' && change.data.subscription_id
        ? [{ kind: 'subscription' as const, id: change.data.subscription_id }]
        : [],
  )
  for (const ref of named) {
    const found = await provider.fetch!(ref)
    const whole = found?.changes.find((change) => change.type === 'subscription' && change.id === ref.id)
    if (whole?.type === 'subscription') return whole.data
  }
  return own?.type === 'subscription' ? own.data : null
}

/** Finds the newest received payment of the subscription. */
function paymentIn(
  { key: provider }: Provider,
  changes: readonly Change[],
  subscription: SubscriptionSnapshot | null,
): PaymentData | null {
  const paid = changes.flatMap((change) =>
    change.type === 'money' &&
    change.kind === 'payment' &&
    change.data.state === 'paid' &&
    (!change.data.subscription_id || change.data.subscription_id === subscription?.id)
      ? [change]
      : [],
  )
  // A refund refers to the transaction, or to the bill if there is no transaction.
  const newest = paid.findLast(({ part }) => part === undefined) ?? paid.at(-1)
  if (newest === undefined) return null
  const { data } = newest
  return {
    id: data.id,
    provider,
    account: '',
    customer_id: data.customer_id ?? subscription?.customer_id ?? null,
    subscription_id: subscription?.id ?? null,
    invoice_id: null,
    price_id: data.price_id ?? null,
    items: [],
    quantity: data.quantity ?? 1,
    amount: data.amount ?? 0,
    amount_refunded: 0,
    currency: data.currency ?? subscription?.currency ?? null,
    status: 'paid',
    purpose: 'recurring',
    paid_at: data.paid_at ?? null,
    invoice_url: null,
    livemode: false,
    metadata: {},
    updated_at: data.paid_at ?? new Date(0).toISOString(),
  }
}

function parentOf(subscription: SubscriptionSnapshot | null) {
  return subscription?.customer_id ? { parent: subscription.customer_id } : {}
}

type Prices = World['prices']

function priceNamed(id: string | null, prices: Prices): string | null {
  return id === prices.month ? 'month' : id === prices.team ? 'team' : id === null ? null : 'other'
}

function wordsOf(subscription: SubscriptionSnapshot, prices: Prices): Outcome {
  return {
    status: subscription.status,
    price: priceNamed(subscription.price_id, prices),
    quantity: subscription.quantity,
    currency: subscription.currency,
    interval: subscription.interval,
    ends: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    pauses: subscription.paused_at !== null || subscription.resumes_at !== null,
    changes: subscription.scheduled_change
      ? priceNamed(subscription.scheduled_change.price_id, prices)
      : null,
  }
}

function priceWords({ type, currency, amount, interval, interval_count, active }: CataloguePrice): Outcome {
  return { type, currency, amount, interval, interval_count, active }
}

function codeOf(error: unknown): string {
  return isMembershipError(error) ? error.code : error instanceof Error ? error.name : 'unknown'
}
