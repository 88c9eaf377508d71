import type { AccessRules } from '../../core/access/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { paced } from '../../core/jobs/pacing.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderReader, Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { createUnnamedGates } from '../members/index.ts'
import { type Budget, shares } from './budget.ts'
import { createGuards } from './compare-guards.ts'
import { compareOwners } from './compare-member.ts'
import { type ComparedObjects, createComparing, merged } from './compare-objects.ts'
import { type Place, placesOf } from './compare-places.ts'
import { createOwnBooks, pageSize } from './compare-statements.ts'
import { createDifferences, type Difference, type Found } from './differences.ts'
import { createOthers, joinOthers, type OtherProduct, type Others } from './others.ts'
import { createProgress, type OnProgress } from './progress.ts'
import { createRepairing } from './repair.ts'

export type { Difference, DifferenceKind } from './differences.ts'
export type { Compared } from './progress.ts'

/** A requested comparison. `write` repairs what it finds. */
export interface CompareRequest {
  /** One provider's key. Default: all that can be asked. */
  readonly provider?: ProviderKey
  /** Compares everything of one member instead of the whole provider. */
  readonly memberId?: string
  /**
   * Only objects created at the provider since then, if the provider can filter. Objects unknown there are not
   * searched.
   */
  readonly since?: Moment
  /** Repairs the differences. Without it nothing is written. */
  readonly write?: boolean
  /** Repairs even if many gates would close, or another account seems to be behind the key. */
  readonly yes?: boolean
  /** Called after each page. The next page waits for it. */
  readonly onProgress?: OnProgress
  /** The longest wait for a request's turn, where somebody is waiting. */
  readonly patienceMs?: number
  /** Stops after the current page. The next call continues there. */
  readonly finish?: AbortSignal
}

/** The result of a comparison. */
export interface Comparison {
  /** False if it was stopped; the rest was not compared. */
  readonly isWhole: boolean
  readonly checked: number
  readonly differences: readonly Difference[]
  /** The number of repaired differences. */
  readonly mended: number
  /** Providers that list nothing. Only their purchases that are known here were compared. */
  readonly unlisted: readonly string[]
  /** The subscriptions that this site did not sell, by product. They are no differences. */
  readonly others: readonly OtherProduct[]
}

/**
 * Compares our data with a provider's.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_NOT_FOUND, ERR_COMPARE_REFUSED, ERR_PROVIDER_ANSWER, and
 * ERR_BUSY where `patienceMs` ends before its turn comes
 */
export type Compare = (request?: CompareRequest) => Promise<Comparison>

/** Compares one provider account as a whole. The name keeps its progress apart from others. */
export type ComparePlace = (
  place: Place,
  request: Pick<CompareRequest, 'since' | 'write' | 'yes' | 'onProgress' | 'finish'>,
  name?: string,
) => Promise<Comparison>

/**
 * Makes sure that members who paid have access, even where an event was lost for good. It reads all of a provider's
 * objects and reports what differs here. Each repair fetches the object again and writes the answer. An object missing
 * there closes nothing; it is reported.
 */
export function createCompare(deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, ProviderReader>
  livemode: (provider: string) => boolean | null
  rules: Omit<AccessRules, 'plans'>
  budget: Pick<Budget, 'turn'>
  /** Reads the provider's prices first, where a configured name may be a look-up key that is not known yet. */
  learnPrices: (provider: string) => Promise<void>
  now: () => Date
}) {
  const { storage, providers, budget, learnPrices, now } = deps
  const comparing = createComparing({ ...deps, differences: createDifferences(deps) })
  const progress = createProgress(storage, now)
  const { list: gatesAsked } = createUnnamedGates(storage, now)
  const ours = createOwnBooks(deps)
  const { mend } = createRepairing(deps)
  const guards = createGuards({ ours })
  const { assertSameBooks, assertFewClosings } = guards

  const compare: Compare = async (request = {}) => {
    const { memberId, finish, patienceMs } = request
    const places = placesOf(providers, request)
    if (memberId !== undefined && !(await ours.hasMember(memberId)))
      throw new MembershipError('ERR_NOT_FOUND', `No member ${memberId}.`, {
        action: 'Look for them: membership members find.',
      })
    const compared: Comparison[] = []
    for (const place of places) {
      if (finish?.aborted) break
      await learnPrices(place.key)
      const item = () =>
        memberId === undefined ? ofPlace(place, request) : ofMember(place, memberId, request)
      compared.push(await paced(() => budget.turn(place, shares.byHand, patienceMs), item))
    }
    return {
      isWhole: compared.length === places.length && compared.every((item) => item.isWhole),
      checked: sum(compared.map((item) => item.checked)),
      differences: compared.flatMap((item) => item.differences),
      mended: sum(compared.map((item) => item.mended)),
      unlisted: [...new Set(compared.flatMap(({ unlisted }) => unlisted))],
      others: joinOthers(compared.flatMap(({ others }) => others)),
    }
  }

  /** Compares everything that a provider lists for one account. */
  const ofPlace: ComparePlace = async (place, request, name = 'by hand') => {
    const { key, account, provider } = place
    const { onProgress, finish } = request
    const since = request.since === undefined ? undefined : toDate(request.since, 'since')
    const isGuarded = request.write === true && request.yes !== true
    if (isGuarded) await assertSameBooks(place)
    const run = await progress.begin(`${name} ${key} ${account}`, since ?? null)
    // Differences found before a stop are compared again in their current state.
    const found: Found[] = []
    const alone: Ref[] = []
    const take = (compared: ComparedObjects): void => {
      found.push(...compared.found)
      alone.push(...compared.alone)
    }
    for (const ref of run.refs()) take(await comparing.atOne(place, ref))
    const from = run.cursor()
    const others = createOthers(deps.ledger, gatesAsked)
    const pages =
      provider.list === undefined ? known(place, from ?? '') : listed(place, others, { since, cursor: from })
    if (!run.isListed())
      for await (const { compared, subscriptions, cursor } of pages) {
        take(compared)
        await run.note({
          cursor,
          subscriptions,
          checked: compared.checked,
          refs: [...compared.found.flatMap(({ refs }) => refs), ...compared.alone],
        })
        await onProgress?.({ provider: key, account, checked: run.checked(), differences: found.length })
        if (finish?.aborted && cursor !== null)
          return {
            ...resultOf(place, { checked: run.checked(), found: merged(found), others: others.list() }),
            isWhole: false,
          }
      }
    if (!since && provider.list !== undefined) found.push(...(await unnamed(place, run.space, onProgress)))
    const differing = merged(found)
    if (isGuarded) await assertFewClosings(place, differing)
    const mended = request.write ? await mend(place, { found: differing, alone }, onProgress) : 0
    await run.end()
    return resultOf(place, { checked: run.checked(), found: differing, mended, others: others.list() })
  }

  /** Compares the objects that a provider lists. */
  async function* listed(
    place: Place,
    others: Others,
    { since, cursor }: { since: Date | undefined; cursor: string | null },
  ): AsyncIterable<ComparedPage> {
    for await (const page of place.provider.list!({ since, ...(cursor === null ? {} : { cursor }) })) {
      await others.note(place, page.changes)
      yield {
        compared: await comparing.at(place, page.changes, page.at),
        subscriptions: page.changes.flatMap((change) => (change.type === 'subscription' ? [change.id] : [])),
        cursor: page.cursor,
      }
    }
  }

  /** Compares the objects that are known here, for a provider without a list. */
  async function* known(place: Place, cursor: string): AsyncIterable<ComparedPage> {
    for (let after = cursor; ; ) {
      const owners = await ours.owners(place, after)
      for (const [n, owner] of owners.entries()) {
        const compared = await compareOwners(place, { owners: [owner] }, { ours, comparing })
        const isLast = n === owners.length - 1 && owners.length < pageSize
        yield { compared, subscriptions: [], cursor: isLast ? null : owner }
      }
      if (owners.length < pageSize) return
      after = owners.at(-1)!
    }
  }

  const ofMember = async (place: Place, memberId: string, request: CompareRequest): Promise<Comparison> => {
    const owners = await ours.ownersOf(place, memberId)
    const checkouts = await ours.checkoutsOf(place, memberId)
    const { checked, found, alone } = await compareOwners(place, { owners, checkouts }, { ours, comparing })
    const differing = merged(found)
    const mended = request.write ? await mend(place, { found: differing, alone }) : 0
    return { ...resultOf(place, { checked, found: differing, mended }), unlisted: [] }
  }

  /** Fetches each living subscription that no page named, because lists change while they are read. */
  const unnamed = async (
    place: Place,
    space: string,
    onProgress: OnProgress | undefined,
  ): Promise<Found[]> => {
    const found: Found[] = []
    let checked = 0
    for (let after = ''; ; ) {
      const rows = await ours.unnamed(place, space, after)
      for (const { id } of rows) {
        found.push(...(await comparing.atOne(place, { kind: 'subscription', id })).found)
        if (++checked % beatEvery === 0)
          await onProgress?.({
            provider: place.key,
            account: place.account,
            checked,
            differences: found.length,
          })
      }
      if (rows.length < pageSize) return found
      after = rows.at(-1)!.id
    }
  }

  return { compare, ofPlace, guards }
}

interface ComparedPage {
  readonly compared: ComparedObjects
  /** The subscriptions that the page named. */
  readonly subscriptions: readonly string[]
  /** The cursor of the next page; null after the last. */
  readonly cursor: string | null
}

function resultOf(
  { key, provider }: Place,
  {
    checked,
    found,
    mended = 0,
    others = [],
  }: { checked: number; found: readonly Found[]; mended?: number; others?: readonly OtherProduct[] },
): Comparison {
  return {
    isWhole: true,
    checked,
    differences: found.map(({ refs: _, ...difference }) => difference),
    mended,
    unlisted: provider.list === undefined ? [key] : [],
    others,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

const beatEvery = 50
