import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Change, Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { modeOf } from '../verification/index.ts'
import { originOf, type Place } from './compare-places.ts'
import { isLiving } from './compare-statements.ts'
import { type Differences, type Found, refOf } from './differences.ts'

/** The result of comparing some objects of a provider. */
export interface ComparedObjects {
  readonly checked: number
  readonly found: readonly Found[]
  /** As in `ComparedChange`. */
  readonly alone: readonly Ref[]
}

export interface Comparing {
  /**
   * Finds the differences that an answer shows.
   * @throws ERR_COMPARE_REFUSED for an object of the other mode
   */
  at(place: Place, changes: readonly Change[], moment: string): Promise<ComparedObjects>
  /** Fetches and compares one object. If the provider does not know it, only a living subscription is a difference. */
  atOne(place: Place, ref: Ref): Promise<ComparedObjects & { readonly changes: readonly Change[] }>
}

/** Compares a provider's objects, from its lists or one by one. */
export function createComparing(deps: {
  storage: Storage
  ledger: Ledger
  differences: Differences
  livemode: (provider: string) => boolean | null
}): Comparing {
  const { storage, ledger, differences, livemode } = deps

  const at = async (place: Place, changes: readonly Change[], moment: string): Promise<ComparedObjects> => {
    assertMode(place, changes)
    const found: Found[] = []
    const alone: Ref[] = []
    for (const change of changes) {
      const compared = await differences.of(change, originOf(place, refOf(change), moment))
      found.push(...compared.found)
      alone.push(...compared.alone)
    }
    return { checked: changes.length, found, alone }
  }

  const atOne = async (
    place: Place,
    ref: Ref,
  ): Promise<ComparedObjects & { readonly changes: readonly Change[] }> => {
    const fetched = await place.provider.fetch!(ref)
    if (fetched) return { ...(await at(place, fetched.changes, fetched.at)), changes: fetched.changes }
    const unknown = ref.kind === 'subscription' ? await unknownThere(place, ref.id) : null
    return { checked: 1, found: unknown === null ? [] : [unknown], alone: [], changes: [] }
  }

  const unknownThere = async (place: Place, id: string): Promise<Found | null> => {
    const { key: provider, account } = place
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    if (!row || !isLiving(row.status)) return null
    const owner = { provider, account, customer_id: row.owner_id }
    const [customer] = await storage.all(ledger.statements.customer, owner)
    return {
      kind: 'unknown_there',
      object: 'subscription',
      provider,
      account,
      id,
      memberId: customer?.member_id ?? null,
      here: { status: row.status, price_id: row.price_id },
      there: null,
      mend: null,
      refs: [{ kind: 'subscription', id }],
    }
  }

  const assertMode = ({ key }: Place, changes: readonly Change[]): void => {
    const mode = livemode(key)
    if (mode !== null && changes.some((change) => modeOf(change) === !mode))
      throw comparisonRefused(
        `The API key of ${key} is of ${mode ? 'test' : 'live'} mode; this site runs on ${mode ? 'live' : 'test'} mode.`,
      )
  }

  return { at, atOne }
}

/** Merges the differences that several objects of one payment show. */
export function merged(found: readonly Found[]): Found[] {
  const byObject = new Map<string, Found>()
  for (const item of found) {
    const name = `${item.object} ${item.id}`
    byObject.set(name, { ...item, refs: [...(byObject.get(name)?.refs ?? []), ...item.refs] })
  }
  return [...byObject.values()]
}

/** The error of a comparison that writes nothing because its result is implausible. */
export function comparisonRefused(message: string): MembershipError {
  return new MembershipError('ERR_COMPARE_REFUSED', `${message} Nothing was written.`, {
    action: 'Check the API key and its account; if this is right, say so: --yes.',
  })
}
