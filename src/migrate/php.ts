import { Engine } from 'php-parser'

/** A node of PHP's syntax tree. Only the common fields are typed; readers narrow the rest. */
export interface PhpNode {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

function engineOf(short_tags: boolean): Engine {
  return new Engine({
    // Errors are collected, because the parser refuses some code that PHP accepts.
    parser: { extractDoc: false, suppressErrors: true, version: '8.5' },
    ast: { withPositions: true },
    lexer: { short_tags },
  })
}
const withShortTags = engineOf(true)
const withoutShortTags = engineOf(false)

/**
 * Parses PHP source, including templates with HTML between the tags, as a tree with offsets of `text`; null
 * if it cannot be parsed. Nothing is executed.
 */
export function parsePhp(text: string): PhpNode | null {
  const attempts = [
    () => parseWith(withShortTags, text),
    // `<?xml` is HTML where PHP has short tags off.
    () => parseWith(withoutShortTags, text),
    () => parseWith(withShortTags, withoutKeywords(text)),
    () => parseWith(withoutShortTags, withoutKeywords(text)),
  ]
  for (const attempt of attempts) {
    const tree = attempt()
    if (tree) return tree
  }
  return null
}

function parseWith(engine: Engine, text: string): PhpNode | null {
  try {
    const tree = engine.parseCode(text, '') as unknown as PhpNode & { errors?: { message: string }[] }
    const isRead = (tree.errors ?? []).every(({ message }) => accepted.test(message))
    return isRead ? (withOffsets(tree) as PhpNode) : null
  } catch {
    return null
  }
}

/** `f(...$all, name: 1)`: PHP takes a named argument after a spread. */
const accepted = /non-variadic argument after a variadic argument/

/**
 * Replaces keywords that name a method, which the parser refuses, by names of the same length:
 * `$this->a::for()`. The method counts as unknown.
 */
function withoutKeywords(text: string): string {
  return text.replace(
    /(?<=(?:::|->)\s{0,9})(?:for|foreach|list|print|echo|match|default|switch|unset|isset|empty|include|require|use|new|clone|exit|die|array|if|else|while|do|try|catch|throw|return|var|static|global|fn|function|public|private|protected|readonly|yield|and|or|xor|goto|namespace|const|case|break|continue|interface|trait|enum|extends|implements|abstract|final|callable|as|insteadof|instanceof|declare|eval|finally)(?=\s{0,9}\()/gi,
    (word) => word.replace(/./g, 'x'),
  )
}

// The parser stores places in `loc`; here every node gets its own.
function withOffsets(value: unknown): unknown {
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
export function isPhpNode(value: unknown): value is PhpNode {
  return typeof value === 'object' && value !== null && typeof (value as PhpNode).kind === 'string'
}
