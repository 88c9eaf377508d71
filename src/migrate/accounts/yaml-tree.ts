import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  parseDocument,
  type Scalar,
  Schema,
  type YAMLMap,
} from 'yaml'
import { type Cut, type DataNode, type Entry, isOnlyCommas } from './tree.ts'

// Created once, because a site has thousands of accounts.
const schema = new Schema({ schema: 'core' })

/** Parses a YAML document; null for anything else, or for several documents. */
export function readYaml(text: string): DataNode | null {
  try {
    // Not strict, and duplicate keys are accepted: only the relevant part must be clear.
    const document = parseDocument(text, {
      prettyErrors: false,
      strict: false,
      uniqueKeys: false,
      schema,
    })
    return document.errors.length > 0 ? null : toNode(text, document, document.contents)
  } catch {
    // Nested deeper than the stack.
    return null
  }
}

/**
 * Finds a plain key in the block map of a text, at half the cost of parsing the values. null for any other
 * text, or if the values would have to be parsed.
 */
export function topLevelKey(text: string, key: string): number | null {
  const tokens = [...new Parser().parse(text)]
  const [document] = tokens
  if (tokens.length !== 1 || document?.type !== 'document' || document.value?.type !== 'block-map')
    return null
  const named = document.value.items.filter((item) => item.key?.type === 'scalar' && item.key.source === key)
  const [item] = named
  const isPlain = item?.start.every(
    ({ type }) => type === 'space' || type === 'newline' || type === 'comment',
  )
  return named.length === 1 && isPlain ? item!.key!.offset : null
}

function toNode(text: string, document: Document, node: unknown): DataNode {
  const value = isAlias(node) ? node.resolve(document) : node
  if (isMap(value)) return { kind: 'map', entries: entriesOf(text, document, value) }
  if (isSeq(value))
    return { kind: 'list', items: value.items.map((item) => () => toNode(text, document, item)) }
  if (isScalar(value) && typeof value.value === 'string' && value.range)
    return { kind: 'string', value: value.value, start: value.range[0], end: value.range[1] }
  return { kind: 'other' }
}

function entriesOf(text: string, document: Document, map: YAMLMap): Entry[] {
  const pairs = map.items.filter(isReadable)
  return pairs.map((pair, i) => ({
    key: String(pair.key.value),
    start: pair.key.range![0],
    end: pair.key.range![1],
    node: () => toNode(text, document, pair.value),
    plain: () => plainOf(document, pair.value),
    get cut() {
      // An entry with a complex key would be removed together with its neighbour.
      if (pairs.length !== map.items.length) return null
      const cut = map.flow ? cutInLine(text, pairs, i) : cutLines(text, pairs, i)
      // Other parts may refer to an anchor in it.
      return cut !== null && text.slice(cut.start, cut.end).includes('&') ? null : cut
    },
  }))
}

interface Readable extends Pair<Scalar, unknown> {
  readonly key: Scalar
}

function isReadable(pair: Pair): pair is Readable {
  return isScalar(pair.key) && Array.isArray(pair.key.range)
}

function plainOf(document: Document, value: unknown): unknown {
  const node = value as { toJS?: (document: Document) => unknown } | null
  return node?.toJS ? node.toJS(document) : (value ?? null)
}

// Whole lines, including a comment at the end of the last one.
function cutLines(text: string, pairs: readonly Readable[], i: number): Cut | null {
  const key = pairs[i]!.key
  if (key.anchor || key.tag) return null
  const line = text.lastIndexOf('\n', key.range![0] - 1) + 1
  if (text.slice(line, key.range![0]).trim() !== '') return null
  const valueEnd = endOf(pairs[i]!)
  const newline = text[valueEnd - 1] === '\n' ? valueEnd - 1 : text.indexOf('\n', valueEnd)
  const end = newline === -1 ? text.length : newline + 1
  if (!/^\s*(#.*)?$/.test(text.slice(valueEnd, end).trim())) return null
  if (newline !== -1 || line === 0) return { start: line, end }
  // The last line has no line break, so the previous one is removed.
  return { start: text[line - 2] === '\r' ? line - 2 : line - 1, end }
}

function cutInLine(text: string, pairs: readonly Readable[], i: number): Cut | null {
  const [before, pair, after] = [pairs[i - 1], pairs[i]!, pairs[i + 1]]
  if (pair.key.anchor || pair.key.tag || after?.key.anchor || after?.key.tag) return null
  const [start, end] = [pair.key.range![0], endOf(pair)]
  if (after)
    return isOnlyCommas(text.slice(end, after.key.range![0])) ? { start, end: after.key.range![0] } : null
  if (!before || !isOnlyCommas(text.slice(endOf(before), start))) return null
  return { start: endOf(before), end }
}

function endOf(pair: Readable): number {
  const value = pair.value as { range?: readonly number[] } | null
  return value?.range?.[1] ?? pair.key.range![1] + 1
}
