import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml'
import { type ConfigFile, quoteOf, type Syntax } from './syntax.ts'
import type { ConfigNode, Entry } from './tree.ts'

/** Parses one YAML document as a tree; null for anything but one map. Aliases lead to their anchor's text. */
export function readYamlConfig(text: string): ConfigFile | null {
  const documents = parseAllDocuments(text, { uniqueKeys: false, merge: false })
  const [document] = Array.isArray(documents) ? documents : []
  if (!document || documents.length !== 1 || document.errors.length > 0 || !isMap(document.contents))
    return null
  const root = mapOf(document.contents, text, document as Document)
  return root.kind === 'map' ? { root, syntax: yamlSyntax } : null
}

const yamlSyntax: Syntax = {
  key: (name, like) => `${quoteOf(like)}${name}${quoteOf(like)}`,
  pair: (key, value) => `${key}: ${value}`,
  list: (value) => `[${inFlow(value)}]`,
  map: (pair) => `{ ${pair} }`,
  text: (value) => value,
  canIndent: () => true,
}

// Between brackets these characters have a meaning.
function inFlow(value: string): string {
  return quoteOf(value) === '' && /[,[\]{}]/.test(value) ? JSON.stringify(value) : value
}

function nodeOf(node: Node | null, text: string, document: Document, at: number): ConfigNode {
  if (isMap(node)) return mapOf(node, text, document)
  if (isAlias(node)) {
    const target = node.resolve(document)
    if (isMap(target)) return mapOf(target, text, document)
    return { kind: 'other', ...placeOf(node, text, at) }
  }
  if (isSeq(node)) return { kind: 'list', ...placeOf(node, text, at) }
  if (isScalar(node)) {
    // Text over several lines cannot be used between brackets unchanged.
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
    const place = placeOf(node, text, at)
    if (isBlock || node.anchor || text.slice(place.start, place.end).includes('\n'))
      return { kind: 'other', ...place }
    return { kind: 'literal', ...place, value: node.value as string }
  }
  return { kind: 'literal', source: text, start: at, end: at, value: null }
}

function placeOf(node: Node, text: string, at: number) {
  const [start, end] = node.range ?? [at, at]
  // A block's range continues to the start of the next node.
  const trimmed = text.slice(start, end).trimEnd().length
  return { source: text, start, end: start + trimmed }
}

function mapOf(map: YAMLMap, text: string, document: Document): ConfigNode {
  const entries: Entry[] = []
  for (const pair of map.items) {
    const key = pair.key as Node | null
    const [keyStart, keyEnd] = key?.range ?? [0, 0]
    const value = nodeOf(pair.value as Node | null, text, document, keyEnd)
    const own = pair.value as Node | null
    const end = own?.range ? placeOf(own, text, keyEnd).end : keyEnd
    entries.push({
      key: isScalar(key) && !isMerge(key) ? String(key.value) : null,
      keyStart,
      keyEnd,
      start: keyStart,
      end: Math.max(end, keyEnd),
      value,
    })
  }
  return { kind: 'map', ...placeOf(map, text, 0), entries, isFlow: map.flow === true }
}

function isMerge(key: { value: unknown; type?: string }): boolean {
  return key.value === '<<' && key.type === 'PLAIN'
}
