import { ownSubscription } from '../../core/access/index.ts'
import {
  isEnded,
  type Plan,
  type Subscription,
  type SubscriptionData,
  toSubscription,
} from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { pagesOf, type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type ChangeKind, type Changes, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { planLeaving, sold, targetOf } from './plan.ts'
import type { Switched, Switching, SwitchNotice, SwitchProvider, SwitchRequest } from './requests.ts'
import {
  type SwitchingSubscription,
  type SwitchRow,
  subscriptionsPerPage,
  switchedMembers,
  switchStatements,
} from './statements.ts'
import { hasBought } from './switched-members.ts'

/**
 * Ends subscriptions at one provider with the paid period, so that their members continue at another. They stay open
 * until then, and an earlier purchase at the other provider costs nothing before, so nobody pays twice. Each is fetched
 * again before it is ended. Each request is stored before the provider is called, so that an interrupted run continues.
 * A member's own cancellation stays, and undoing the switch does not touch it.
 */
export function createSwitch(deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  providers: ReadonlyMap<string, ProviderReader>
  plans: (provider: string) => readonly Plan[]
  /** Keys of the providers that sell new memberships here. */
  sellers: readonly string[]
  findMember: (id: string) => Promise<User | null>
  /** Queues a mail to the member. */
  tell: (notice: SwitchNotice) => readonly Step[]
  now: () => Date
  log: Log
}): SwitchProvider {
  const { storage, ledger, changes, providers, findMember, now, log } = deps
  const statements = switchStatements(storage)

  const run: SwitchProvider = async (request) => {
    checkPlaces(request)
    checkPrices(request)
    const done: Switching[] = []
    const result = (isWhole: boolean): Switched => ({
      isWhole,
      written: request.write === true || request.undo === true,
      subscriptions: done,
    })
    const first = { account: '', id: '' }
    for await (const page of pagesOf<SwitchingSubscription>(subscriptionsPerPage, (last) =>
      switchedMembers(storage, request.from, last ?? first),
    ))
      for (const leaving of page) {
        if (request.finish?.aborted) return result(false)
        done.push(await oneOf(leaving, request))
        request.onProgress?.(done.length)
      }
    return result(true)
  }

  const oneOf = async (leaving: SwitchingSubscription, request: SwitchRequest): Promise<Switching> => {
    const shown = await planned(leaving, request)
    try {
      if (request.undo) return isBegun(leaving) ? await takeBack(leaving, request) : shown
      if (request.write && (shown.kind === 'checkout' || leaving.state === 'asked'))
        return await end(leaving, request)
      return shown
    } catch (error) {
      if (isMembershipError(error, 'ERR_STORAGE')) throw error
      // Another process is switching it. The next run shows its result.
      if (error instanceof UnitConflict) return shown
      const reason = error instanceof Error ? error.message : String(error)
      log('a subscription could not be switched now', { provider: request.from, id: leaving.id, reason })
      return { ...shown, kind: 'failed', reason }
    }
  }

  const planned = async (
    leaving: SwitchingSubscription,
    { from, to, prices = {} }: SwitchRequest,
  ): Promise<Switching> => {
    const data = JSON.parse(leaving.data) as SubscriptionData
    const subscription = toSubscription(ownSubscription(data, ledger.shopOf(from)))
    const before =
      leaving.price_id === null || !isBegun(leaving) ? prices : whichWas(subscription, leaving.price_id)
    const target = targetOf(subscription, { from: deps.plans(from), to: deps.plans(to), prices: before })
    const member = isBegun(leaving) && leaving.member_id ? await findMember(leaving.member_id) : null
    const { kind, until } = planLeaving({
      subscription,
      memberId: leaving.member_id,
      state: isBegun(leaving) && leaving.state !== 'asked' ? leaving.state : null,
      target,
      hasMoved:
        member !== null && target !== null && hasBought(member, { to, target, plans: deps.plans(to) }),
      now: now(),
    })
    const { account, id, member_id: memberId } = leaving
    const shown = { provider: from, account, id, memberId, until, target }
    if (kind !== 'checkout' || !(await isMixed({ provider: from, account, id }))) return { kind, ...shown }
    return { kind: 'failed', ...shown, reason: 'It also holds items that this site does not sell.' }
  }

  /** True for a subscription with items of another shop. Only the provider's dashboard can end its part. */
  const isMixed = async (place: Place): Promise<boolean> =>
    (await ledger.standingAt({ kind: 'subscription', ...place })) === 'mixed'

  /** Ends a subscription with the paid period, based on the provider's current state. */
  const end = async (leaving: SwitchingSubscription, request: SwitchRequest): Promise<Switching> => {
    const key = { provider: request.from, account: leaving.account, id: leaving.id }
    const wasAsked = leaving.state === 'asked'
    const seen = await asked(leaving, request)
    const plan = await planned(seen, request)
    if (plan.kind !== 'checkout') {
      if (!wasAsked) return plan
      if (plan.kind !== 'ends') {
        await storage.commit([step(statements.forget, { ...key, was: 'asked' }, 1)])
        return plan
      }
      const state = await whoEnded(key, seen)
      const become = step(statements.become, { ...key, was: 'asked', state, updated_at: at() }, 1)
      await storage.commit([become, ...newsOf(seen, plan, request)])
      return { ...plan, kind: state }
    }
    const round = wasAsked ? (leaving.round ?? 0) : (leaving.round ?? 0) + 1
    if (!wasAsked)
      await storage.commit([
        step(
          statements.begin,
          {
            ...key,
            to_provider: request.to,
            until: plan.until!,
            price_id: plan.target?.price ?? null,
            state: 'asked',
            round,
            updated_at: at(),
          },
          1,
        ),
      ])
    const ending = requestOf(key, { kind: 'cancel', memberId: leaving.member_id, request })
    const name = endingKey(round, leaving.id)
    return changes.perform(
      { ...ending, name },
      { subscriptionId: leaving.id, when: 'period_end' },
      async (fetched, noted) => {
        try {
          await ledger.apply(fetched.changes, originOf(key, fetched.at), [
            step(statements.become, { ...key, was: 'asked', state: 'ending', updated_at: at() }, 1),
            ...newsOf({ ...seen, round }, plan, request),
            ...noted,
          ])
        } catch (error) {
          if (!(error instanceof UnitConflict)) throw error
          await storage.commit(noted)
          return endedMeanwhile(key, round, plan, request)
        }
        return { ...plan, kind: 'ending' as const }
      },
    )
  }

  /** Builds the operator's change request for one subscription. */
  const requestOf = <K extends ChangeKind>(
    { provider, account, id: object }: Place,
    { kind, memberId, request: { by, to } }: { kind: K; memberId: string | null; request: SwitchRequest },
  ) => ({
    kind,
    provider,
    account,
    object,
    memberId,
    mayRepeat: true,
    requestedBy: { kind: 'operator' as const, name: by ?? 'switch' },
    reason: `members move to ${to}`,
  })

  /** Handles another process that undid this round before the end arrived: the end is undone, too. */
  const endedMeanwhile = async (
    key: Place,
    round: number,
    plan: Switching,
    request: SwitchRequest,
  ): Promise<Switching> => {
    const [row] = await storage.all(statements.find, key)
    if (row?.state !== 'stopped' || row.round !== round) return plan
    await resume(key, { round, memberId: plan.memberId, request })
    return { ...plan, kind: 'stopped' }
  }

  /** Determines who ended a subscription when our call's answer was lost. */
  const whoEnded = async (key: Place, { data }: SwitchingSubscription): Promise<'ending' | 'unsure'> => {
    const [row] = await storage.all(statements.find, key)
    const { updated_at: changedAt } = JSON.parse(data) as SubscriptionData
    const isOurs = await isEndedByUs(providerOf(key), row, { now: now(), changedAt })
    return isOurs ? 'ending' : 'unsure'
  }

  const resume = (
    key: Place,
    { round, memberId, request }: { round: number | null; memberId: string | null; request: SwitchRequest },
    beside: readonly Step[] = [],
  ): Promise<void> =>
    changes.perform(
      {
        ...requestOf(key, { kind: 'resume', memberId, request }),
        name: `switch-back:${round}:${key.id}`,
      },
      { subscriptionId: key.id },
      ({ changes, at }, noted) => ledger.apply(changes, originOf(key, at), [...beside, ...noted]),
    )

  /** Undoes an end that we made. An end that the member wanted stays. */
  const takeBack = async (leaving: SwitchingSubscription, request: SwitchRequest): Promise<Switching> => {
    const key = { provider: request.from, account: leaving.account, id: leaving.id }
    const seen = await asked(leaving, request)
    const plan = await planned(seen, request)
    const stopped = (was: string) =>
      step(statements.become, { ...key, was, state: 'stopped', updated_at: at() }, 1)
    const wasAsked = leaving.state === 'asked'
    if (wasAsked && !isStopping(seen)) {
      await storage.commit([stopped('asked')])
      return { ...plan, kind: 'stopped' }
    }
    if (wasAsked && plan.kind === 'ends') {
      const state = await whoEnded(key, seen)
      await storage.commit([step(statements.become, { ...key, was: 'asked', state, updated_at: at() }, 1)])
      return takeBack({ ...seen, state }, request)
    }
    if (leaving.state === 'ending' && plan.kind === 'ending') {
      const mailSteps = newsOf(seen, plan, request)
      const asked = { round: leaving.round, memberId: leaving.member_id, request }
      await resume(key, asked, [stopped('ending'), ...mailSteps])
      return { ...plan, kind: 'stopped' }
    }
    if (plan.kind !== 'back') return plan
    await storage.commit([stopped(leaving.state!)])
    return { ...plan, kind: 'stopped' }
  }

  /** Fetches the subscription from its provider and stores it. */
  const asked = async (
    leaving: SwitchingSubscription,
    { from: provider }: SwitchRequest,
  ): Promise<SwitchingSubscription> => {
    const { account, id } = leaving
    const fetched = await providerOf({ provider, account }).fetch!({ kind: 'subscription', id })
    if (fetched === null) throw new MembershipError('ERR_NOT_FOUND', `${provider} does not know ${id}.`)
    await ledger.apply(fetched.changes, originOf({ provider, account, id }, fetched.at))
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    return row ? { ...leaving, data: row.data } : leaving
  }

  const providerOf = ({ provider, account }: { provider: string; account: string }): ProviderReader => {
    const found = providerAt(providers, provider, account)
    if (found?.fetch && offers(found, 'cancel') && offers(found, 'resume')) return found
    throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', `${provider} cannot end and resume from here.`, {
      action: 'Configure its API key; or end the subscriptions in its dashboard.',
    })
  }

  /** Builds the mail to its member. */
  const newsOf = (
    leaving: SwitchingSubscription,
    { memberId, until }: Switching,
    { to, undo = false }: SwitchRequest,
  ) =>
    memberId === null || until === null
      ? []
      : deps.tell({
          subscription: toSubscription(JSON.parse(leaving.data) as SubscriptionData),
          memberId,
          round: leaving.round ?? 0,
          until,
          isSoldNow: providers.get(to)?.capabilities?.starts_later === true,
          isBack: undo,
        })

  const checkPlaces = ({ from, to }: SwitchRequest): void => {
    for (const key of [from, to])
      if (!providers.has(key))
        throw new MembershipError('ERR_PROVIDER_UNKNOWN', `No provider "${key}" is configured.`, {
          action: `Name two of: ${[...providers.keys()].join(', ') || 'none'}.`,
        })
    if (from === to)
      throw new MembershipError('ERR_USAGE', 'Both are the same provider.', { action: 'Name another.' })
    if (!deps.sellers.includes(to))
      throw new MembershipError('ERR_USAGE', `New memberships are not sold through ${to} yet.`, {
        action: `Set membership.provider.handler to ${to} first, so that members whose membership ends can buy again.`,
      })
  }

  /**
   * Checks that both providers have the given prices.
   * @throws ERR_USAGE for a price that one of them does not have
   */
  const checkPrices = ({ from, to, prices = {} }: SwitchRequest): void => {
    const had = deps.plans(from).flatMap((plan) => plan.prices.map(({ id }) => id))
    const selling = deps.plans(to).flatMap((plan) => sold(plan).map(({ id }) => id))
    for (const [before, after] of Object.entries(prices))
      for (const [id, known, key] of [
        [before, had, from],
        [after, selling, to],
      ] as const)
        if (!known.includes(id))
          throw new MembershipError('ERR_USAGE', `No plan of ${key} has the price "${id}".`, {
            action: `Name one of: ${known.join(', ') || 'none'}.`,
          })
  }

  const at = (): string => now().toISOString()

  return run
}

// A begun switch keeps its replacement price, whatever a later call names.
function whichWas({ price_id: id }: Subscription, price: string): Readonly<Record<string, string>> {
  return id === null ? {} : { [id]: price }
}

function isStopping({ data }: SwitchingSubscription): boolean {
  const subscription = toSubscription(JSON.parse(data) as SubscriptionData)
  return isEnded(subscription) || subscription.cancel_at_period_end || subscription.cancel_at !== null
}

function isBegun({ state }: SwitchingSubscription): boolean {
  return state !== null && state !== 'stopped'
}

type Place = Pick<SwitchRow, 'provider' | 'account' | 'id'>

function originOf(key: { provider: string; account: string; id: string }, at: string) {
  return {
    provider: key.provider,
    account: key.account,
    id: `switch:${key.id}:${at}`,
    source: 'fetch' as const,
    at,
  }
}

/** The idempotency key of the call that ends a subscription in one round of a switch. */
function endingKey(round: number, id: string): string {
  return `switch:${round}:${id}`
}

/**
 * True if our call with the lost answer ended it. The provider's own record decides; without call records, the
 * subscription must have changed within a minute of our request.
 */
async function isEndedByUs(
  { endedBy }: Pick<ProviderReader, 'endedBy'>,
  row: SwitchRow | undefined,
  { now, changedAt }: { readonly now: Date; readonly changedAt: string | null },
): Promise<boolean> {
  if (row === undefined) return false
  const { id, round, updated_at: begun } = row
  if (endedBy === undefined)
    return changedAt !== null && Math.abs(Date.parse(changedAt) - Date.parse(begun)) <= sameRequestMs
  const since = new Date(Math.max(Date.parse(begun) - clocksApartMs, now.getTime() - recordedMs))
  return endedBy({ subscriptionId: id, idempotencyKey: endingKey(round, id), since })
}

const sameRequestMs = 60_000

// A provider's clock may be behind ours. No provider keeps such a record longer than `recordedMs`.
const clocksApartMs = 5 * 60_000
const recordedMs = 30 * 86_400_000
