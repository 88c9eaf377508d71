import { isPhpNode, type PhpNode, parsePhp } from '../php.ts'
import { type ConfigFile, quoteOf, type Syntax } from './syntax.ts'
import type { ConfigNode, Entry, MapNode } from './tree.ts'

/** Parses a PHP file that returns an array, as a tree; null if it is not PHP or returns no visible array. */
export function readPhpConfig(text: string): ConfigFile | null {
  const program = parsePhp(text)
  if (!program) return null
  const statements = list(program.children)
  const returned = statements.findLast((s) => s.kind === 'return')
  const variables = assignmentsOf(statements, text, returned?.expr)
  const root = returned && mapOf(returned.expr, text, variables)
  if (!root) return null
  const later = laterKeys(statements, returned.expr, text, variables)
  return { root: { ...root, entries: [...root.entries, ...later] }, syntax: phpSyntax }
}

const phpSyntax: Syntax = {
  key: (name, like) => `${quoteOf(like) || "'"}${name}${quoteOf(like) || "'"}`,
  pair: (key, value) => `${key} => ${value}`,
  list: (value) => `[${value}]`,
  map: (pair) => `[${pair}]`,
  text: (value, like) => `${quoteOf(like) || "'"}${value}${quoteOf(like) || "'"}`,
  // Indenting would change a heredoc or a text of several lines.
  canIndent: (text) => !text.includes('<<<') && !/['"]/.test(text.replace(shortTexts, '')),
}

const shortTexts = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

type Variables = ReadonlyMap<string, PhpNode>

/**
 * Finds variables that are assigned once, at the top level, and never written again: `$stripe = ['secret' =>
 * …];`. Later entries of the returned one are read separately.
 */
function assignmentsOf(statements: readonly PhpNode[], text: string, returned: unknown): Variables {
  const own = isPhpNode(returned) && returned.kind === 'variable' ? returned.name : null
  const seen = new Map<string, PhpNode | null>()
  for (const assign of assigns(statements)) {
    const { left, right } = assign
    if (!isPhpNode(left) || left.kind !== 'variable' || typeof left.name !== 'string') continue
    seen.set(left.name, seen.has(left.name) || !isPhpNode(right) ? null : right)
  }
  return new Map(
    [...seen].filter(
      (pair): pair is [string, PhpNode] =>
        pair[1] !== null && (pair[0] === own || !isWrittenTo(pair[0], text)),
    ),
  )
}

/** Matches `$a['b'] = …`, `$a[] = …`, `$a += …`, `&$a`, `unset($a['b'])`. */
function isWrittenTo(name: string, text: string): boolean {
  return new RegExp(
    `\\$${name}\\s{0,9}(?:(?:\\[[^\\]\\n;]{0,200}\\]\\s{0,9}){1,9}(?:[+.]|\\?\\?)?|[+]|\\?\\?)=(?!=|>)|&\\s{0,9}\\$${name}\\b|\\bunset\\s{0,9}\\(\\s{0,9}\\$${name}\\b`,
  ).test(text)
}

function assigns(statements: readonly PhpNode[]): PhpNode[] {
  return statements
    .filter((s) => s.kind === 'expressionstatement')
    .map((s) => s.expression as PhpNode)
    .filter((e) => isPhpNode(e) && e.kind === 'assign' && e.operator === '=')
}

/** Reads `$config['membership.stripe.secret'] = …;` before the return of `$config` as an entry. */
function laterKeys(
  statements: readonly PhpNode[],
  returned: unknown,
  text: string,
  variables: Variables,
): Entry[] {
  if (!isPhpNode(returned) || returned.kind !== 'variable') return []
  return assigns(statements).flatMap(({ left, right }) => {
    if (!isPhpNode(left) || left.kind !== 'offsetlookup') return []
    const { what, offset } = left
    if (!isPhpNode(what) || what.kind !== 'variable' || what.name !== returned.name) return []
    if (!isPhpNode(offset) || offset.kind !== 'string' || !isPhpNode(right)) return []
    const place = { keyStart: offset.start, keyEnd: offset.end, start: offset.start, end: right.end }
    return [{ key: String(offset.value), ...place, value: nodeOf(right, text, variables), isStatement: true }]
  })
}

function mapOf(value: unknown, text: string, variables: Variables): MapNode | null {
  if (!isPhpNode(value)) return null
  const node = nodeOf(value, text, variables)
  return node.kind === 'map' ? node : null
}

function nodeOf(node: PhpNode, text: string, variables: Variables, depth = 0): ConfigNode {
  const place = { source: text, start: node.start, end: node.end }
  switch (node.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return { kind: 'literal', ...place, value: node.value as string }
    case 'nullkeyword':
      return { kind: 'literal', ...place, value: null }
    case 'array':
      return arrayOf(node, text, variables, depth)
    case 'variable': {
      // Only a single assignment in the file itself counts; its keys are edited there.
      const known = variables.get(String(node.name))
      const inner = known && depth < 20 ? nodeOf(known, text, variables, depth + 1) : null
      return inner?.kind === 'map' ? inner : { kind: 'other', ...place }
    }
    case 'call':
      if (isEnv(node)) return { kind: 'env', ...place }
      return isMerge(node)
        ? mergedOf(list(node.arguments), place, text, variables, depth)
        : { kind: 'other', ...place }
    case 'bin':
      // In `a + b` the left side wins, so it comes last.
      return node.type === '+'
        ? mergedOf(list([node.right, node.left]), place, text, variables, depth)
        : { kind: 'other', ...place }
    default:
      return { kind: 'other', ...place }
  }
}

function arrayOf(node: PhpNode, text: string, variables: Variables, depth: number): ConfigNode {
  const place = { source: text, start: node.start, end: node.end }
  const items = list(node.items)
  const keyed = items.filter((item) => item.kind === 'entry' && isPhpNode(item.key))
  if (items.length > 0 && keyed.length === 0) return { kind: 'list', ...place }
  const entries = keyed.map((item): Entry => {
    const key = item.key as PhpNode
    const value = item.value as PhpNode
    return {
      key: key.kind === 'string' ? String(key.value) : null,
      keyStart: key.start,
      keyEnd: key.end,
      start: key.start,
      end: value.end,
      value: nodeOf(value, text, variables, depth + 1),
    }
  })
  return { kind: 'map', ...place, entries, isFlow: true }
}

/** Merges arrays, the later one winning; anything but a visible array becomes an entry without a key. */
function mergedOf(
  parts: readonly PhpNode[],
  place: { source: string; start: number; end: number },
  text: string,
  variables: Variables,
  depth: number,
): ConfigNode {
  const nodes = depth < 20 ? parts.map((part) => nodeOf(part, text, variables, depth + 1)) : []
  if (!nodes.some(({ kind }) => kind === 'map')) return { kind: 'other', ...place }
  const entries = nodes.flatMap((node): readonly Entry[] => {
    if (node.kind === 'map') return node.entries
    const { start, end } = node
    return [{ key: null, keyStart: start, keyEnd: start, start, end, value: node }]
  })
  return { kind: 'map', ...place, entries, isFlow: true }
}

function isMerge({ what }: PhpNode): boolean {
  return (
    isPhpNode(what) &&
    what.kind === 'name' &&
    /^\\?array_(merge|replace)(_recursive)?$/.test(String(what.name))
  )
}

/** Returns true for `env('ROLE')` and similar calls with one literal name. */
function isEnv(node: PhpNode): boolean {
  const { what, arguments: args } = node
  if (!isPhpNode(what) || what.kind !== 'name') return false
  if (!/^\\?(env|getenv)$/.test(String(what.name))) return false
  const first = list(args)
  return first.length === 1 && first[0]!.kind === 'string'
}

function list(value: unknown): PhpNode[] {
  return Array.isArray(value) ? value.filter(isPhpNode) : []
}
