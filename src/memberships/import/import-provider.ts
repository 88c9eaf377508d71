import type { ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Change, ListedPage, ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { createGuards } from '../sync/compare-guards.ts'
import { refused } from '../sync/compare-objects.ts'
import { type Place, placesOf } from '../sync/compare-places.ts'
import { createOwnBooks } from '../sync/compare-statements.ts'
import { createProgress } from '../sync/progress.ts'
import { modeOf } from '../verification/normal.ts'
import { namesOwner, openScratch } from './scratch.ts'
import { buyersOf, type Unmatched } from './unmatched.ts'

export type { Unmatched, UnmatchedReason } from './unmatched.ts'

/** Which provider is taken over, and whether it is written. */
export interface ProviderImportRequest {
  readonly provider: ProviderKey
  /** Without it nothing is written: it is tried in memory. */
  readonly write?: boolean
  /** Goes on although the provider knows none of the open subscriptions that are here. */
  readonly yes?: boolean
  /** Told after each page. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Ends it after the page that is being read; the next call that writes goes on there. */
  readonly finish?: AbortSignal
}

/** The progress of an import. */
export interface ImportProgress {
  readonly provider: string
  readonly account: string
  /** Objects of the provider that were looked at, before a stop, too. */
  readonly checked: number
  /** The objects of this call that were not here. */
  readonly brought: number
}

/** The result of an import, written or rehearsed. */
export interface ProviderImported {
  /** false: it was stopped, and the report says nothing of the rest. */
  readonly isWhole: boolean
  readonly written: boolean
  readonly checked: number
  /** The objects that were not here; `money`: charges, bills, refunds and the like, of which payments are made. */
  readonly brought: Readonly<Record<'customers' | 'subscriptions' | 'money', number>>
  /** The buyers there whose purchases have an account, and the number of accounts that those purchases made. */
  readonly matched: number
  readonly made: number
  /** The buyers who could not be matched, with the reasons. */
  readonly unmatched: readonly Unmatched[]
}

/** Takes over what a provider has.
 *  @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_COMPARE_REFUSED, ERR_PROVIDER_ANSWER */
export type ImportProvider = (request: ProviderImportRequest) => Promise<ProviderImported>

/**
 * Brings in what a provider has and what is not here: customers, subscriptions and payments, by the same rules as if
 * every message about them had arrived. What is here already stays as it is, which is for a comparison to mend. Nobody is
 * mailed, no address counts as proved by it, and what is done twice changes nothing.
 */
export const createImportProvider = (deps: {
  storage: Storage
  /** A ledger on any database, with the rules of this site. */
  ledgerOn: (storage: Storage) => Ledger
  ledger: Ledger
  providers: ReadonlyMap<string, ProviderReader>
  livemode: (provider: string) => boolean | null
  now: () => Date
}): ImportProvider => {
  const { storage, ledger, providers, livemode, now } = deps
  const progress = createProgress(storage, now, 'import')
  const { assertSameBooks } = createGuards({ ours: createOwnBooks(deps) })

  const importAll: ImportProvider = async (request) => {
    const places = placesOf(providers, request).filter(({ provider }) => provider.list !== undefined)
    if (!request.yes) for (const place of places) await assertSameBooks(place)
    const target = request.write ? storage : await openScratch(storage, places, now)
    try {
      const books = request.write ? ledger : deps.ledgerOn(target)
      const found: ProviderImported[] = []
      for (const place of places) found.push(await importPlace(place, request, { target, books }))
      return together(found)
    } finally {
      if (target !== storage) await target.close()
    }
  }

  const importPlace = async (
    place: Place,
    { write = false, onProgress, finish }: ProviderImportRequest,
    { target, books }: { target: Storage; books: Ledger },
  ): Promise<ProviderImported> => {
    const run = write ? await progress.begin(`${place.key} ${place.account}`, null) : notKept()
    const brought = { customers: 0, subscriptions: 0, money: 0 }
    const cursor = run.cursor()
    let isWhole = true
    if (!run.isListed())
      for await (const page of place.provider.list!(cursor === null ? {} : { cursor })) {
        assertMode(place, page.changes)
        const missing = await missingOf(place, page.changes)
        await take(place, page, write ? missing : missing.filter(namesOwner), books)
        for (const { type } of missing)
          brought[type === 'money' ? 'money' : type === 'customer' ? 'customers' : 'subscriptions']++
        await run.note({ cursor: page.cursor, checked: page.changes.length, refs: [], subscriptions: [] })
        const { key: provider, account } = place
        onProgress?.({ provider, account, checked: run.checked(), brought: sumOf(brought) })
        if (finish?.aborted && page.cursor !== null) {
          isWhole = false
          break
        }
      }
    if (isWhole) await run.end()
    const buyers = await buyersOf(target, place, storage)
    return { isWhole, written: write, checked: run.checked(), brought, ...buyers }
  }

  /**
   * Finds the objects of a page that are not here. An object that it only mentions stands in another list, or is of
   * no purchase.
   */
  const missingOf = async (place: Place, changes: readonly Change[]): Promise<OwnChange[]> => {
    const missing: OwnChange[] = []
    for (const change of changes)
      if (change.type !== 'touch' && !(await isHere(place, change))) missing.push(change)
    return missing
  }

  const isHere = async ({ key: provider, account }: Place, change: OwnChange): Promise<boolean> => {
    const { id } = change
    const { subscription, fact } = ledger.statements
    if (change.type === 'subscription')
      return (await storage.all(subscription, { provider, account, id })).length > 0
    const kind = change.type === 'money' ? change.kind : change.type
    return (await storage.all(fact, { provider, account, kind, id })).length > 0
  }

  /** Owner by owner, so that messages that arrive meanwhile are met at one of them, not at all. */
  const take = async (
    { key: provider, account }: Place,
    { at }: ListedPage,
    changes: readonly OwnChange[],
    books: Ledger,
  ): Promise<void> => {
    const byOwner = new Map<string, OwnChange[]>()
    for (const change of changes) {
      const owner = ownerOf(change)
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), change])
    }
    await Promise.all(
      [...byOwner].map(([owner, own]) =>
        books.apply(own, {
          provider,
          account,
          id: `import:${owner}:${at}`,
          source: 'fetch',
          at,
          isQuiet: true,
        }),
      ),
    )
  }

  const assertMode = ({ key }: Place, changes: readonly Change[]): void => {
    const mode = livemode(key)
    if (mode !== null && changes.some((change) => modeOf(change) === !mode))
      throw refused(
        `The API key of ${key} is of ${mode ? 'test' : 'live'} mode; this site runs on ${mode ? 'live' : 'test'} mode.`,
      )
  }

  return importAll
}

type OwnChange = Exclude<Change, { type: 'touch' }>

const ownerOf = (change: OwnChange): string =>
  change.type === 'customer' ? change.id : (change.data.customer_id ?? change.id)

const together = (found: readonly ProviderImported[]): ProviderImported =>
  found.reduce((a, b) => ({
    isWhole: a.isWhole && b.isWhole,
    written: a.written,
    checked: a.checked + b.checked,
    brought: {
      customers: a.brought.customers + b.brought.customers,
      subscriptions: a.brought.subscriptions + b.brought.subscriptions,
      money: a.brought.money + b.brought.money,
    },
    matched: a.matched + b.matched,
    made: a.made + b.made,
    unmatched: [...a.unmatched, ...b.unmatched],
  }))

// What is only tried begins anew each time: nothing of it is kept.
const notKept = () => {
  let checked = 0
  return {
    cursor: () => null,
    isListed: () => false,
    checked: () => checked,
    note: async (page: { checked: number }): Promise<void> => {
      checked += page.checked
    },
    end: async (): Promise<void> => {},
  }
}

const sumOf = (brought: Readonly<Record<string, number>>): number =>
  Object.values(brought).reduce((a, b) => a + b, 0)
