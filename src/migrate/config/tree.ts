/** A configuration file as the migration sees it, in any language. Nothing in it was evaluated. */
export type ConfigNode = MapNode | ValueNode

/** A group of keys in a file, in any language. */
export interface MapNode {
  readonly kind: 'map'
  readonly source: string
  readonly start: number
  readonly end: number
  readonly entries: readonly Entry[]
  /** True if commas separate the entries; otherwise lines do (YAML in block style). */
  readonly isFlow: boolean
}

/** A value in a file, with its place. */
export interface ValueNode {
  /** `env`: one environment variable and nothing else. `other`: a closure, a constant, a call, … */
  readonly kind: 'literal' | 'list' | 'env' | 'other'
  readonly source: string
  readonly start: number
  readonly end: number
  /** Value of a literal. */
  readonly value?: string | number | boolean | null
}

/** A key with its value. */
export interface Entry {
  /** null if it is not a literal: a constant, a computed key, a spread. */
  readonly key: string | null
  readonly keyStart: number
  readonly keyEnd: number
  /** From the key to the end of the value. */
  readonly start: number
  readonly end: number
  readonly value: ConfigNode
  /** `{ stripe }` in a script: the key is also the value's name. */
  readonly isShorthand?: boolean
  /** Set by a separate statement: `$config['membership.stripe.secret'] = …;` */
  readonly isStatement?: boolean
}

/** Returns a node's text in its file. */
export function textOf(node: { source: string; start: number; end: number }): string {
  return node.source.slice(node.start, node.end)
}

/** Visits every entry with the path of its parent keys; keys are split at dots. */
export function walkEntries(
  map: MapNode,
  above: readonly string[],
  visit: (
    entry: Entry,
    above: readonly string[],
    parents: readonly { map: MapNode; entry: Entry | null }[],
  ) => boolean,
  parents: readonly { map: MapNode; entry: Entry | null }[] = [{ map, entry: null }],
): void {
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
 * Looks up a dotted path: the exact key first, then the longest dotted prefix that holds an array, then
 * nested arrays. The later of two equal keys counts. Source: how sites of version 1 read their configuration.
 */
export function lookUp(map: MapNode, path: readonly string[]): ConfigNode | null {
  const exact = last(map, path.join('.'))
  if (exact) return exact.value
  for (let length = path.length - 1; length > 0; length--) {
    const entry = last(map, path.slice(0, length).join('.'))
    if (entry?.value.kind === 'map') return lookUp(entry.value, path.slice(length))
  }
  return null
}

function last(map: MapNode, key: string): Entry | undefined {
  return map.entries.findLast((e) => e.key === key)
}

/** Merges one configuration over another, key by key where both hold arrays. */
export function overlay(below: MapNode, above: MapNode): MapNode {
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
