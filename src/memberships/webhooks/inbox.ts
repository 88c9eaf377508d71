import { hash } from 'node:crypto'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Log } from '../../core/log.ts'
import {
  createClaim,
  type Step,
  type Storage,
  step,
  UnitConflict,
  unlessConflict,
} from '../../core/storage/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { Change, Delivery, ProviderEvent } from '../../providers/contract.ts'
import type { Ledger, Origin } from '../ledger/index.ts'
import { askedBy, fineMoment, keptHeaders, modeOf, provenChanges } from '../verification/index.ts'
import { createArchive } from './archive.ts'
import { createPast } from './past.ts'
import { type EventRow, inboxStatements, retryQueue, type StoredEvent } from './statements.ts'

/**
 * `processed` and `ignored` events are stored, the latter without effect. `duplicate`: already known. `held`: of the
 * other mode. `kept`: it failed and is retried.
 */
export type Outcome = 'processed' | 'ignored' | 'duplicate' | 'held' | 'kept'

/** One verified event, with its provider, its account and its place in the delivery. */
export interface Received {
  readonly key: string
  readonly account: string
  readonly event: ProviderEvent
  readonly place: number
  readonly delivery: Delivery
}

export interface InboxDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, ConfiguredProvider>
  readonly now: () => Date
  readonly log: Log
  /** Tries before an event is given up. */
  readonly retries: number
  readonly keepBodiesDays: number
}

const checksStaleForMs = 5000

/** Takes verified events to the ledger. An acknowledged event is stored. */
export function createInbox(deps: InboxDeps) {
  const { storage, ledger, providers, now, log } = deps
  const statements = inboxStatements(storage)
  const claim = createClaim(storage, retryQueue(leaseMs))
  const past = createPast(deps)
  const shared = () => [...providers.keys()].filter((key) => ledger.shopOf(key).accepts === 'plans')
  const archive = createArchive({ ...deps, statements, past, shared })

  const find = (key: string): ConfiguredProvider => {
    const known = providers.get(key)
    if (known) return known
    throw new MembershipError(
      'ERR_PROVIDER_UNKNOWN',
      `No provider "${key}"; configured: ${[...providers.keys()].join(', ') || 'none'}.`,
      { action: `Configure membership.providers.${key}, or correct the webhook address at the provider.` },
    )
  }

  /** Takes in one event that is known to be genuine. It is held, applied once, or kept for a retry when it fails. */
  const takeIn = (received: Received): Promise<Outcome> => {
    const configured = find(received.key)
    const row = toRow(received, keptHeaders(configured.provider, received.delivery), now())
    const other = otherMode(configured, [received.event.livemode])
    return other === null ? take(configured, received.event, row) : hold(row, other)
  }

  const hold = async (row: EventRow, reason: string): Promise<Outcome> =>
    (await insert({ ...row, status: 'held', reason })) ? 'held' : 'duplicate'

  /**
   * While deliveries repeat, each event is looked up first. An insert that finds its row undoes the unit, and the
   * commit of every unit beside it.
   */
  let checksStaleUntil = Number.NEGATIVE_INFINITY

  const take = async (to: ConfiguredProvider, event: ProviderEvent, row: EventRow): Promise<Outcome> => {
    const isRepeated =
      performance.now() < checksStaleUntil && (await storage.all(statements.stateByKey, row)).length > 0
    if (isRepeated) return again(row, () => askedBy(to.provider, event, row.account))
    try {
      const eventChanges = to.provider.changes(event)
      const reason = whyHeld(to, [event.livemode, ...eventChanges.map(modeOf)])
      if (reason !== null) return await hold(row, reason)
      const changes = provenChanges(to.provider, eventChanges, row.account)
      const outcome = changes.length > 0 ? 'processed' : 'ignored'
      // A row starts as processed. V8 takes longer to copy this many columns than for everything else here.
      const settled = outcome === row.status ? row : { ...row, status: outcome }
      await ledger.apply(changes, toOrigin(row), insertion(settled))
      return outcome
    } catch (error) {
      if (error instanceof UnitConflict && isKnown(error))
        return again(row, () => askedBy(to.provider, event, row.account))
      if (isMembershipError(error, 'ERR_STORAGE')) throw error
      return keep(row, error)
    }
  }

  // A failed event that arrives again is retried now. Any other is a duplicate. If another body has the same id, the
  // objects it names are fetched: without a signature, either body may be the genuine one.
  const again = async (row: EventRow, asked: () => readonly Change[] = () => []): Promise<Outcome> => {
    checksStaleUntil = performance.now() + checksStaleForMs
    const [state] = await storage.all(statements.stateByKey, row)
    if (state && state.body_hash !== row.body_hash) await ledger.apply(asked(), toOrigin(row))
    if (state?.status !== 'failed' && state?.status !== 'dead') return 'duplicate'
    const [known] = await storage.all(statements.byKey, row)
    if (known === undefined) return 'duplicate'
    return (await retry({ ...known, body: known.body ?? row.body })) ? 'processed' : 'kept'
  }

  const keep = async (row: EventRow, error: unknown): Promise<Outcome> => {
    const reason = reasonOf(error)
    log('an event could not be applied and is kept', { provider: row.provider, event: row.event_id, reason })
    const kept = { ...row, status: 'failed', reason, attempts: 1, next_try_at: nextTry(now(), 1) }
    return (await insert(kept)) ? 'kept' : again(row)
  }

  const insertion = (row: EventRow): Step[] => [step(statements.insert, row, 1), ...past.unless(row)]
  const isKnown = ({ step: name }: UnitConflict) => name === statements.insert.name || past.isWhy(name)

  const insert = (row: EventRow): Promise<boolean> => unlessConflict(storage.commit(insertion(row)))

  /** Applies a stored event. Returns true once it is in the ledger. */
  const retry = async (stored: StoredEvent): Promise<boolean> => {
    const attempts = stored.attempts + 1
    try {
      await ledger.apply(changesOf(stored), toOrigin(stored), [
        settle(stored, { status: 'processed', reason: null, attempts, next_try_at: null }),
      ])
      return true
    } catch (error) {
      // Another process applied it meanwhile.
      if (error instanceof UnitConflict && error.step === statements.settle.name) return true
      // An applied event stays applied, even if a second run fails.
      if (isMembershipError(error, 'ERR_STORAGE') || isApplied(stored)) throw error
      const gaveUp = attempts > deps.retries
      const next = {
        status: gaveUp ? 'dead' : 'failed',
        reason: reasonOf(error),
        attempts,
        next_try_at: gaveUp ? null : nextTry(now(), attempts),
      }
      log(gaveUp ? 'an event was given up' : 'an event failed again', {
        provider: stored.provider,
        event: stored.event_id,
        reason: next.reason,
      })
      await storage.commit([settle(stored, next)]).catch(ignoreConflict)
      return false
    }
  }

  /**
   * Reads a stored event's changes.
   * @throws ERR_BODY_UNREADABLE when its body was deleted
   */
  const changesOf = (stored: StoredEvent): readonly Change[] => {
    const { provider } = find(stored.provider)
    const headers = stored.headers === null ? {} : (JSON.parse(stored.headers) as Delivery['headers'])
    const events = provider.read({ body: archive.whole(stored).body, headers })
    const event = events.find((e, n) => idOf(e, stored.body_hash, n) === stored.event_id) ?? events[0]
    return event ? provenChanges(provider, provider.changes(event), stored.account) : []
  }

  const settle = (
    stored: StoredEvent,
    to: { status: string; reason: string | null; attempts: number; next_try_at: string | null },
  ): Step =>
    step(
      statements.settle,
      { seq: stored.seq, from_status: stored.status, from_attempts: stored.attempts, ...to },
      1,
    )

  /** Retries the failed events that are due. Returns the number applied. */
  const retryDue = async (): Promise<number> => {
    let applied = 0
    for (;;) {
      const due = await claim(now(), 10)
      if (due.length === 0) return applied
      for (const stored of due) if (await retry(stored)) applied++
    }
  }

  /**
   * Retries one event by hand.
   * @throws ERR_NOT_FOUND, ERR_BODY_UNREADABLE when its body was deleted: it stays unchanged
   */
  const replay = async (id: string): Promise<boolean> => retry(archive.whole(await archive.getStored(id)))

  /**
   * Applies a held event.
   * @throws ERR_NOT_FOUND, ERR_USAGE when it is not held
   */
  const release = async (id: string): Promise<boolean> => {
    const stored = await archive.getStored(id)
    if (stored.status !== 'held')
      throw new MembershipError('ERR_USAGE', `Event ${id} is not held back; it is ${stored.status}.`, {
        action: 'Use replay to apply it again.',
      })
    return retry(archive.whole(stored))
  }

  return { find, takeIn, retryDue, replay, release, changesOf, letGo: past.leave, ...archive }
}
export type Inbox = ReturnType<typeof createInbox>

function isApplied({ status }: StoredEvent): boolean {
  return status === 'processed' || status === 'ignored'
}

// After this time, another process may take over the event of a process that died.
const leaseMs = 60_000 + clockSkewMs
const backoffSeconds = [10, 60, 300, 1800, 3600, 10_800, 21_600]

function nextTry(from: Date, attempts: number): string {
  return new Date(
    from.getTime() + (backoffSeconds[Math.min(attempts, backoffSeconds.length) - 1] ?? 10) * 1000,
  ).toISOString()
}

// Several events without an id in one body are different events.
function idOf({ id }: ProviderEvent, hash: string, place: number): string {
  return id ?? (place === 0 ? hash : `${hash}:${place}`)
}

function toRow(
  { key, account, event, place, delivery: { body } }: Received,
  kept: Record<string, string | string[]> | null,
  now: Date,
): EventRow {
  const body_hash = hash('sha256', body, 'hex')
  const received_at = now.toISOString()
  return {
    provider: key,
    account,
    event_id: idOf(event, body_hash, place),
    type: event.type.slice(0, 200),
    object_id: event.object_id,
    occurred_at: fineMoment(event.occurred_at) ?? received_at,
    received_at,
    livemode: event.livemode === null ? null : event.livemode ? 1 : 0,
    status: 'processed',
    reason: null,
    attempts: 0,
    next_try_at: null,
    body_hash,
    body,
    headers: kept === null ? null : JSON.stringify(kept),
  }
}

function toOrigin(row: EventRow): Origin {
  return {
    provider: row.provider,
    account: row.account,
    id: row.event_id,
    source: 'event',
    at: row.occurred_at,
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof UnitConflict)) throw error
}

type Modes = Pick<ConfiguredProvider, 'mode' | 'livemode'>
/** The mode that an event states for itself and for each of its objects; null where it states none. */
type Words = readonly (boolean | null)[]

/** Explains why an event of the other mode is held; null when it states no other mode. */
function otherMode({ livemode }: Pick<Modes, 'livemode'>, words: Words): string | null {
  return livemode !== null && words.includes(!livemode)
    ? `sent from ${word(!livemode)} mode, this site runs on ${word(livemode)} mode`
    : null
}

/**
 * Same as `otherMode`, and also holds an event without a mode where the provider must state one. Such a provider signs
 * both modes with one secret, and a test purchase must open nothing.
 */
function whyHeld({ mode, livemode }: Modes, words: Words): string | null {
  const other = otherMode({ livemode }, words)
  if (other !== null || livemode === null || mode !== 'message' || words.includes(livemode)) return other
  return `sent without a word on its mode, this site runs on ${word(livemode)} mode`
}

function word(live: boolean): string {
  return live ? 'live' : 'test'
}
