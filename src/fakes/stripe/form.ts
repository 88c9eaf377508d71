import { invalid } from './errors.ts'

type Tree = { [key: string]: string | Tree }
const maxDepth = 8
const maxPairs = 2000

/** Decodes `a[b][0][c]=1&expand[]=d` as Stripe does: every leaf is text, numbered keys make a list. */
export function decodeForm(encoded: string): Record<string, unknown> {
  const pairs = [...new URLSearchParams(encoded)]
  if (pairs.length > maxPairs) throw invalid('The request has too many parameters.')
  const tree = empty()
  for (const [name, value] of pairs) put(tree, partsOf(name), value, name)
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, toLists(value)]))
}

// Created without a prototype, so that no name has a special meaning.
function empty(): Tree {
  return Object.create(null) as Tree
}

function partsOf(name: string): string[] {
  const head = name.split('[', 1)[0] ?? ''
  const rest = name.slice(head.length)
  const parts = [...rest.matchAll(/\[([^[\]]*)\]/g)]
  if (head === '' || parts.map(([whole]) => whole).join('') !== rest || parts.length > maxDepth)
    throw invalid(`Invalid parameter name: ${name.slice(0, 100)}`)
  return [head, ...parts.map(([, key = '']) => key)]
}

function put(tree: Tree, [key = '', ...rest]: string[], value: string, name: string): void {
  const at = key === '' ? String(Object.keys(tree).length) : key
  if (rest.length === 0) {
    tree[at] = value
    return
  }
  const inner = tree[at] ?? empty()
  // Clients that clear and set a hash at once send an empty text before it.
  if (typeof inner === 'string') throw invalid(`Invalid parameter name: ${name.slice(0, 100)}`)
  tree[at] = inner
  put(inner, rest, value, name)
}

function toLists(value: string | Tree): unknown {
  if (typeof value === 'string') return value
  const entries = Object.entries(value).map(([key, inner]) => [key, toLists(inner)] as const)
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
