import { Engine } from 'php-parser'

/** A node of PHP's syntax tree. Only what every node has is typed; the rest is narrowed where it is read. */
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

/** PHP source, templates with HTML between the tags included, as a tree whose offsets are those of `text`; null when it
 *  is no PHP that can be read. Nothing is executed. */
export const parsePhp = (text: string): PhpNode | null => {
  try {
    return withOffsets(engine.parseCode(text, '')) as PhpNode
  } catch {
    return null
  }
}

// The parser keeps places in `loc`; here every node has them itself.
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

/** True for a property of a node that is a node itself: an object with a text as its `kind`. */
export const isPhpNode = (value: unknown): value is PhpNode =>
  typeof value === 'object' && value !== null && typeof (value as PhpNode).kind === 'string'
