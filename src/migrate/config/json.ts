import { type Node, parseTree } from 'jsonc-parser'
import type { ConfigFile, Syntax } from './syntax.ts'
import type { ConfigNode, Entry } from './tree.ts'

/** Parses JSON, with comments and trailing commas, as a tree; null for anything but an object. */
export const readJsonConfig = (text: string): ConfigFile | null => {
  const errors: unknown[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors as never, { allowTrailingComma: true })
  if (!tree || errors.length > 0) return null
  const root = nodeOf(tree, text)
  return root.kind === 'map' ? { root, syntax: jsonSyntax } : null
}

const jsonSyntax: Syntax = {
  key: (name) => JSON.stringify(name),
  pair: (key, value) => `${key}: ${value}`,
  list: (value) => `[${value}]`,
  map: (pair) => `{ ${pair} }`,
  text: (value) => JSON.stringify(value),
  canIndent: () => true,
}

const nodeOf = (node: Node, text: string): ConfigNode => {
  const place = { source: text, start: node.offset, end: node.offset + node.length }
  if (node.type === 'array') return { kind: 'list', ...place }
  if (node.type !== 'object') return { kind: 'literal', ...place, value: node.value }
  const entries = (node.children ?? []).flatMap((property): Entry[] => {
    const [key, value] = property.children ?? []
    if (!key || !value) return []
    const keyEnd = key.offset + key.length
    return [
      {
        key: String(key.value),
        keyStart: key.offset,
        keyEnd,
        start: key.offset,
        end: value.offset + value.length,
        value: nodeOf(value, text),
      },
    ]
  })
  return { kind: 'map', ...place, entries, isFlow: true }
}
