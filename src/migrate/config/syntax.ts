import { lineStart } from '../lines.ts'
import type { Entry, MapNode } from './tree.ts'

/** How a language writes keys, pairs and lists. */
export interface Syntax {
  /** Formats a key in the style of an existing one (`like`, with its quotes). */
  key(name: string, like: string): string
  pair(key: string, value: string): string
  /** Formats a list of one value. */
  list(value: string): string
  /** Formats a map of one pair, on one line. */
  map(pair: string): string
  text(value: string, like: string): string
  /** Returns true if moved text may be indented again, because none of its lines is inside a string. */
  canIndent(text: string): boolean
}

/** A parsed configuration file. */
export interface ConfigFile {
  readonly root: MapNode
  readonly syntax: Syntax
}

/** Returns the quote mark of a key, or nothing. */
export function quoteOf(written: string): string {
  return /^['"]/.test(written) ? written[0]! : ''
}

/** Returns true for an entry that begins its line. */
export function isOwnLine(text: string, entry: Entry): boolean {
  return text.slice(lineStart(text, entry.start), entry.start).trim() === ''
}

/** Returns the offset after the next comma, past comments and white space; null if there is none. */
export function afterComma(text: string, from: number): number | null {
  const skip = /(?:\s+|\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[\s\S]*?\*\/)*/y
  skip.lastIndex = from
  skip.exec(text)
  return text[skip.lastIndex] === ',' ? skip.lastIndex + 1 : null
}

/** Wraps a value in a list: inside a closure with one expression, else around the value. */
export function listOf(syntax: Syntax, value: string): string {
  const arrow = /^((?:static\s+)?(?:fn\s*)?\([^()]*\)\s*=>\s*)([^{][\s\S]*)$/.exec(value)
  return arrow ? `${arrow[1]}${syntax.list(arrow[2]!)}` : syntax.list(value)
}
