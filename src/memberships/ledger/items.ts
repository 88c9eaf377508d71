/** A content that may have items, all of them or the first only. */
interface Listed {
  readonly items?: readonly object[]
  readonly cut?: true
}

/** A list of items that nothing is missing from, as of a moment. */
export interface WholeList {
  readonly at: string
  readonly items: readonly object[]
}

/** Reads the whole list out of one snapshot; null where it has none or shows only its beginning. */
export const wholeListOf = (content: unknown, at: string): WholeList | null => {
  const { items, cut } = content as Listed
  return items === undefined || cut ? null : { at, items }
}

/** The newest of two; of one moment the longer. Commutative, associative and idempotent. */
export const joinWholeLists = (a: WholeList | null, b: WholeList | null): WholeList | null =>
  a === null || b === null ? (a ?? b) : isBefore(a, b) ? b : a

const isBefore = (a: WholeList, b: WholeList): boolean => {
  if (a.at !== b.at) return a.at < b.at
  if (a.items.length !== b.items.length) return a.items.length < b.items.length
  return JSON.stringify(a.items) < JSON.stringify(b.items)
}

/**
 * Completes a content by the newest whole list: an excerpt drops nothing that was known. An entry that is missing
 * from its part of the list may have gone or moved beyond it; only the answer that such a message asks for can tell.
 */
export const withWhole = <T>(content: T, whole: WholeList | null): T => {
  const { items = [], cut } = content as Listed
  if (!cut) return content
  const { cut: _, ...said } = content as Listed
  const shown = new Set(items.map(nameOf))
  const beyond = (whole?.items ?? []).filter((item) => !shown.has(nameOf(item)))
  return { ...said, items: [...items, ...beyond] } as T
}

/** The other way: the excerpt of which a row keeps the part of the list that it showed. */
export const asShown = <T>(content: T, shown: readonly object[] | null): T =>
  shown === null ? content : ({ ...content, items: shown, cut: true } as T)

// Lines of an invoice are kept without their ids.
const nameOf = (item: object): string => (item as { id?: string | null }).id ?? JSON.stringify(item)

/** A row's column: null where the content is whole itself and the newest list is its own. */
export const itemsColumn = (content: unknown, at: string, whole: WholeList | null): string | null => {
  const { items, cut } = content as Listed
  if (!cut && (whole === null || (whole.at === at && isSame(whole.items, items)))) return null
  return JSON.stringify({ shown: cut ? (items ?? []) : null, whole })
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Reads the column of a row. */
export const readItems = (
  column: string | null,
): { shown: readonly object[] | null; whole: WholeList | null } =>
  column === null ? { shown: null, whole: null } : JSON.parse(column)
