import { lineStart } from '../lines.ts'
import type { Entry, MapNode } from './tree.ts'

/** The syntax in which a language writes keys, pairs and lists. */
export interface Syntax {
  /** A key, in the manner of the one that stands there (`like`, with its quotes). */
  key(name: string, like: string): string
  pair(key: string, value: string): string
  /** A list of one value. */
  list(value: string): string
  /** A map of one pair, in a line. */
  map(pair: string): string
  text(value: string, like: string): string
  /** True where moved text may be indented anew: no line of it is inside of a string. */
  canIndent(text: string): boolean
}

/** A configuration file that was read. */
export interface ConfigFile {
  readonly root: MapNode
  readonly syntax: Syntax
}

/** The quote mark that a key has, or none. */
export const quoteOf = (written: string): string => (/^['"]/.test(written) ? written[0]! : '')

/** True for an entry that begins its line. */
export const isOwnLine = (text: string, entry: Entry): boolean =>
  text.slice(lineStart(text, entry.start), entry.start).trim() === ''

/** The offset behind the comma that follows, comments and white space between; null when there is none. */
export const afterComma = (text: string, from: number): number | null => {
  const skip = /(?:\s+|\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[\s\S]*?\*\/)*/y
  skip.lastIndex = from
  skip.exec(text)
  return text[skip.lastIndex] === ',' ? skip.lastIndex + 1 : null
}

/** A list of what a value gives: inside of a closure of one expression, else around the value. */
export const listOf = (syntax: Syntax, value: string): string => {
  const arrow = /^((?:static\s+)?(?:fn\s*)?\([^()]*\)\s*=>\s*)([^{][\s\S]*)$/.exec(value)
  return arrow ? `${arrow[1]}${syntax.list(arrow[2]!)}` : syntax.list(value)
}
