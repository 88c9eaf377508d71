import { Engine } from 'php-parser'

/** A node of PHP's syntax tree. Only what every node has is typed; the rest is narrowed where it is read. */
export interface PhpNode {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

/** PHP source, templates with HTML between the tags included, as a tree whose offsets are those of `text`; null when it
 *  is no PHP that can be read. Nothing is executed. */
export const parsePhp = (text: string): PhpNode | null => {
  const engine = new Engine({
    parser: { extractDoc: false, suppressErrors: false, version: '8.4' },
    ast: { withPositions: true },
    lexer: { short_tags: true },
  })
  try {
    return withOffsets(engine.parseCode(text, '')) as PhpNode
  } catch {
    return null
  }
}

// The parser keeps places in `loc`; here every node has them itself.
const withOffsets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withOffsets)
  if (typeof value !== 'object' || value === null) return value
  const { loc, ...rest } = value as Record<string, unknown>
  const node: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(rest)) node[name] = withOffsets(inner)
  const places = loc as { start?: { offset: number }; end?: { offset: number } } | null | undefined
  if (places?.start && places.end) {
    node.start = places.start.offset
    node.end = places.end.offset
  }
  return node
}

export const isPhpNode = (value: unknown): value is PhpNode =>
  typeof value === 'object' && value !== null && typeof (value as PhpNode).kind === 'string'

/** Visits every node, parents first, in the order of the source. */
export const walkPhp = (node: PhpNode, visit: (node: PhpNode, parents: readonly PhpNode[]) => void): void => {
  const parents: PhpNode[] = []
  const go = (one: PhpNode) => {
    visit(one, parents)
    parents.push(one)
    for (const value of Object.values(one))
      for (const inner of Array.isArray(value) ? value : [value]) if (isPhpNode(inner)) go(inner)
    parents.pop()
  }
  go(node)
}
