import { type AddressPolicy, type SiteAddress, toSiteAddress } from '../visit/index.ts'

const lineEnd = /\r\n|\r|\n/g

/** One line of a list of addresses. */
export interface Line {
  /** Line number, from 1. */
  readonly line: number
  readonly text: string
  /** null if the line names no website. */
  readonly site: SiteAddress | null
  /** Earlier line that names the same website. */
  readonly duplicateOf: number | null
}

/**
 * Reads the addresses of a newline-separated list. It accepts a byte order mark, Windows line ends, blank
 * lines, comments after `#` and missing schemes. Blank lines and comments are not part of the result.
 */
export function readLines(text: string, policy: AddressPolicy): Line[] {
  const firstOf = new Map<string, number>()
  return text
    .replace(/^\uFEFF/, '')
    .split(lineEnd)
    .map((raw, i) => ({ line: i + 1, text: raw.replace(/(^|\s)#.*$/, '').trim() }))
    .filter(({ text: address }) => address !== '')
    .map(({ line, text: address }) => {
      const site = toSite(address, policy)
      const duplicateOf = (site && firstOf.get(site.key)) ?? null
      if (site && duplicateOf === null) firstOf.set(site.key, line)
      return { line, text: address.slice(0, 2000), site, duplicateOf }
    })
}

/** Counts lines as editors do: text after the last line end is a line only if it is not empty. */
export function countLines(text: string): number {
  const ends = text.match(lineEnd)?.length ?? 0
  return ends + (text === '' || /[\r\n]$/.test(text) ? 0 : 1)
}

function toSite(address: string, policy: AddressPolicy): SiteAddress | null {
  try {
    return toSiteAddress(address, policy)
  } catch {
    return null
  }
}
