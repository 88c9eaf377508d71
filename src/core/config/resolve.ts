import { isPlainObject } from './env.ts'
import type { Problems } from './problems.ts'

/** A source of configuration, with its name in messages. */
export interface Source {
  readonly label: string
  readonly data: unknown
}

/** A value from one source. */
export interface Leaf {
  readonly kind: 'leaf'
  readonly value: unknown
  readonly source: string
  /** The key as written: `"membership.providers" > "stripe" > "secret"`. */
  readonly written: string
}

/** A group of keys. Several sources of a group are merged. */
export interface Branch {
  readonly kind: 'branch'
  readonly children: Map<string, Node>
  source: string
}

export type Node = Leaf | Branch

/** Rules that combine dotted and nested keys in one tree. */
export interface ResolveRules {
  readonly problems: Problems
  /** The path that a key stands for. Aliases and v1 keys map to other paths. */
  readonly canonical: (
    path: readonly string[],
    found: { source: string; written: string },
  ) => readonly string[]
  /** True for paths whose objects are values, not groups of keys. */
  readonly isValue: (path: readonly string[]) => boolean
  /** Called for a key with the value undefined, which counts as not given. */
  readonly onUndefined?: (path: readonly string[], source: string) => void
}

/** Writes a path below `membership` as people do: `membership.providers.stripe.plans.pro.prices[0].amount`. */
export function toKey(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (key, segment) => (typeof segment === 'number' ? `${key}[${segment}]` : `${key}.${String(segment)}`),
    'membership',
  )
}

/**
 * Reads dotted and nested keys, mixed freely, into one tree below `membership`. A dot in a key always splits it. A
 * source may omit `membership` if none of its top keys starts with it.
 */
export function resolveSource(source: Source, rules: ResolveRules): Branch {
  const root: Branch = { kind: 'branch', children: new Map(), source: source.label }
  if (source.data === null || source.data === undefined) return root
  if (!isPlainObject(source.data)) {
    rules.problems.add(`The configuration must be a group of keys (${source.label})`)
    return root
  }
  const isFull = Object.keys(source.data).some((key) => key === 'membership' || key.startsWith('membership.'))
  walk(source.data, isFull ? [] : ['membership'], [], new Set())
  return root

  function walk(group: Record<string, unknown>, above: string[], writtenAbove: string[], open: Set<object>) {
    if (open.has(group)) {
      rules.problems.add(`"${above.join('.')}" holds itself (${source.label})`)
      return
    }
    open.add(group)
    for (const [key, value] of Object.entries(group)) {
      const full = [...above, ...key.split('.')]
      const written = [...writtenAbove, key]
      const path = full.slice(1)
      if (value === undefined) rules.onUndefined?.(path, source.label)
      if (value === undefined || !isAllowed(full, value)) continue
      const found = { source: source.label, written: written.map((part) => `"${part}"`).join(' > ') }
      const isGroup = isPlainObject(value) && !rules.isValue(path)
      if (isGroup && Object.keys(value).length > 0) walk(value, full, written, open)
      else insert(root, rules.canonical(path, found), isGroup ? undefined : { kind: 'leaf', value, ...found })
    }
    open.delete(group)
  }

  function isAllowed(full: string[], value: unknown): boolean {
    const key = full.join('.')
    if (full[0] !== 'membership') {
      const right = `membership.${key.replace(/^membership[-_:/]+/i, '')}`
      rules.problems.add(
        `Unknown key "${key}" (${source.label}): keys begin with "membership." here. Did you mean "${right}"?`,
        `Rename "${key}" to "${right}".`,
      )
    } else if (full.some((segment) => refused.has(segment)) || hasRefusedKey(value)) {
      rules.problems.add(`"${key}" (${source.label}) uses a key that is refused: ${[...refused].join(', ')}`)
    } else if (full.includes('')) {
      rules.problems.add(`"${key}" (${source.label}) has an empty part between its dots`)
    } else if (full.length === 1 && value !== null && !isPlainObject(value)) {
      rules.problems.add(`membership must be a group of keys (${source.label})`)
    } else return full.length > 1 || value !== null
    return false
  }

  function insert(into: Branch, path: readonly string[], leaf: Leaf | undefined): void {
    const [head, ...rest] = path
    if (head === undefined) return
    const present = into.children.get(head)
    const wantsBranch = rest.length > 0 || !leaf
    if (!present) {
      const branch: Branch = { kind: 'branch', children: new Map(), source: source.label }
      into.children.set(head, wantsBranch ? branch : leaf)
      if (wantsBranch) insert(branch, rest, leaf)
    } else if (present.kind === 'branch' && wantsBranch) {
      insert(present, rest, leaf)
    } else if (leaf && present.kind === 'branch' && !firstLeaf(present)) {
      into.children.set(head, leaf)
    } else {
      reportTwice(present, leaf)
    }
  }

  function reportTwice(present: Node, leaf: Leaf | undefined): void {
    const first = firstLeaf(present)
    if (!first || !leaf) return
    const keys = [first.written, leaf.written].map((written) =>
      written.replaceAll('"', '').split(' > ').join('.'),
    )
    const names = keys[0] === keys[1] ? `"${keys[0]}" is` : `"${keys[0]}" and "${keys[1]}" are the same key,`
    rules.problems.add(
      `${names} given twice in ${source.label}: as ${first.written} and as ${leaf.written}`,
      `Keep one of ${first.written} and ${leaf.written}.`,
    )
  }
}

// These keys reach prototypes, and no configuration needs them.
const refused = new Set(['__proto__', 'constructor', 'prototype'])

function hasRefusedKey(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.some(
      (item) =>
        hasRefusedKey(item) ||
        (isPlainObject(item) &&
          Object.entries(item).some(([key, inner]) => refused.has(key) || hasRefusedKey([inner]))),
    )
  )
}

function firstLeaf(node: Node): Leaf | undefined {
  if (node.kind === 'leaf') return node
  for (const child of node.children.values()) {
    const leaf = firstLeaf(child)
    if (leaf) return leaf
  }
  return undefined
}

/**
 * Merges `later` over `earlier`, key by key. Lists and other values replace; an empty value (`stripe:` in YAML) keeps
 * an existing group.
 */
export function mergeTrees(earlier: Branch, later: Branch): Branch {
  const children = new Map(earlier.children)
  for (const [key, node] of later.children) {
    const present = children.get(key)
    if (present?.kind === 'branch' && node.kind === 'branch') children.set(key, mergeTrees(present, node))
    else if (present?.kind === 'branch' && node.kind === 'leaf' && node.value === null) continue
    else children.set(key, node)
  }
  return { kind: 'branch', children, source: later.children.size > 0 ? later.source : earlier.source }
}

/** Returns the node at a path, or the nearest one above it, for messages about the path. */
export function findNode(tree: Branch, path: readonly PropertyKey[]): Node {
  let node: Node = tree
  for (const segment of path) {
    const next: Node | undefined = node.kind === 'branch' ? node.children.get(String(segment)) : undefined
    if (!next) return node
    node = next
  }
  return node
}
