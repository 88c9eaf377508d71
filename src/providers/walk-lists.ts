import { MembershipError } from '../core/errors.ts'
import type { Change, ListedPage } from './contract.ts'

/** One page of a provider's list, as ledger changes. */
export interface PartOfList {
  readonly changes: readonly Change[]
  readonly at: string
  /** Cursor of the next page; null after the last. */
  readonly next: string | null
}

/** Walks all lists one after the other: the `list` of a provider with one list per kind of object. A
 *  cursor names the list and the position in it.
 *  @throws ERR_USAGE for an invalid cursor */
export async function* walkLists<K extends string>(
  name: string,
  kinds: readonly K[],
  page: (kind: K, after: string | null) => Promise<PartOfList>,
  cursor?: string,
): AsyncIterable<ListedPage> {
  let place: Place<K> | null = cursor === undefined ? beginningOf(kinds[0]) : parsed(name, kinds, cursor)
  while (place !== null) {
    const { kind, after }: Place<K> = place
    const { changes, at, next } = await page(kind, after)
    place = next === null ? beginningOf(kinds[kinds.indexOf(kind) + 1]) : { kind, after: next }
    yield { changes, at, cursor: place === null ? null : written(place) }
  }
}

/** Reads every page of one list, in order, as of the moment of the first. */
export const allPages = async <T>(
  page: (after: string | null) => Promise<{
    readonly items: readonly T[]
    readonly at: string
    readonly next: string | null
  }>,
): Promise<{ readonly all: readonly T[]; readonly at: string }> => {
  const first = await page(null)
  const all = [...first.items]
  for (let { next } = first; next !== null; ) {
    const more = await page(next)
    all.push(...more.items)
    next = more.next
  }
  return { all, at: first.at }
}

/** Position: an object in a list. */
interface Place<K> {
  readonly kind: K
  readonly after: string | null
}

const beginningOf = <K>(kind: K | undefined): Place<K> | null =>
  kind === undefined ? null : { kind, after: null }

const written = ({ kind, after }: Place<string>): string => (after === null ? kind : `${kind} ${after}`)

const parsed = <K extends string>(name: string, kinds: readonly K[], cursor: string): Place<K> => {
  // Everything after the first blank is the provider's own cursor.
  const [, first, after = null] = /^(\S*)(?: (.*))?$/s.exec(cursor) ?? []
  const kind = kinds.find((kind) => kind === first)
  if (kind !== undefined) return { kind, after }
  throw new MembershipError('ERR_USAGE', `This cursor is none of a list of ${name}’s.`, {
    action: 'Hand over the cursor of the last page, or begin anew without one.',
  })
}
