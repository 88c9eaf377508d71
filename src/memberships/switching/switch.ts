import { isEnded, type Plan, type SubscriptionData, toSubscription } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Provider } from '../../providers/contract.ts'
import { askAnew } from '../checkout/index.ts'
import { providerAt } from '../intake/provider-at.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { planLeaving, plansOf, type SwitchKind } from './plan.ts'
import { type Leaver, leavers, leaversAPage, switchStatements } from './statements.ts'

/** From which provider to which, and what is done. */
export interface SwitchRequest {
  readonly from: string
  readonly to: string
  /** Ends what has to end there. Without it nothing is written and nobody is asked. */
  readonly write?: boolean
  /** Takes back what was begun, of everybody who has not moved. */
  readonly undo?: boolean
  readonly onProgress?: (done: number) => void
  /** Ends it after the subscription that it is at; the next call goes on there. */
  readonly finish?: AbortSignal
}

/** One subscription, and what becomes of it. */
export interface Switching {
  readonly kind: SwitchKind | 'failed' | 'stopped'
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly memberId: string | null
  /** Until when it is paid, and open. */
  readonly until: string | null
  /** Why it could not be done now. */
  readonly reason?: string
}

/** What a switch did, or would do. */
export interface Switched {
  readonly isWhole: boolean
  readonly written: boolean
  readonly subscriptions: readonly Switching[]
}

/** Moves a site's members from one provider to another. @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE */
export type SwitchProvider = (request: SwitchRequest) => Promise<Switched>

/**
 * Ends subscriptions at one provider with what is paid, so that their members go on at another: until then they stay
 * open, and nobody can buy there before, so that nobody pays twice. Each is asked for anew before it is ended; what was
 * begun is written down before the provider is told, so that a killed run goes on; what the member did by themselves
 * stays theirs, and no way back touches it.
 */
export const createSwitch = (deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  plans: (provider: string) => readonly Plan[]
  /** Who sells new memberships here. */
  sellers: readonly string[]
  findMember: (id: string) => Promise<User | null>
  now: () => Date
  randomId: () => string
  log: Log
}): SwitchProvider => {
  const { storage, ledger, providers, findMember, now, randomId, log } = deps
  const statements = switchStatements(storage)

  const run: SwitchProvider = async (request) => {
    checkPlaces(request)
    const done: Switching[] = []
    const result = (isWhole: boolean): Switched => ({
      isWhole,
      written: request.write === true || request.undo === true,
      subscriptions: done,
    })
    for (let after = { account: '', id: '' }; ; ) {
      const page = await leavers(storage, request.from, after)
      for (const leaver of page) {
        if (request.finish?.aborted) return result(false)
        done.push(await oneOf(leaver, request))
        request.onProgress?.(done.length)
      }
      if (page.length < leaversAPage) return result(true)
      after = page.at(-1)!
    }
  }

  const oneOf = async (leaver: Leaver, request: SwitchRequest): Promise<Switching> => {
    const shown = await planned(leaver, request)
    try {
      if (request.undo) return isBegun(leaver) ? await takeBack(leaver, request) : shown
      if (request.write && (shown.kind === 'checkout' || leaver.state === 'asked'))
        return await end(leaver, request)
      return shown
    } catch (error) {
      if (isMembershipError(error, 'ERR_STORAGE')) throw error
      // Another process is at it: what it did, the next look shows.
      if (error instanceof UnitConflict) return shown
      const reason = error instanceof Error ? error.message : String(error)
      log('a subscription could not be switched now', { provider: request.from, id: leaver.id, reason })
      return { ...shown, kind: 'failed', reason }
    }
  }

  const planned = async (leaver: Leaver, { from, to }: SwitchRequest): Promise<Switching> => {
    const subscription = toSubscription(JSON.parse(leaver.data) as SubscriptionData)
    const plans = { from: deps.plans(from), to: deps.plans(to) }
    const held = plansOf(subscription, plans.from)
    const member = isBegun(leaver) && leaver.member_id ? await findMember(leaver.member_id) : null
    const { kind, until } = planLeaving({
      subscription,
      memberId: leaver.member_id,
      state: isBegun(leaver) && leaver.state !== 'asked' ? leaver.state : null,
      ...plans,
      hasMoved: (member?.subscriptions() ?? []).some(
        (s) => s.provider === to && !isEnded(s) && plansOf(s, plans.to).some((id) => held.includes(id)),
      ),
      now: now(),
    })
    const { account, id, member_id: memberId } = leaver
    return { kind, provider: from, account, id, memberId, until }
  }

  /** Ends one with what is paid, as its provider has it now. */
  const end = async (leaver: Leaver, request: SwitchRequest): Promise<Switching> => {
    const key = { provider: request.from, account: leaver.account, id: leaver.id }
    const wasAsked = leaver.state === 'asked'
    const seen = await asked(leaver, request)
    const plan = await planned(seen, request)
    if (plan.kind !== 'checkout') {
      if (!wasAsked) return plan
      // It ends, and the answer that would have said who ended it was lost.
      const isOurs = plan.kind === 'ends'
      await storage.commit([
        isOurs
          ? step(statements.become, { ...key, was: 'asked', state: 'unsure', updated_at: at() }, 1)
          : step(statements.forget, { ...key, was: 'asked' }, 1),
      ])
      return isOurs ? { ...plan, kind: 'unsure' } : plan
    }
    const round = wasAsked ? (leaver.round ?? 0) : (leaver.round ?? 0) + 1
    if (!wasAsked)
      await storage.commit([
        step(
          statements.begin,
          {
            ...key,
            ...{ to_provider: request.to, until: plan.until!, state: 'asked' },
            ...{ round, updated_at: at() },
          },
          1,
        ),
      ])
    const fetched = await askAnew({ key: `switch:${round}:${leaver.id}`, randomId }, (idempotencyKey) =>
      providerOf(key).cancel!({ subscriptionId: leaver.id, when: 'period_end', idempotencyKey }),
    )
    await ledger.apply(fetched.changes, originOf(key, fetched.at), [
      step(statements.become, { ...key, was: 'asked', state: 'ending', updated_at: at() }, 1),
    ])
    return { ...plan, kind: 'ending' }
  }

  /** Lets one go on that we had ended; what the member wanted to end stays ended. */
  const takeBack = async (leaver: Leaver, request: SwitchRequest): Promise<Switching> => {
    const key = { provider: request.from, account: leaver.account, id: leaver.id }
    const seen = await asked(leaver, request)
    const plan = await planned(seen, request)
    const stopped = step(
      statements.become,
      { ...key, was: leaver.state!, state: 'stopped', updated_at: at() },
      1,
    )
    if (leaver.state === 'ending' && plan.kind === 'ending') {
      const fetched = await askAnew(
        { key: `switch-back:${leaver.round}:${leaver.id}`, randomId },
        (idempotencyKey) => providerOf(key).resume!({ subscriptionId: leaver.id, idempotencyKey }),
      )
      await ledger.apply(fetched.changes, originOf(key, fetched.at), [stopped])
      return { ...plan, kind: 'stopped' }
    }
    if (plan.kind !== 'back' && plan.kind !== 'checkout') return plan
    await storage.commit([stopped])
    return { ...plan, kind: 'stopped' }
  }

  /** The subscription as its provider has it now, written here. */
  const asked = async (leaver: Leaver, { from: provider }: SwitchRequest): Promise<Leaver> => {
    const { account, id } = leaver
    const fetched = await providerOf({ provider, account }).fetch!({ kind: 'subscription', id })
    if (fetched === null) throw new MembershipError('ERR_NOT_FOUND', `${provider} does not know ${id}.`)
    await ledger.apply(fetched.changes, originOf({ provider, account, id }, fetched.at))
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    return row ? { ...leaver, data: row.data } : leaver
  }

  const providerOf = ({ provider, account }: { provider: string; account: string }): Provider => {
    const found = providerAt(providers, provider, account)
    if (found?.cancel && found.resume && found.fetch) return found
    throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', `${provider} cannot end and resume from here.`, {
      action: 'Configure its API key; or end the subscriptions in its dashboard.',
    })
  }

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
        action: `Set membership.provider.handler to ${to} first: whoever ends has to be able to buy.`,
      })
  }

  const at = (): string => now().toISOString()

  return run
}

const isBegun = ({ state }: Leaver): boolean => state !== null && state !== 'stopped'

const originOf = (key: { provider: string; account: string; id: string }, at: string) => ({
  provider: key.provider,
  account: key.account,
  id: `switch:${key.id}:${at}`,
  source: 'fetch' as const,
  at,
})
