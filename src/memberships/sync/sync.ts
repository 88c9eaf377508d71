import { isMembershipError } from '../../core/errors.ts'
import { paced } from '../../core/jobs/pacing.ts'
import type { Round, Rounds } from '../../core/jobs/rounds.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { type Budget, shares } from './budget.ts'
import type { ComparePlace } from './compare.ts'
import type { Guards } from './compare-guards.ts'
import type { Place } from './compare-places.ts'

/** A problem with a provider, for operators. The text names no person and no secret. */
export interface Noticed {
  readonly kind: 'compare_refused' | 'provider_unreachable' | 'deliveries_missing' | 'unknown_there'
  readonly message: string
  readonly action: string
}

/** Reads a provider's past events, and takes them in like deliveries. */
type PastEvents = (
  key: string,
  since: Date,
  options: { account: string; retryFailed: false; finish: AbortSignal },
) => AsyncIterable<{ readonly outcome: string; readonly occurred_at: string | null }>

/** The state that a round leaves for the next one. */
interface Left {
  /** Everything up to this moment was read, ISO 8601 UTC. */
  readonly through: string | null
  /** The number of consecutive failures. */
  readonly failures: number
  /** The last time that an undelivered event was found, ISO 8601 UTC. */
  readonly missing_at: string | null
}

/** Dependencies of the automatic sync. */
export interface KeepingUpDeps {
  readonly places: readonly Place[]
  readonly rounds: Rounds
  readonly budget: Pick<Budget, 'turn'>
  readonly guards: Guards
  readonly comparePlace: ComparePlace
  readonly pull: PastEvents
  /** Reports the current problems of one kind. Earlier problems that are absent are over. */
  readonly notice: (place: Place, respect: string, noticed: readonly Noticed[]) => Promise<void>
  /** The account's last delivery, ISO 8601 UTC; null when none is known. */
  readonly lastDelivery: (place: Place) => Promise<string | null>
  readonly finish: AbortSignal
  readonly now: () => Date
}

export interface KeepingUp {
  /** Reads every account's news. */
  catchUp(): Promise<void>
  /** Compares everything of every account. */
  compareAll(): Promise<void>
}

/**
 * Fetches from the providers what no event reported, within a tenth of their rate limit. Every two minutes it reads
 * what is new (past events, else the newest objects), and once a day everything. Only a returned object or event is
 * written; an absent one closes nothing. One of all processes does each piece.
 */
export function createKeepingUp(deps: KeepingUpDeps): KeepingUp {
  const { places, rounds, budget, guards, comparePlace, pull, notice, lastDelivery, finish, now } = deps
  const ago = (at: string): number => now().getTime() - Date.parse(at)

  const catchUp = async (): Promise<void> => {
    await everywhere(places.filter(isNewlyReported), async (place) => {
      const round = await rounds.take<Left>(`catch up ${nameOf(place)}`, catchUpRhythm)
      if (round === null) return
      const moment = now()
      const through = round.state?.through ?? round.since
      const since = new Date(
        Math.max(Date.parse(through), moment.getTime() - oldestOf(place)) - overlapOf(place),
      )
      await attempt(place, 'catch up', round, async () => {
        const count = await (place.provider.pull ? pastEvents : newest)(place, since, round)
        const missing_at = count > 0 ? moment.toISOString() : (round.state?.missing_at ?? null)
        const noticed = (await isMissed(place, missing_at)) ? [missingOf(place, count)] : []
        return { left: { through: moment.toISOString(), missing_at }, noticed }
      })
    })
  }

  const compareAll = async (): Promise<void> => {
    await everywhere(places.filter(isListed), async (place) => {
      const round = await rounds.take<Left>(`compare ${nameOf(place)}`, dailyRhythm)
      if (round === null) return
      await attempt(place, 'compare', round, async () => {
        const onProgress = () => keep(round)
        const found = await comparePlace(place, { write: true, finish, onProgress }, 'daily')
        if (!found.isWhole) throw stopped
        const unknown = found.differences.filter(({ kind }) => kind === 'unknown_there').length
        return { left: nothing, noticed: unknown === 0 ? [] : [unknownOf(place, unknown)] }
      })
    })
  }

  const attempt = async (
    place: Place,
    respect: string,
    round: Round<Left>,
    run: () => Promise<{ left: Omit<Left, 'failures'>; noticed: readonly Noticed[] }>,
  ): Promise<void> => {
    const before = round.state ?? { ...nothing, failures: 0 }
    try {
      const { left, noticed } = await paced(() => budget.turn(place, shares.byItself), run)
      await notice(place, respect, noticed)
      await round.end({ ...left, failures: 0 })
    } catch (error) {
      // Another process has the round, or this one is stopping. The next process continues.
      if (finish.aborted) return round.end(before, 0)
      if (error === stopped) return
      const failures = before.failures + 1
      const isRefused = isMembershipError(error, 'ERR_COMPARE_REFUSED')
      if (isRefused || failures >= patience) await notice(place, respect, [troubleOf(place, error)])
      await round.end({ ...before, failures }, isRefused ? refusedMs : catchUpRhythm.everyMs)
    }
  }

  /** Counts events that happened some minutes ago and were never delivered. */
  const pastEvents = async (place: Place, since: Date, round: Round<Left>): Promise<number> => {
    await guards.assertSameBooks(place)
    let [read, missing] = [0, 0]
    for await (const { outcome, occurred_at } of pull(place.key, since, {
      account: place.account,
      retryFailed: false,
      finish,
    })) {
      if (++read % beatEvery === 0) await keep(round)
      if (outcome === 'processed' && isLate(occurred_at)) missing++
    }
    if (finish.aborted) throw stopped
    return missing
  }

  const newest = async (place: Place, since: Date, round: Round<Left>): Promise<number> => {
    const { isWhole, mended } = await comparePlace(
      place,
      { since, write: true, finish, onProgress: () => keep(round) },
      'newest',
    )
    if (!isWhole) throw stopped
    // While deliveries arrive, a repaired object's event may still be on its way.
    const last = await lastDelivery(place)
    return last !== null && ago(last) <= lateMs ? 0 : mended
  }

  /** True until a day has passed without a missing event and deliveries arrive again. */
  const isMissed = async (place: Place, missingAt: string | null): Promise<boolean> => {
    if (missingAt === null) return false
    const last = await lastDelivery(place)
    return ago(missingAt) < dayMs || last === null || last < missingAt
  }

  const keep = async (round: Round<Left>): Promise<void> => {
    if (finish.aborted || !(await round.keep())) throw stopped
  }
  const isLate = (at: string | null): boolean => at !== null && ago(at) > lateMs

  return { catchUp, compareAll }
}

/** The accounts that can be asked for one object, except providers within this process. */
export function askedPlaces(
  providers: ReadonlyMap<string, ProviderReader>,
  isHere: (key: string) => boolean,
): Place[] {
  return [...providers].flatMap(([key, main]) =>
    isHere(key)
      ? []
      : [...(main.accounts ?? new Map([[main.account ?? '', main]]))].flatMap(([account, provider]) =>
          provider.fetch ? [{ key, account, provider }] : [],
        ),
  )
}

/** Runs all places; a failure of one does not stop the others. */
async function everywhere(places: readonly Place[], run: (place: Place) => Promise<void>): Promise<void> {
  for (const item of await Promise.allSettled(places.map(run)))
    if (item.status === 'rejected') throw item.reason
}

function isListed({ provider }: Place): boolean {
  return provider.list !== undefined
}
function isNewlyReported(place: Place): boolean {
  return place.provider.pull !== undefined || isListed(place)
}
function nameOf({ key, account }: Place): string {
  return `${key} ${account}`
}
function overlapOf({ provider }: Place): number {
  return provider.pull ? eventsOverlapMs : objectsOverlapMs
}

const nothing = { through: null, missing_at: null }
const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** How often new data is read. */
export const catchUpRhythm = { everyMs: 2 * minuteMs, leaseMs: 10 * minuteMs }
export const dailyRhythm = { everyMs: dayMs, leaseMs: 30 * minuteMs, firstMs: 60 * minuteMs }
// An event may be listed some time after it happened.
const eventsOverlapMs = 5 * minuteMs
// An object is as old as its checkout page, which is paid within the hour.
const objectsOverlapMs = 60 * minuteMs
// After a longer absence the daily comparison catches up. Where nothing is listed, past events are all there is; a test
// mode keeps them for 30 days.
function oldestOf(place: Place): number {
  return (isListed(place) ? 3 : 29) * dayMs
}
const lateMs = 5 * minuteMs
const refusedMs = 60 * minuteMs
const patience = 3
const beatEvery = 50
const stopped = Symbol('stopped')

function missingOf({ key }: Place, count: number): Noticed {
  return {
    kind: 'deliveries_missing',
    message: `${count} messages of ${key} did not arrive; what they say was asked for and is applied.`,
    action: `See at ${key} whether it sends to this site, and what it is answered: membership doctor --url https://(your site).`,
  }
}

function unknownOf({ key }: Place, count: number): Noticed {
  return {
    kind: 'unknown_there',
    message: `${key} does not know ${count} subscriptions that are open here. They stay open.`,
    action: `See which: membership compare --provider ${key}`,
  }
}

function troubleOf({ key }: Place, error: unknown): Noticed {
  // Any other message may contain private data.
  const message = isMembershipError(error) ? error.message : 'something unexpected failed'
  return isMembershipError(error, 'ERR_COMPARE_REFUSED')
    ? {
        kind: 'compare_refused',
        message: message,
        action: `See what differs: membership compare --provider ${key}. If it is right: --write --yes`,
      }
    : {
        kind: 'provider_unreachable',
        message: `${key} cannot be asked: ${message}`,
        action:
          (isMembershipError(error) && error.action) || `Check the API key of ${key}: membership doctor.`,
      }
}
