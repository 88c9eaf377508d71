/** A value of a JSON or YAML document, with its places in the text. */
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
  /** The key's text with its quotes. */
  readonly start: number
  readonly end: number
  node(): DataNode
  /** The value as plain data. May throw where a document refers to itself. */
  plain(): unknown
  /** The text to cut so that the entry is gone and its neighbours stay; null where that cannot be said. */
  readonly cut: Cut | null
}
export interface Cut {
  readonly start: number
  readonly end: number
}

/** The last entry of that name, as it is the one that counts. */
export const findEntry = (map: DataMap, is: (key: string) => boolean): Entry | undefined =>
  map.entries.findLast((entry) => is(entry.key))

/** The characters that may stand between two neighbours of a one-line map. */
export const isOnlyCommas = (text: string): boolean => /^[\s,]*$/.test(text)

/** A map as plain data; null for everything else, and for what refers to itself. */
export const plainOf = (node: DataNode | null): Record<string, unknown> | null => {
  if (node?.kind !== 'map') return null
  try {
    return Object.fromEntries(node.entries.map((entry) => [entry.key, entry.plain()]))
  } catch {
    return null
  }
}
