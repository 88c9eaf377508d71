import type { AddressPolicy, SiteAddress } from '../visit/index.ts'
import { toSiteAddress } from '../visit/index.ts'

/** One line of a list of addresses. */
export interface Line {
  /** From 1, as editors count. */
  readonly line: number
  readonly text: string
  /** null where the line names no website. */
  readonly site: SiteAddress | null
  /** The line above that names the same website. */
  readonly duplicateOf: number | null
}

/**
 * The addresses of a newline-separated list, forgivingly: a byte order mark, Windows line ends, blank lines, comments
 * after `#` and missing schemes are fine. Blank lines and comments are no lines of the result.
 */
export const readLines = (text: string, policy: AddressPolicy): Line[] => {
  const firstOf = new Map<string, number>()
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((raw, i) => ({ line: i + 1, text: raw.replace(/(^|\s)#.*$/, '').trim() }))
    .filter(({ text: address }) => address !== '')
    .map(({ line, text: address }) => {
      const site = toSite(address, policy)
      const duplicateOf = (site && firstOf.get(site.key)) ?? null
      if (site && duplicateOf === null) firstOf.set(site.key, line)
      return { line, text: address.slice(0, 2000), site, duplicateOf }
    })
}

const toSite = (address: string, policy: AddressPolicy): SiteAddress | null => {
  try {
    return toSiteAddress(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`, policy)
  } catch {
    return null
  }
}
