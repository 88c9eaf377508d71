import type { AccessRules } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Change, Provider } from '../../providers/contract.ts'
import { modeOf } from '../../providers/normal.ts'
import type { Ledger } from '../ledger/index.ts'
import { originOf, type Place, placesOf } from './compare-places.ts'
import { compareQuestions, pageSize } from './compare-statements.ts'
import { createDifferences, type Difference, type Found, refOf } from './differences.ts'
import { createMending } from './mend.ts'
import { createProgress, type Page } from './progress.ts'

export type { Difference, DifferenceKind } from './differences.ts'

/** What is compared, and whether it is mended. */
export interface CompareRequest {
  /** One provider's key; all that can be asked unless given. */
  readonly provider?: string
  /** Everything that one member has, in place of all that a provider has. */
  readonly memberId?: string
  /** Only what was made at the provider since then, as far as it can tell; what is unknown there is not looked for. */
  readonly since?: Date
  /** Mends what differs. Without it nothing is written. */
  readonly write?: boolean
  /** Mends although many gates would close, or another account seems to stand behind the key. */
  readonly yes?: boolean
  /** Told after each page. */
  readonly onProgress?: (progress: Compared) => void
  /** Ends it after the page that is being read; the next call goes on there. */
  readonly finish?: AbortSignal
}

/** How far it is. */
export interface Compared {
  readonly provider: string
  readonly account: string
  /** Objects of the provider that were looked at. */
  readonly checked: number
  readonly differences: number
}

/** What a comparison found. */
export interface Comparison {
  readonly checked: number
  readonly differences: readonly Difference[]
  /** How many of them were mended. */
  readonly mended: number
}

/** Compares what stands here with what a provider has. @throws ERR_PROVIDER_UNSUPPORTED, ERR_COMPARE_REFUSED */
export type Compare = (request?: CompareRequest) => Promise<Comparison>

/**
 * Whoever paid has access, also where a message was lost for good: asks the provider for all that it has and says what is
 * not the same here. What it mends it asks for once more, object by object, and writes what the answer says. That
 * something is not there closes nothing: it is reported.
 */
export const createCompare = (deps: {
  storage: Storage
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  livemode: (provider: string) => boolean | null
  rules: Omit<AccessRules, 'plans'>
  now: () => Date
}): Compare => {
  const { storage, ledger, providers, livemode, now } = deps
  const differences = createDifferences(deps)
  const progress = createProgress(storage, now)
  const ours = compareQuestions(storage)
  const { mend } = createMending(deps)

  const compare: Compare = async (request = {}) => {
    const compared: Comparison[] = []
    for (const place of placesOf(providers, request))
      compared.push(await (request.memberId === undefined ? all(place, request) : ofMember(place, request)))
    return {
      checked: sum(compared.map((one) => one.checked)),
      differences: compared.flatMap((one) => one.differences),
      mended: sum(compared.map((one) => one.mended)),
    }
  }

  /** Everything that a provider lists for one account. */
  const all = async (place: Place, request: CompareRequest): Promise<Comparison> => {
    const { key, account, provider } = place
    const { since, onProgress, finish } = request
    const run = await progress.begin(`${key} ${account}`, since ?? null)
    const tell = () =>
      onProgress?.({ provider: key, account, checked: run.checked(), differences: run.found().length })
    const from = { ...(since ? { since } : {}), ...(run.cursor() === null ? {} : { cursor: run.cursor()! }) }
    if (!run.isListed())
      for await (const page of provider.list!(from)) {
        assertMode(place, page.changes)
        await run.note(await ofPage(place, page.changes, page.at, page.cursor))
        tell()
        if (finish?.aborted && page.cursor !== null) return resultOf(run.checked(), run.found(), 0)
      }
    const unknown = since ? [] : await unlisted(place, run.subscriptions())
    const found = merged([...run.found(), ...unknown])
    if (request.write && !request.yes) await assertPlausible(place, found, run.subscriptions())
    const mended = request.write ? await mend(place, found) : 0
    await run.end()
    return resultOf(run.checked(), found, mended)
  }

  const ofPage = async (
    place: Place,
    changes: readonly Change[],
    at: string,
    cursor: string | null,
  ): Promise<Page> => {
    const found: Found[] = []
    for (const change of changes)
      found.push(...(await differences.of(change, originOf(place, refOf(change), at))))
    return {
      cursor,
      checked: changes.length,
      found,
      subscriptions: changes.flatMap((change) => (change.type === 'subscription' ? [change.id] : [])),
    }
  }

  /** What a member has here, and what its customers have there. */
  const ofMember = async (place: Place, request: CompareRequest): Promise<Comparison> => {
    const { provider } = place
    const owners = await ours.ownersOf(place, request.memberId!)
    const found: Found[] = []
    let checked = 0
    const look = async (changes: readonly Change[], at: string) => {
      assertMode(place, changes)
      const page = await ofPage(place, changes, at, null)
      found.push(...page.found)
      checked += page.checked
    }
    const seen = new Set<string>()
    for (const owner of owners) {
      const fetched = await provider.subscriptionsOf?.(owner)
      if (fetched) await look(fetched.changes, fetched.at)
      for (const change of fetched?.changes ?? []) if (change.type !== 'touch') seen.add(change.id)
    }
    for (const id of await ours.subscriptionsOf(place, owners)) {
      if (seen.has(id)) continue
      const fetched = await provider.fetch!({ kind: 'subscription', id })
      if (fetched) await look(fetched.changes, fetched.at)
      else found.push(await unknownThere(place, id))
    }
    const all = merged(found)
    return resultOf(checked, all, request.write ? await mend(place, all) : 0)
  }

  /** Living subscriptions that no page named: each is asked for by itself, since lists change while they are read. */
  const unlisted = async (place: Place, listed: ReadonlySet<string>): Promise<Found[]> => {
    const found: Found[] = []
    for (let after = ''; ; ) {
      const rows = await ours.living(place, after)
      for (const { id } of rows) {
        if (listed.has(id)) continue
        const fetched = await place.provider.fetch?.({ kind: 'subscription', id })
        if (fetched) found.push(...(await ofPage(place, fetched.changes, fetched.at, null)).found)
        else found.push(await unknownThere(place, id))
      }
      if (rows.length < pageSize) return found
      after = rows.at(-1)!.id
    }
  }

  const unknownThere = async (place: Place, id: string): Promise<Found> => {
    const { key: provider, account } = place
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    const owner = { provider, account, customer_id: row?.owner_id ?? '' }
    const [customer] = await storage.all(ledger.statements.customer, owner)
    return {
      kind: 'unknown_there',
      object: 'subscription',
      ...{ provider, account, id },
      memberId: customer?.member_id ?? null,
      here: { status: row?.status, price_id: row?.price_id },
      there: null,
      mend: null,
      refs: [{ kind: 'subscription', id }],
    }
  }

  /** A wrong key or an account of the same shop's other half must neither bring strangers in nor put members out.
   *  @throws ERR_COMPARE_REFUSED */
  const assertPlausible = async (
    place: Place,
    found: readonly Found[],
    listed: ReadonlySet<string>,
  ): Promise<void> => {
    const open = await ours.countLiving(place)
    const closing = found.filter((one) => one.mend === 'close').length
    if (closing > Math.max(fewEnough, open / 100))
      throw refused(`${closing} of ${open} open subscriptions and payments of ${place.key} would close.`)
    const strangers = found.filter((one) => one.kind === 'unknown_there').length
    if (open > fewEnough && listed.size > 0 && strangers === open)
      throw refused(
        `${place.key} knows none of the ${open} open subscriptions: another account is behind the key.`,
      )
  }

  /** @throws ERR_COMPARE_REFUSED */
  const assertMode = ({ key }: Place, changes: readonly Change[]): void => {
    const mode = livemode(key)
    if (mode !== null && changes.some((change) => modeOf(change) === !mode))
      throw refused(
        `The API key of ${key} is of ${mode ? 'test' : 'live'} mode; this site runs on ${mode ? 'live' : 'test'} mode.`,
      )
  }

  return compare
}

/** What several objects of one payment show is one difference. */
const merged = (found: readonly Found[]): Found[] => {
  const byObject = new Map<string, Found>()
  for (const one of found) {
    const name = `${one.object} ${one.id}`
    byObject.set(name, { ...one, refs: [...(byObject.get(name)?.refs ?? []), ...one.refs] })
  }
  return [...byObject.values()]
}

const resultOf = (checked: number, found: readonly Found[], mended: number): Comparison => ({
  checked,
  differences: found.map(({ refs: _, ...difference }) => difference),
  mended,
})

const refused = (message: string): MembershipError =>
  new MembershipError('ERR_COMPARE_REFUSED', `${message} Nothing was written.`, {
    action: 'Check the API key and its account; if this is right, say so: --yes.',
  })

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

// As many may end by chance, also on a small site.
const fewEnough = 5
