import { MembershipError } from '../../core/errors.ts'
import { paced } from '../../core/jobs/pacing.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Change, ListedPage, ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { createUnnamedGates } from '../members/index.ts'
import {
  comparisonRefused,
  createGuards,
  createOthers,
  createOwnBooks,
  createProgress,
  joinOthers,
  type OtherProduct,
  type Place,
  placesOf,
} from '../sync/index.ts'
import { modeOf } from '../verification/index.ts'
import {
  createGiving,
  fetchNamed,
  type NamedPurchase,
  type RefusedPurchase,
  unknownThere,
} from './named-purchases.ts'
import { openScratch } from './scratch.ts'
import { buyersOf, type Unmatched } from './unmatched.ts'

export type { NamedPurchase, RefusedPurchase } from './named-purchases.ts'
export type { Unmatched, UnmatchedReason } from './unmatched.ts'

/** The provider to import, and whether to write. */
export interface ProviderImportRequest {
  readonly provider: ProviderKey
  /** The purchases to import, for a store that lists none. Default: everything that the provider lists. */
  readonly purchases?: readonly NamedPurchase[]
  /** Writes the import. Without it, the import runs in memory only. */
  readonly write?: boolean
  /** Continues although the provider knows none of the open subscriptions stored here. */
  readonly yes?: boolean
  /** Called after each page. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Stops after the current page. The next call with `write` continues there. */
  readonly finish?: AbortSignal
}

/** The progress of an import. */
export interface ImportProgress {
  readonly provider: string
  readonly account: string
  /** The provider's objects checked so far, including those before a stop. */
  readonly checked: number
  /** The new objects of this call. */
  readonly brought: number
}

/** The result of an import, written or previewed. */
export interface ProviderImported {
  /** False if it was stopped; the report covers nothing of the rest. */
  readonly isWhole: boolean
  readonly written: boolean
  readonly checked: number
  /** The new objects. `money`: charges, bills, refunds and other parts of payments. */
  readonly brought: Readonly<Record<'customers' | 'subscriptions' | 'money', number>>
  /** The number of buyers whose purchases have an account, and of accounts that those purchases created. */
  readonly matched: number
  readonly made: number
  /** The buyers without a matching account, with the reasons. */
  readonly unmatched: readonly Unmatched[]
  /** The subscriptions that this site did not sell, by product. They made no member. */
  readonly others: readonly OtherProduct[]
  /** Purchases of the request that the provider does not know, or whose owner was not found. */
  readonly refused: readonly RefusedPurchase[]
}

/**
 * Imports a provider's objects.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_COMPARE_REFUSED, ERR_PROVIDER_ANSWER
 */
export type ImportProvider = (request: ProviderImportRequest) => Promise<ProviderImported>

/**
 * Imports a provider's customers, subscriptions and payments that are missing here, by the same rules as their events.
 * Existing objects stay unchanged; a comparison repairs them. Nobody is mailed, no address is proved by it, and a
 * second import changes nothing.
 */
export function createImportProvider(deps: {
  storage: Storage
  /** Opens a ledger on any database, with this site's rules. */
  ledgerOn: (storage: Storage) => Ledger
  ledger: Ledger
  providers: ReadonlyMap<string, ProviderReader>
  livemode: (provider: string) => boolean | null
  /** Reads the provider's prices first, where a configured name may be a look-up key that is not known yet. */
  learnPrices: (provider: string) => Promise<void>
  /** Waits until a named purchase may be fetched. */
  turn: (place: Place) => Promise<void>
  now: () => Date
  randomId: () => string
}): ImportProvider {
  const { storage, ledger, providers, livemode, learnPrices, turn, now, randomId } = deps
  const progress = createProgress(storage, now, 'import')
  const { assertSameBooks } = createGuards({ ours: createOwnBooks(deps) })

  const importAll: ImportProvider = async (request) => {
    const { purchases } = request
    const all = placesOf(providers, request)
    const places = purchases === undefined ? all.filter(({ provider }) => provider.list !== undefined) : all
    if (places.length === 0) throw listsNothing(request.provider)
    for (const key of new Set(places.map((place) => place.key))) await learnPrices(key)
    if (!request.yes) for (const place of places) await assertSameBooks(place)
    const target = request.write ? storage : await openScratch(storage, places, now)
    try {
      const books = request.write ? ledger : deps.ledgerOn(target)
      if (purchases !== undefined)
        return await importNamed(places, { ...request, purchases }, { target, books })
      const found: ProviderImported[] = []
      for (const place of places) found.push(await importPlace(place, request, { target, books }))
      return together(found)
    } finally {
      if (target !== storage) await target.close()
    }
  }

  /** Imports the named purchases. A repeated import fetches all of them again, and writes what is missing. */
  const importNamed = async (
    places: readonly Place[],
    { purchases, write = false, onProgress, finish }: ProviderImportRequest & WithPurchases,
    { target, books }: { target: Storage; books: Ledger },
  ): Promise<ProviderImported> => {
    const give = createGiving({ storage: target, ledger: books, now, randomId })
    const brought = { customers: 0, subscriptions: 0, money: 0 }
    const refused: RefusedPurchase[] = []
    let checked = 0
    for (const purchase of purchases) {
      if (finish?.aborted) break
      const { id } = purchase
      const found = await paced(
        () => turn(places[0]!),
        () => fetchNamed(places, id),
      )
      checked++
      if (found === null) {
        refused.push(unknownThere(id))
        continue
      }
      const { place, fetched } = found
      assertMode(place, fetched.changes)
      const missing = await missingOf(place, fetched.changes)
      await take(place, { ...fetched, cursor: null }, missing, books)
      for (const { type } of missing) brought[countedAs(type)]++
      const trouble = await give(place, purchase, fetched.changes)
      if (trouble !== null) refused.push(trouble)
      const { key: provider, account } = place
      onProgress?.({ provider, account, checked, brought: sumOf(brought) })
    }
    const isWhole = checked === purchases.length
    const buyers = await Promise.all(places.map((place) => buyersOf(target, place, storage)))
    return {
      isWhole,
      written: write,
      checked,
      brought,
      refused,
      others: [],
      matched: sumOf(buyers.map(({ matched }) => matched)),
      made: sumOf(buyers.map(({ made }) => made)),
      unmatched: buyers.flatMap(({ unmatched }) => unmatched),
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
    const others = createOthers(ledger, createUnnamedGates(storage, now).list)
    let isWhole = true
    if (!run.isListed())
      for await (const page of place.provider.list!(cursor === null ? {} : { cursor })) {
        assertMode(place, page.changes)
        await others.note(place, page.changes)
        const missing = await missingOf(place, page.changes)
        await take(place, page, write ? missing : await decisive(place, missing, books, target), books)
        for (const { type } of missing) brought[countedAs(type)]++
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
    return {
      isWhole,
      written: write,
      checked: run.checked(),
      brought,
      refused: [],
      others: others.list(),
      ...buyers,
    }
  }

  /**
   * Finds the page's objects that are missing here. An object that it only mentions is in another list, or belongs to
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
    const { subscription, otherSubscription, fact } = ledger.statements
    if (change.type === 'subscription')
      return (
        (await storage.all(subscription, { provider, account, id })).length > 0 ||
        (await storage.all(otherSubscription, { provider, account, id })).length > 0
      )
    const kind = change.type === 'money' ? change.kind : change.type
    return (await storage.all(fact, { provider, account, kind, id })).length > 0
  }

  /**
   * Leaves out of a preview what decides no owner: a bill whose subscription counts and whose customer has an address.
   * Most objects of an account are such bills.
   */
  const decisive = async (
    { key: provider, account }: Place,
    changes: readonly OwnChange[],
    { statements }: Ledger,
    target: Storage,
  ): Promise<OwnChange[]> => {
    const found: OwnChange[] = []
    for (const change of changes) {
      const { subscription_id: id, customer_id = null } = change.type === 'money' ? change.data : {}
      const [known] = id ? await target.all(statements.subscription, { provider, account, id }) : []
      const [owner] =
        known && customer_id ? await target.all(statements.customer, { provider, account, customer_id }) : []
      if (!owner?.email) found.push(change)
    }
    return found
  }

  /** Writes one owner at a time, so that an event arriving meanwhile conflicts with one owner at most. */
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
          isFound: true,
        }),
      ),
    )
  }

  const assertMode = ({ key }: Place, changes: readonly Change[]): void => {
    const mode = livemode(key)
    if (mode !== null && changes.some((change) => modeOf(change) === !mode))
      throw comparisonRefused(
        `The API key of ${key} is of ${mode ? 'test' : 'live'} mode; this site runs on ${mode ? 'live' : 'test'} mode.`,
      )
  }

  return importAll
}

interface WithPurchases {
  readonly purchases: readonly NamedPurchase[]
}

function countedAs(type: OwnChange['type']) {
  return type === 'money' ? 'money' : type === 'customer' ? 'customers' : 'subscriptions'
}

function listsNothing(provider: string): MembershipError {
  return new MembershipError('ERR_PROVIDER_UNSUPPORTED', `${provider} lists no purchases.`, {
    action: `Give a file with the ids of purchases: membership import purchases.csv --provider ${provider}`,
  })
}

type OwnChange = Exclude<Change, { type: 'touch' }>

function ownerOf(change: OwnChange): string {
  return change.type === 'customer' ? change.id : (change.data.customer_id ?? change.id)
}

function together(found: readonly ProviderImported[]): ProviderImported {
  return found.reduce((a, b) => ({
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
    refused: [...a.refused, ...b.refused],
    others: joinOthers([...a.others, ...b.others]),
  }))
}

// A preview starts anew each time, because none of it is stored.
function notKept() {
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

function sumOf(brought: Readonly<Record<string, number>> | readonly number[]): number {
  return Object.values(brought).reduce((a, b) => a + b, 0)
}
