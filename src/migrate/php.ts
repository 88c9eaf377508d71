import { Engine } from 'php-parser'

/** A node of PHP's syntax tree. Only the common fields are typed; readers narrow the rest. */
export interface PhpNode {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

const engine = new Engine({
  parser: { extractDoc: false, suppressErrors: false, version: '8.4' },
  ast: { withPositions: true },
  lexer: { short_tags: true },
})

/** Parses PHP source, including templates with HTML between the tags, as a tree with offsets of `text`;
 *  null if it cannot be parsed. Nothing is executed. */
export const parsePhp = (text: string): PhpNode | null => {
  try {
    return withOffsets(engine.parseCode(text, '')) as PhpNode
  } catch {
    return null
  }
}

// The parser stores places in `loc`; here every node gets its own.
const withOffsets = (value: unknown): unknown => {
  if (Array.isArray(value)) for (const element of value) withOffsets(element)
  else if (typeof value === 'object' && value !== null) {
    const node = value as { kind?: string; loc?: Places | null; start?: number; end?: number }
    if (node.loc?.start && node.loc.end) {
      node.start = node.loc.start.offset
      node.end = node.loc.end.offset
    }
    for (const name in node) if (name !== 'loc') withOffsets((node as Record<string, unknown>)[name])
  }
  return value
}

interface Places {
  readonly start?: { readonly offset: number }
  readonly end?: { readonly offset: number }
}

/** Returns true for a property that is a node itself: an object whose `kind` is a text. */
export const isPhpNode = (value: unknown): value is PhpNode =>
  typeof value === 'object' && value !== null && typeof (value as PhpNode).kind === 'string'
