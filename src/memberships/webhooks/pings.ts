import { MembershipError } from '../../core/errors.ts'
import type { Reputation } from '../../core/http/reputation.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Delivery, ProviderReader, Ref } from '../../providers/contract.ts'
import { type Ledger, type Precedence, precedence } from '../ledger/index.ts'
import { canAsk, namedBy } from '../verification/index.ts'

/** An unsigned delivery and its source. */
export interface Ping {
  readonly provider: ProviderReader
  readonly account: string
  readonly delivery: Delivery
  /** The address that its limits count for; null if unknown. */
  readonly caller: string | null
}

export interface Pings {
  /**
   * Queues the named objects; they are stored when it returns.
   * @throws ERR_BODY_UNREADABLE, ERR_RATE_LIMIT, ERR_BUSY, ERR_WEBHOOK_UNVERIFIED, ERR_STORAGE
   */
  take(ping: Ping): Promise<'queued' | 'ignored'>
}

/**
 * Takes in what anybody may have sent. Nothing in it is trusted: the objects it names are queued and fetched. An object
 * is queued once, however often it is named. The provider's answer shows whether the ping was genuine.
 */
export function createPings(deps: {
  storage: Storage
  ledger: Ledger
  reputation: Reputation
  now: () => Date
}): Pings {
  const { storage, ledger, reputation, now } = deps
  const { statements } = ledger
  const capacity = createCapacity(() => storage.all(statements.fetchesWaiting, {}))

  const take = async (ping: Ping): Promise<'queued' | 'ignored'> => {
    const { provider, account } = ping
    const refs = namedBy(provider, ping.delivery)
    if (refs.length === 0) return 'ignored'
    if (!canAsk(provider, account)) throw cannotAsk(provider.key)
    await reputation.refresh()
    const steps = await Promise.all(refs.map((ref) => queued(ping, ref)))
    await storage.commit(steps)
    return 'queued'
  }

  const queued = async ({ provider, account, caller }: Ping, ref: Ref): Promise<Step> => {
    const key = { provider: provider.key, account, kind: ref.kind, id: ref.id }
    const rank = await precedenceOf(key, caller)
    const waits = rank !== precedence.known && (await storage.all(statements.fetchWaits, key)).length > 0
    const ahead = rank === precedence.known || waits ? 0 : await admit(caller, rank)
    // A stranger's objects are fetched a second apart, so that each sender has a turn.
    const waitMs = rank === precedence.anybody ? ahead * turnMs : 0
    const at = new Date(now().getTime() + waitMs).toISOString()
    return step(statements.fetchPinged, {
      ...key,
      parent: ref.parent ?? null,
      due_at: at,
      asks_at: now().toISOString(),
      attempts: 0,
      wishes: 1,
      precedence: rank,
      caller: rank === precedence.known ? null : caller,
    })
  }

  const precedenceOf = async (
    key: { provider: string; account: string; kind: string; id: string },
    caller: string | null,
  ): Promise<Precedence> => {
    const { subscription, fact } = statements
    const known =
      key.kind === 'subscription' ? await storage.all(subscription, key) : await storage.all(fact, key)
    if (known.length > 0) return precedence.known
    return caller !== null && reputation.isProven(caller) ? precedence.proven : precedence.anybody
  }

  /**
   * Returns the number of objects that wait for the same sender.
   * @throws ERR_RATE_LIMIT, ERR_BUSY
   */
  const admit = async (caller: string | null, rank: Precedence): Promise<number> => {
    if (caller !== null) await reputation.assertWelcome(caller)
    return capacity.enter(caller, rank === precedence.proven ? mostWaiting / 4 : mostOfStranger)
  }

  return { take }
}

interface Waiting {
  readonly caller: string | null
  /** A string where the database counts beyond safe numbers. */
  readonly waiting: number | string
}

/**
 * Capacity for objects that only strangers named. An address with genuine pings may use a quarter of it, any other a
 * minute's worth. It counts the rows, for all processes.
 */
function createCapacity(count: () => Promise<readonly Waiting[]>) {
  let held = new Map<string | null, number>()
  let total = 0
  let countedAt = Number.NEGATIVE_INFINITY
  let counting: Promise<void> | null = null

  const recount = async (): Promise<void> => {
    const rows = await count()
    held = new Map(rows.map(({ caller, waiting }) => [caller, Number(waiting)]))
    total = [...held.values()].reduce((sum, n) => sum + n, 0)
    countedAt = performance.now()
  }

  /**
   * Returns the number of objects that wait for this caller.
   * @throws ERR_BUSY when there is no room; providers retry later
   */
  const enter = async (caller: string | null, most: number): Promise<number> => {
    if (performance.now() - countedAt > countedMs) {
      counting ??= recount().finally(() => {
        counting = null
      })
      await counting
    }
    const ownCount = held.get(caller) ?? 0
    if (total >= mostWaiting || ownCount >= most) throw full()
    held.set(caller, ownCount + 1)
    total++
    return ownCount
  }

  return { enter }
}

const countedMs = 2000
// A provider's busiest day, sent while the provider cannot be asked for an hour and a half.
const mostWaiting = 50_000
// A minute's worth: the number of fetches per minute for strangers' pings.
const mostOfStranger = 60
const turnMs = 60_000 / mostOfStranger

function full(): MembershipError {
  return new MembershipError('ERR_BUSY', 'Too many objects wait to be asked for.', {
    retryAfterSeconds: 60,
    action: 'Send it again later.',
  })
}

function cannotAsk(key: string): MembershipError {
  return new MembershipError('ERR_WEBHOOK_UNVERIFIED', `Only the API of ${key} can confirm this delivery.`, {
    retryAfterSeconds: 300,
    action: `Set the API key of ${key} below membership.providers.${key}, usually as "secret".`,
  })
}
