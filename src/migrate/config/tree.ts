/** A configuration file as the migration sees it, whatever its language. Nothing in it was evaluated. */
export type ConfigNode = MapNode | ValueNode

/** A group of keys in a file, whatever its language. */
export interface MapNode {
  readonly kind: 'map'
  readonly source: string
  readonly start: number
  readonly end: number
  readonly entries: readonly Entry[]
  /** Entries are divided by commas; else by lines (YAML in block style). */
  readonly isFlow: boolean
}

/** A value in a file, with where it stands. */
export interface ValueNode {
  /** `env`: one environment variable and nothing else. `other`: a closure, a constant, a call, … */
  readonly kind: 'literal' | 'list' | 'env' | 'other'
  readonly source: string
  readonly start: number
  readonly end: number
  /** The value of a literal. */
  readonly value?: string | number | boolean | null
}

/** A key with its value. */
export interface Entry {
  /** null where it is not written as text: a constant, a computed key, a spread. */
  readonly key: string | null
  readonly keyStart: number
  readonly keyEnd: number
  /** From the key to the end of the value. */
  readonly start: number
  readonly end: number
  readonly value: ConfigNode
  /** `{ stripe }` in a script: the key is the value's name, too. */
  readonly isShorthand?: boolean
  /** Set by a statement of its own: `$config['membership.stripe.secret'] = …;` */
  readonly isStatement?: boolean
}

/** A node as it stands in its file. */
export const textOf = (node: { source: string; start: number; end: number }): string =>
  node.source.slice(node.start, node.end)

/** Visits every entry with the path of the keys above it; keys are split at their dots. */
export const walkEntries = (
  map: MapNode,
  above: readonly string[],
  visit: (
    entry: Entry,
    above: readonly string[],
    parents: readonly { map: MapNode; entry: Entry | null }[],
  ) => boolean,
  parents: readonly { map: MapNode; entry: Entry | null }[] = [{ map, entry: null }],
): void => {
  for (const entry of map.entries) {
    if (entry.key === null) continue
    const goesOn = visit(entry, above, parents)
    if (goesOn && entry.value.kind === 'map')
      walkEntries(entry.value, [...above, ...entry.key.split('.')], visit, [
        ...parents,
        { map: entry.value, entry },
      ])
  }
}

/**
 * The dotted look-up: the exact key first, then the longest dotted prefix that holds an array, then nested arrays.
 * The later of two equal keys counts. Source: how sites of version 1 read their configuration.
 */
export const lookUp = (map: MapNode, path: readonly string[]): ConfigNode | null => {
  const exact = last(map, path.join('.'))
  if (exact) return exact.value
  for (let length = path.length - 1; length > 0; length--) {
    const entry = last(map, path.slice(0, length).join('.'))
    if (entry?.value.kind === 'map') return lookUp(entry.value, path.slice(length))
  }
  return null
}

const last = (map: MapNode, key: string): Entry | undefined => map.entries.findLast((e) => e.key === key)

/** One configuration laid over another, key by key where both hold arrays. */
export const overlay = (below: MapNode, above: MapNode): MapNode => {
  const entries = new Map(below.entries.filter((e) => e.key !== null).map((e) => [e.key, e]))
  for (const entry of above.entries) {
    if (entry.key === null) continue
    const known = entries.get(entry.key)
    const value =
      known?.value.kind === 'map' && entry.value.kind === 'map'
        ? overlay(known.value, entry.value)
        : entry.value
    entries.set(entry.key, { ...entry, value })
  }
  return { ...below, entries: [...entries.values()] }
}
