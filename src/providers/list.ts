import { MembershipError } from '../core/errors.ts'
import type { Page } from './api.ts'
import type { ApiWords } from './api-errors.ts'
import type { Change, ListedPage, ListFrom } from './contract.ts'
import { patiently, type Wait } from './patience.ts'

/**
 * The lists of a provider, one for each kind of object, for its `list`. `Objects` has the payload type of
 * each kind.
 */
export interface KindLists<Objects> {
  readonly words: ApiWords
  readonly kinds: readonly (keyof Objects & string)[]
  /** Reads one page of a list. A failed page is requested again. */
  page<K extends keyof Objects & string>(kind: K, after: string | null): Promise<Page<Objects[K]>>
  /**
   * Returns the time of an object's creation, with which `since` compares; absent where the provider filters
   * by it.
   */
  createdAt?<K extends keyof Objects & string>(raw: Objects[K], kind: K): string | null | undefined
  /** True if each list begins with the newest object: all that follow an older one are older, too. */
  readonly isNewestFirst?: boolean
  /** Reads the objects of a page as ledger changes. `patient` repeats further requests like pages. */
  toChanges<K extends keyof Objects & string>(
    kind: K,
    items: readonly Objects[K][],
    context: { readonly at: string; readonly patient: Patient },
  ): readonly Change[] | Promise<readonly Change[]>
}

/** Repeats a request that fails for a moment; `what` names it in the error. */
export type Patient = <T>(what: string, ask: () => Promise<T>) => Promise<T>

/**
 * Walks all lists, one kind after the other.
 * @throws ERR_USAGE for an invalid cursor, and as `patiently`
 */
export function listByKind<Objects>(
  { words, kinds, page, createdAt, isNewestFirst = false, toChanges }: KindLists<Objects>,
  { since, cursor }: ListFrom = {},
  wait?: Wait,
): AsyncIterable<ListedPage> {
  const patient: Patient = (what, ask) => patiently(words, what, ask, wait)
  const readPage = async <K extends keyof Objects & string>(
    kind: K,
    after: string | null,
  ): Promise<PartOfList> => {
    const isYoung = (raw: Objects[K]): boolean =>
      since === undefined || !(Date.parse(createdAt?.(raw, kind) ?? '') < since.getTime())
    const { items, at, next } = await patient(pluralOf(kind), () => page(kind, after))
    const young = items.filter(isYoung)
    const changes = await toChanges(kind, young, { at, patient })
    return { changes, at, next: isNewestFirst && young.length < items.length ? null : next }
  }
  return walkLists(words.name, kinds, readPage, cursor)
}

function pluralOf(kind: string): string {
  return kind.endsWith('s') ? kind : `${kind}s`
}

/** One page of a provider's list, as ledger changes. */
export interface PartOfList {
  readonly changes: readonly Change[]
  readonly at: string
  /** Cursor of the next page; null after the last. */
  readonly next: string | null
}

/**
 * Walks lists one after the other. A cursor names the list and the position in it.
 * @throws ERR_USAGE for an invalid cursor
 */
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

/** Position: an object in a list. */
interface Place<K> {
  readonly kind: K
  readonly after: string | null
}

function beginningOf<K>(kind: K | undefined): Place<K> | null {
  return kind === undefined ? null : { kind, after: null }
}

function written({ kind, after }: Place<string>): string {
  return after === null ? kind : `${kind} ${after}`
}

function parsed<K extends string>(name: string, kinds: readonly K[], cursor: string): Place<K> {
  // Everything after the first blank is the provider's own cursor.
  const [, first, after = null] = /^(\S*)(?: (.*))?$/s.exec(cursor) ?? []
  const kind = kinds.find((kind) => kind === first)
  if (kind !== undefined) return { kind, after }
  throw new MembershipError('ERR_USAGE', `This cursor is none of a list of ${name}’s.`, {
    action: 'Hand over the cursor of the last page, or begin anew without one.',
  })
}
