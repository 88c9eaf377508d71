/** Resolves the addresses of one page, and writes them as signs. */
export interface Addresses {
  /** `<base href>`: the first one counts, for what comes after it. */
  setBase(raw: string): void
  /** The absolute address; undefined for anything that is not http(s). */
  find(raw: string | undefined): URL | undefined
  /** The sign of an address: `/path?query` on the site itself, the whole address elsewhere. A pattern that begins
   *  with `^/` therefore never meets a file that a page borrows from a stranger. */
  toSign(address: URL): string
  /** Both at once; undefined for anything that is not http(s). */
  findSign(raw: string | undefined): string | undefined
}

/** For the page at `pageUrl`. After 50 000 addresses nothing is resolved any more. */
export const createAddresses = (pageUrl: string): Addresses => {
  const home = parse(pageUrl)
  const site = home && siteOf(home.hostname)
  // Nearly every address of a page is of a few hosts.
  const own = new Map<string, boolean>()
  const isOwn = (host: string): boolean => {
    const known = own.get(host)
    if (known !== undefined) return known
    const answer = siteOf(host) === site
    own.set(host, answer)
    return answer
  }
  // As text: an object would be written anew for each address.
  let base = home?.href
  // A path of a stranger's host is not the page's own.
  let isBaseOwn = true
  let hasBase = false
  let left = mostAddresses
  const find = (raw: string | undefined) => {
    if (raw === undefined || left === 0) return undefined
    left -= 1
    return parse(raw, base)
  }
  const toSign = (address: URL) =>
    isOwn(address.hostname)
      ? address.pathname + address.search
      : address.href.slice(0, address.href.length - address.hash.length)
  const isOnHost = (raw: string) =>
    home !== undefined && isBaseOwn && left > 0 && raw.length <= longestAddress && asItIs.test(raw)
  return {
    setBase: (raw) => {
      if (hasBase) return
      hasBase = true
      const found = find(raw)
      if (!found) return
      base = found.href
      isBaseOwn = isOwn(found.hostname)
    },
    find,
    toSign,
    findSign: (raw) => {
      if (raw !== undefined && isOnHost(raw)) {
        left -= 1
        return raw
      }
      const address = find(raw)
      return address && toSign(address)
    },
  }
}

// Most addresses are paths that reading and writing them would not change: no `.` or `..`, nothing to encode.
const asItIs = /^\/(?:[\w-][\w.-]*\/)*(?:[\w-][\w.-]*)?(?:\?[\w.&=%-]+)?$/

// More than any page has; 1 MB can hold half a million, and each takes its microseconds.
const mostAddresses = 50_000

// Longer ones are inlined data or an attack.
const longestAddress = 2048

const parse = (raw: string, base?: string): URL | undefined => {
  if (raw.length > longestAddress) return undefined
  try {
    const address = new URL(raw, base)
    return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined
  } catch {
    return undefined
  }
}

/** The part of a host name that one owner has: its last two labels, so that `cdn.example.com` is part of
 *  `www.example.com`; three below names such as `co.uk`. Where strangers share a suffix (`github.io`) they count as
 *  one site: a false "own" needs a neighbour who runs the system and is linked from here, and a list of suffixes is
 *  the business of whoever fetches. */
const siteOf = (host: string): string => {
  if (/^[\d.]+$|^\[/.test(host)) return host
  const labels = host.replace(/\.$/, '').split('.')
  return labels.slice(sharedSuffix.test(labels.slice(-2).join('.')) ? -3 : -2).join('.')
}

const sharedSuffix = /^(?:ac|co|com|edu|go|gob|gouv|gov|gv|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/
