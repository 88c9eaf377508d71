import type { Node, Pair, YAMLMap } from 'yaml'
import type { Edit } from '../edits.ts'

/** Returns the end of a node's own text; a block's range continues to the next node. */
export function endOf(text: string, node: Node): number {
  const [start = 0, end = 0] = node.range ?? []
  return start + text.slice(start, end).trimEnd().length
}

/** Returns the end of a pair: its value, or its key without one. */
export function pairEnd(text: string, pair: Pair): number {
  const key = endOf(text, pair.key as Node)
  const value = pair.value as Node | null
  return value?.range ? Math.max(endOf(text, value), key) : key
}

/** Removes a pair from its map: its lines, or in a flow map the pair with its comma. */
export function lineRemoval(text: string, map: YAMLMap, pair: Pair): Edit {
  const [start] = (pair.key as Node).range ?? [0]
  const end = pairEnd(text, pair)
  if (!map.flow) {
    const next = text.indexOf('\n', end)
    return {
      start: text.lastIndexOf('\n', start - 1) + 1,
      end: next === -1 ? text.length : next + 1,
      text: '',
    }
  }
  const isLast = map.items.at(-1) === pair
  if (!isLast) {
    const [nextStart] = (map.items[map.items.indexOf(pair) + 1]!.key as Node).range ?? [end]
    return { start, end: nextStart, text: '' }
  }
  const before = map.items[map.items.indexOf(pair) - 1]
  return { start: before ? pairEnd(text, before) : start, end, text: '' }
}
