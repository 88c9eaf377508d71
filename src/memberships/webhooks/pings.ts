import { MembershipError } from '../../core/errors.ts'
import type { Reputation } from '../../core/http/reputation.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Delivery, ProviderReader, Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { type Precedence, precedence } from '../ledger/statements/fetch-statements.ts'
import { canAsk, namedBy } from '../verification/trust.ts'

/** A delivery that proves nothing, and whence it came. */
export interface Ping {
  readonly provider: ProviderReader
  readonly account: string
  readonly delivery: Delivery
  /** The address that counts for it; null where nobody knows. */
  readonly caller: string | null
}

/**
 * Takes in what anybody may have sent: nothing of it is believed, what it names is queued and asked for. An object
 * stands there once however often it is named; whether the ping was true shows when the provider has answered.
 */
export const createPings = (deps: {
  storage: Storage
  ledger: Ledger
  reputation: Reputation
  now: () => Date
}) => {
  const { storage, ledger, reputation, now } = deps
  const { statements } = ledger
  const capacity = createCapacity(() => storage.all(statements.fetchesWaiting, {}))

  /** Durable when it returns. @throws ERR_BODY_UNREADABLE, ERR_RATE_LIMIT, ERR_BUSY, ERR_WEBHOOK_UNVERIFIED, ERR_STORAGE */
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
    // A stranger's objects are asked for a second apart, so that each sender has a turn.
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

  /** Answers how many of the same sender wait already. @throws ERR_RATE_LIMIT, ERR_BUSY */
  const admit = async (caller: string | null, rank: Precedence): Promise<number> => {
    if (caller !== null) await reputation.assertWelcome(caller)
    return capacity.enter(caller, rank === precedence.proven ? mostWaiting / 4 : mostOfStranger)
  }

  return { take }
}
export type Pings = ReturnType<typeof createPings>

interface Waiting {
  readonly caller: string | null
  /** A text where the database counts further than numbers do. */
  readonly waiting: number | string
}

/** Room for objects that nobody vouches for: a quarter of it for one address whose pings were true, a minute's worth for
 *  any other. The rows are counted, for all processes. */
const createCapacity = (count: () => Promise<readonly Waiting[]>) => {
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

  /** Answers how many of that caller wait already. @throws ERR_BUSY when there is no room: providers come again */
  const enter = async (caller: string | null, most: number): Promise<number> => {
    if (performance.now() - countedAt > countedMs) {
      counting ??= recount().finally(() => {
        counting = null
      })
      await counting
    }
    const mine = held.get(caller) ?? 0
    if (total >= mostWaiting || mine >= most) throw full()
    held.set(caller, mine + 1)
    total++
    return mine
  }

  return { enter }
}

const countedMs = 2000
// What a provider sends on its busiest day while it cannot be asked for an hour and a half.
const mostWaiting = 50_000
// A minute's worth: so many are asked for in a minute on the word of strangers.
const mostOfStranger = 60
const turnMs = 60_000 / mostOfStranger

const full = (): MembershipError =>
  new MembershipError('ERR_BUSY', 'Too many objects wait to be asked for.', {
    retryAfterSeconds: 60,
    action: 'Send it again later.',
  })

const cannotAsk = (key: string): MembershipError =>
  new MembershipError('ERR_WEBHOOK_UNVERIFIED', `Only the API of ${key} can confirm this delivery.`, {
    retryAfterSeconds: 300,
    action: `Set the API key of ${key} below membership.providers.${key}, usually as "secret".`,
  })
