/** A value of a JSON or YAML document, with its offsets. */
export type DataNode = DataMap | DataList | DataString | DataOther

export interface DataMap {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}
export interface DataList {
  readonly kind: 'list'
  readonly items: readonly (() => DataNode)[]
}
export interface DataString {
  readonly kind: 'string'
  readonly value: string
  readonly start: number
  readonly end: number
}
export interface DataOther {
  readonly kind: 'other'
}

/** One entry of a map. */
export interface Entry {
  readonly key: string
  /** Text of the key with its quotes. */
  readonly start: number
  readonly end: number
  node(): DataNode
  /** Returns the value as plain data. May throw if a document refers to itself. */
  plain(): unknown
  /** Text to remove for deleting the entry alone; null if that is not possible. */
  readonly cut: Cut | null
}
export interface Cut {
  readonly start: number
  readonly end: number
}

/** Finds the last entry of that name, because the last one counts. */
export function findEntry(map: DataMap, is: (key: string) => boolean): Entry | undefined {
  return map.entries.findLast((entry) => is(entry.key))
}

/** Returns true for text that may separate two neighbours of a one-line map. */
export function isOnlyCommas(text: string): boolean {
  return /^[\s,]*$/.test(text)
}

/** Returns a map as plain data; null for anything else, and for a map that refers to itself. */
export function plainOf(node: DataNode | null): Record<string, unknown> | null {
  if (node?.kind !== 'map') return null
  try {
    return Object.fromEntries(node.entries.map((entry) => [entry.key, entry.plain()]))
  } catch {
    return null
  }
}
