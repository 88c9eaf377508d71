import type { Awaitable } from '../../core/awaitable.ts'
import type { PlanConfig } from '../../core/config/index.ts'
import {
  freeDays,
  groupOf,
  groupsHad,
  hasBegun,
  hasPrice,
  type Price,
  plansHeld,
  type SubscriptionData,
  type TrialsHad,
} from '../../core/dto/index.ts'
import { createMarker } from '../../core/http/tokens.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import { lazy } from '../../core/lazy.ts'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { CustomerChange, ProviderReader, SubscriptionChange } from '../../providers/contract.ts'
import type { Ledger, Origin, SettledIntent } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type Changes, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import {
  type Evidence,
  ofAddress,
  ofCustomer,
  ofEnded,
  ofMember,
  ofMethods,
  ofStarted,
  type Place,
  typed,
} from './evidence.ts'
import { trialStatements } from './statements.ts'

/** A person whose second trial was ended. */
export interface EndedTrial {
  readonly subscription: SubscriptionData
  readonly memberId: string | null
  /** The address that the buyer typed, if no member is known. */
  readonly email: string | null
}

export interface TrialDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly changes: Changes
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly plans: () => readonly PlanConfig[]
  readonly findMember: (id: string) => Promise<User | null>
  /** True if the free days replace days that the member paid at another provider, so that they are no trial. */
  readonly continues: (
    item: Place & Pick<SubscriptionData, 'trial_ends_at'>,
    member: User,
  ) => Promise<boolean>
  /** The hashing secrets, newest first. */
  readonly secrets: () => readonly string[]
  /** Queues messages to a person whose second trial was ended. */
  readonly tell: (ended: EndedTrial) => readonly Step[]
  readonly now: () => Date
  readonly log: Log
}

const kind = 'trial'
const none: TrialsHad = new Set()
type Payload =
  | Place
  | { readonly customer: Place }
  | { readonly member: string }
  | { readonly begun: Place; readonly intent: string }

export interface Trials {
  /** Returns the groups whose trial a member already had. Checks the groups `among`, else all groups with trials. */
  had(user: User | null, among?: readonly string[]): Awaitable<TrialsHad>
  /**
   * The free days of a price for this buyer. 0 means already used; null means that the price has none. A signed-out
   * visitor is unknown until they pay.
   */
  daysFor(
    user: User | null,
    more: { readonly plan: PlanConfig; readonly price: Price },
  ): Promise<number | null>
  /**
   * Builds the messages for an event: when a subscription begins, at each update of a trial, and when a customer
   * changes the payment method.
   */
  messagesOf(change: SubscriptionChange | CustomerChange, origin: Origin): Message[]
  /** The message for a checkout of this site that began a subscription. */
  messageOfCheckout(settled: SettledIntent, origin: Origin): Message[]
  /** The message for a member whose address is now proved. */
  messageOfMember(member: string): Message
  readonly handlers: Handlers
  /** Steps that remember a member whose account is deleted. The address alone will recognise them. */
  remember(user: User): Step[]
  /** True for a second trial that was ended here. */
  wasEnded(place: Place): Promise<boolean>
}

/**
 * Gives each person one trial per plan group. Before the click, the member's own purchases, verified address and
 * customers show an earlier subscription. The payment method is known only afterwards: a second trial found by it ends
 * unpaid, and its buyer is notified. An automatic rule must be sure. It therefore ends only a trial that this site's
 * checkout began, that was never charged, and whose free days are unchanged.
 */
export function createTrials(deps: TrialDeps): Trials {
  const { storage, ledger, changes, providers, plans, findMember, log } = deps
  const marks = createMarks(deps)
  const statements = trialStatements(storage)

  const had = (user: User | null, among: readonly string[] = groupsWithTrials()): Awaitable<TrialsHad> => {
    if (user === null) return none
    // A member's purchases are read on first use, because most pages do not need them.
    const bookkept = lazy(() => groupsHad(user.subscriptions(), plans()))
    const unknown = among.filter((group) => !bookkept().has(group))
    if (unknown.length === 0) return { has: (group) => bookkept().has(group) }
    const isMarked = (group: string) => marks.isKnown(group, ofMember(user, providers.keys()))
    // Runs in parallel, because every page of the member waits for it.
    return Promise.all(unknown.map(isMarked)).then((found) => {
      const marked = new Set(unknown.filter((_, n) => found[n]))
      return { has: (group) => marked.has(group) || bookkept().has(group) }
    })
  }

  const daysFor = async (
    user: User | null,
    { plan, price }: { readonly plan: PlanConfig; readonly price: Price },
  ): Promise<number | null> =>
    price.type === 'one_time' ? null : freeDays(plan, price, await had(user, [groupOf(plan)]))

  const groupsWithTrials = (): string[] => [
    ...new Set(
      plans()
        .filter(({ trial, prices }) => trial === 'once' && prices.some(({ trial_days }) => trial_days))
        .map(groupOf),
    ),
  ]

  const isOnce = (group: string): boolean =>
    plans().some((plan) => plan.trial === 'once' && groupOf(plan) === group)

  const messagesOf = (
    change: SubscriptionChange | CustomerChange,
    { provider, account, id: origin }: Origin,
  ): Message[] => {
    const { id } = change
    if (change.type === 'customer') {
      const customer = { provider, account, id }
      const named = `${kind}:customer:${id}`
      return change.pays_otherwise
        ? [{ id: `${named}:${origin}`, lane: `${named}:${provider}`, kind, payload: { customer } }]
        : []
    }
    const { data, before } = change
    const began =
      hasBegun(data) && (change.stage === 'created' || (before !== undefined && !hasBegun(before)))
    if (data.status !== 'trialing' && !(began && groupsWithTrials().length > 0)) return []
    const place = { provider, account, id }
    return [{ id: `${kind}:${id}:${origin}`, lane: `${kind}:${provider}:${id}`, kind, payload: place }]
  }

  const messageOfCheckout = (
    { id, outcome, subscription_id }: SettledIntent,
    { provider, account }: Origin,
  ): Message[] => {
    if (outcome !== 'complete' || subscription_id === null) return []
    const begun = { provider, account, id: subscription_id }
    const lane = `${kind}:${provider}:${subscription_id}`
    return [{ id: `${kind}:begun:${id}`, lane, kind, payload: { begun, intent: id } }]
  }

  const messageOfMember = (member: string): Message => ({
    id: `${kind}:member:${member}`,
    lane: `${kind}:member:${member}`,
    kind,
    payload: { member },
  })

  const check = async (place: Place): Promise<void> => {
    const found = await find(place)
    if (found === null) return
    const { subscription, member, email, held } = found
    const provider = providerAt(providers, place.provider, place.account)
    // A provider that does not report the payment method leaves too much doubt to end anything.
    const payer = (await provider?.payerOf?.(place.id)) ?? null
    const noted = [
      ...(subscription.customer_id === null
        ? []
        : [ofCustomer(place.provider, place.account, subscription.customer_id)]),
      ...ofAddress(member),
      ...ofMethods(place.provider, payer?.methods ?? []),
    ]
    const groups = [...new Set(held.map(groupOf))].filter(isOnce)
    const isRunning = payer?.isOnTrial ?? subscription.status === 'trialing'
    const giving = isRunning ? groups : groups.filter((group) => groupsWithTrials().includes(group))
    const beganAt = isRunning ? null : subscription.started_at
    await storage.commit(giving.flatMap((group) => marks.note(group, noted, place, { beganAt })))
    if (!isRunning || payer === null || payer.isBuyers === false) return
    if (held.some(({ trial }) => trial === 'always') || !(await isFreeTrial(place, found))) return
    if (
      member !== null &&
      (await deps.continues({ ...place, trial_ends_at: subscription.trial_ends_at }, member))
    )
      return
    const evidence = [...noted, ...typed(email)]
    const trial = { ...place, startedAt: subscription.started_at }
    for (const group of groups)
      if (hadBefore(member, subscription, group) || (await marks.isKnown(group, evidence, trial)))
        return end(provider, place, found)
  }

  // Days given by a pause, a switch or the provider's dashboard also look like a trial. They end later than ours would.
  const isFreeTrial = async (place: Place, { subscription, held }: Found): Promise<boolean> => {
    const { started_at, trial_ends_at } = subscription
    const days = Math.max(
      0,
      ...held.flatMap(({ prices }) =>
        prices.filter(({ id }) => hasPrice(subscription, id)).map(({ trial_days }) => trial_days ?? 0),
      ),
    )
    if (days === 0 || started_at === null || trial_ends_at === null) return false
    if (Date.parse(trial_ends_at) > Date.parse(started_at) + (days + 1) * dayMs) return false
    if (!(await marks.isKnown(kind, [ofStarted(place)]))) return false
    return (await changes.protectedBy(place)) === null
  }

  /** Remembers that our checkout began it with free days. Returns false if it began without. */
  const noteStarted = async (place: Place, intent: string): Promise<boolean> => {
    const [row] = await storage.all(statements.request, { id: intent })
    const { trialDays } = JSON.parse(row?.request ?? '{}') as { trialDays?: number | null }
    if (trialDays) await storage.commit(marks.note(kind, [ofStarted(place)], place))
    return Boolean(trialDays)
  }

  const find = async ({ provider, account, id }: Place) => {
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    if (!row) return null
    const subscription = JSON.parse(row.data) as SubscriptionData
    const held = plansHeld(subscription, plans())
    if (!hasBegun(subscription) || held.length === 0) return null
    const key = { provider, account, customer_id: row.owner_id }
    const [owner] = await storage.all(ledger.statements.customer, key)
    const member = owner?.member_id ? await findMember(owner.member_id) : null
    return { subscription, held, member, email: member?.email ?? owner?.email ?? null }
  }

  type Found = NonNullable<Awaited<ReturnType<typeof find>>>

  /** The member's own subscriptions may show an earlier one, even where two began at once. */
  const hadBefore = (member: User | null, item: SubscriptionData, group: string): boolean =>
    (member?.subscriptions() ?? []).some(
      (other) =>
        (other.id !== item.id || other.provider !== item.provider) &&
        placeInTime(other) < placeInTime(item) &&
        groupsHad([other], plans()).has(group),
    )

  // Nothing was charged during a trial, and ending it at once charges nothing.
  const end = async (
    provider: ProviderReader | undefined,
    { provider: key, account, id }: Place,
    { subscription, member, email }: Found,
  ): Promise<void> => {
    if (!offers(provider, 'cancel')) {
      log('somebody has a second trial, and the provider cannot be asked to end it from here', {
        provider: key,
        id,
      })
      return
    }
    const origin = { provider: key, account, id: `fetch:${kind}:${id}`, source: 'fetch' as const }
    const steps = [
      ...deps.tell({ subscription, memberId: member?.id ?? null, email }),
      ...marks.note(kind, [ofEnded({ provider: key, account, id })], { provider: key, account, id }),
    ]
    const request = {
      kind: 'cancel' as const,
      provider: key,
      account,
      object: id,
      memberId: member?.id ?? null,
      requestedBy: { kind: 'rule' as const, name: 'repeated-trial' as const },
      name: `${kind}:${id}`,
      reason: 'somebody who pays the same way had a trial before',
    }
    await changes.perform(request, { subscriptionId: id, when: 'now' }, ({ changes, at }, noted) =>
      ledger.apply(changes, { ...origin, at }, [...steps, ...noted]),
    )
  }

  // The new payment method may be about to pay one of the customer's trials.
  const checkAll = async (customer: Place): Promise<void> => {
    for (const { id } of await storage.all(statements.ofCustomer, customer)) await check({ ...customer, id })
  }

  const wasEnded = (place: Place): Promise<boolean> => marks.isKnown(kind, [ofEnded(place)])

  const handlers: Handlers = {
    [kind]: async ({ payload }) => {
      const about = payload as Payload
      if ('customer' in about) return checkAll(about.customer)
      if ('begun' in about) {
        if (await noteStarted(about.begun, about.intent)) await check(about.begun)
        return
      }
      if (!('member' in about)) return check(about)
      const member = await findMember(about.member)
      for (const s of [...(member?.subscriptions() ?? [])].sort(byTime)) await check(s)
    },
  }

  const remember = (user: User): Step[] =>
    [...user.subscriptions()].sort(byTime).flatMap((s) => {
      const groups = groupsHad([s], plans())
      const evidence: Evidence[] = [
        ...ofAddress(user),
        ...(s.customer_id === null ? [] : [ofCustomer(s.provider, s.account, s.customer_id)]),
      ]
      return [...groups]
        .filter((group) => (s.trial_ends_at !== null && isOnce(group)) || groupsWithTrials().includes(group))
        .flatMap((group) => marks.note(group, evidence, s))
    })

  return { had, daysFor, messagesOf, messageOfCheckout, messageOfMember, handlers, remember, wasEnded }
}

const dayMs = 86_400_000

/** Orders subscriptions by start. Two that began at once always have the same order. */
function placeInTime({ started_at, id }: Pick<SubscriptionData, 'started_at' | 'id'>): string {
  return `${started_at ?? ''} ${id}`
}

function byTime(a: SubscriptionData, b: SubscriptionData): number {
  return placeInTime(a) < placeInTime(b) ? -1 : 1
}

export interface Marks {
  /** Steps that remember the subscription for every piece of evidence. */
  note(
    group: string,
    evidence: readonly Evidence[],
    place: Place,
    /** `at`: when the subscription was seen last; now unless given. */
    more?: { readonly beganAt?: string | null; readonly at?: string },
  ): Step[]
  /** Steps that remove the subscription's own marks. */
  forget(group: string, evidence: readonly Evidence[], place: Place): Step[]
  /**
   * True if any evidence was seen with a subscription of the group. With `place`, it must be another subscription, and
   * not one that began later.
   */
  isKnown(
    group: string,
    evidence: readonly Evidence[],
    place?: (Place & { readonly startedAt?: string | null }) | null,
  ): Promise<boolean>
}

/** Remembers who had a subscription of which plan group, as hashes that nobody can reverse. */
export function createMarks({
  storage,
  secrets,
  now,
}: {
  storage: Storage
  secrets: () => readonly string[]
  now: () => Date
}): Marks {
  const statements = trialStatements(storage)
  const marker = createMarker(secrets, 'trials')
  const marksOf = (group: string, evidence: Evidence) => marker('of', group, ...evidence)
  const nameOf = ({ provider, account, id }: Place) => marker('subscription', provider, account, id)

  const note = (
    group: string,
    evidence: readonly Evidence[],
    place: Place,
    {
      beganAt = null,
      at = now().toISOString(),
    }: { readonly beganAt?: string | null; readonly at?: string } = {},
  ): Step[] =>
    evidence.map((item) =>
      step(statements.note, {
        mark: marksOf(group, item)[0]!,
        first: nameOf(place)[0]!,
        at,
        began_at: beganAt,
      }),
    )

  const isKnown = async (
    group: string,
    evidence: readonly Evidence[],
    place: (Place & { readonly startedAt?: string | null }) | null = null,
  ): Promise<boolean> => {
    const own = new Set(place === null ? [] : nameOf(place))
    const marks = evidence.flatMap((item) => marksOf(group, item))
    const found = await Promise.all(marks.map((mark) => storage.all(statements.find, { mark })))
    const isLater = (began: string | null) =>
      began !== null && place?.startedAt != null && began > place.startedAt
    return found.flat().some(({ first, began_at }) => !own.has(first) && !isLater(began_at))
  }

  const forget = (group: string, evidence: readonly Evidence[], place: Place): Step[] =>
    evidence.flatMap((item) =>
      marksOf(group, item).flatMap((mark) =>
        nameOf(place).map((first) => step(statements.forget, { mark, first })),
      ),
    )

  return { note, isKnown, forget }
}
