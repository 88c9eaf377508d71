import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { type Cut, type DataNode, type Entry, isOnlyCommas } from './tree.ts'

/** Parses a JSON document with comments; null for anything else. */
export function readJson(text: string): DataNode | null {
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true })
    return root === undefined || errors.length > 0 ? null : toNode(text, root)
  } catch {
    // Nested deeper than the stack.
    return null
  }
}

function toNode(text: string, node: Node): DataNode {
  if (node.type === 'object') {
    const pairs = (node.children ?? []).filter((pair) => pair.children?.length === 2)
    return { kind: 'map', entries: pairs.map((_, i) => toEntry(text, pairs, i)) }
  }
  if (node.type === 'array')
    return { kind: 'list', items: (node.children ?? []).map((item) => () => toNode(text, item)) }
  if (node.type === 'string')
    return {
      kind: 'string',
      value: String(node.value),
      start: node.offset,
      end: node.offset + node.length,
    }
  return { kind: 'other' }
}

function toEntry(text: string, pairs: readonly Node[], i: number): Entry {
  const pair = pairs[i]!
  const [key, value] = pair.children as [Node, Node]
  return {
    key: String(key.value),
    start: key.offset,
    end: key.offset + key.length,
    node: () => toNode(text, value),
    plain: () => getNodeValue(value) as unknown,
    get cut() {
      return cutOf(text, pairs, i)
    },
  }
}

function cutOf(text: string, pairs: readonly Node[], i: number): Cut | null {
  const [before, pair, after] = [pairs[i - 1], pairs[i]!, pairs[i + 1]]
  const end = pair.offset + pair.length
  if (after)
    return isOnlyCommas(text.slice(end, after.offset)) ? { start: pair.offset, end: after.offset } : null
  if (!before) return null
  const start = before.offset + before.length
  return isOnlyCommas(text.slice(start, pair.offset)) ? { start, end } : null
}
