/** A content that may have items: all of them, or only the first. */
interface Listed {
  readonly items?: readonly object[]
  readonly cut?: true
}

/** A complete list of items, as of a moment. */
export interface WholeList {
  readonly at: string
  readonly items: readonly object[]
}

/** Reads the complete list from a snapshot; null where it has no items or only the first. */
export function wholeListOf(content: unknown, at: string): WholeList | null {
  const { items, cut } = content as Listed
  return items === undefined || cut ? null : { at, items }
}

/** Returns the newer of two lists; at the same moment the longer one. Commutative, associative and idempotent. */
export function joinWholeLists(a: WholeList | null, b: WholeList | null): WholeList | null {
  return a === null || b === null ? (a ?? b) : isBefore(a, b) ? b : a
}

function isBefore(a: WholeList, b: WholeList): boolean {
  if (a.at !== b.at) return a.at < b.at
  if (a.items.length !== b.items.length) return a.items.length < b.items.length
  return JSON.stringify(a.items) < JSON.stringify(b.items)
}

/**
 * Completes a cut content from the newest complete list, so that an excerpt drops no known item. An item missing from
 * the excerpt may be gone or may have moved beyond it. Only the fetch that such an event triggers can tell.
 */
export function withWhole<T>(content: T, whole: WholeList | null): T {
  const { items = [], cut } = content as Listed
  if (!cut) return content
  const { cut: _, ...rest } = content as Listed
  const shown = new Set(items.map(nameOf))
  const beyond = (whole?.items ?? []).filter((item) => !shown.has(nameOf(item)))
  return { ...rest, items: [...items, ...beyond] } as T
}

/** Reverses `withWhole`: returns the excerpt that the event showed. */
export function asShown<T>(content: T, shown: readonly object[] | null): T {
  return shown === null ? content : ({ ...content, items: shown, cut: true } as T)
}

// Invoice lines are stored without ids.
function nameOf(item: object): string {
  return (item as { id?: string | null }).id ?? JSON.stringify(item)
}

/** Builds the row's column: null where the content is complete and holds the newest list itself. */
export function itemsColumn(content: unknown, at: string, whole: WholeList | null): string | null {
  const { items, cut } = content as Listed
  if (!cut && (whole === null || (whole.at === at && isSame(whole.items, items)))) return null
  return JSON.stringify({ shown: cut ? (items ?? []) : null, whole })
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** True if a stored row shows only the first of its items. */
export function isExcerpt(column: string | null): boolean {
  return readItems(column).shown !== null
}

export function readItems(column: string | null): {
  shown: readonly object[] | null
  whole: WholeList | null
} {
  return column === null ? { shown: null, whole: null } : JSON.parse(column)
}
