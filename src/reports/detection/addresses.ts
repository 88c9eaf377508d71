/** Resolves the addresses of one page, and formats them as signs. */
export interface Addresses {
  /** Sets `<base href>`. The first one counts, for addresses after it. */
  setBase(raw: string): void
  /** Returns the absolute address; undefined for anything that is not http(s). */
  find(raw: string | undefined): URL | undefined
  /**
   * Formats an address as a sign: `/path?query` on the site itself, the whole address elsewhere. A pattern
   * that begins with `^/` therefore never matches a file of another site.
   */
  toSign(address: URL): string
  /** Does both at once; undefined for anything that is not http(s). */
  findSign(raw: string | undefined): string | undefined
}

/** Resolves addresses of the page at `pageUrl`, 50 000 at most. */
export function createAddresses(pageUrl: string): Addresses {
  const home = parse(pageUrl)
  const site = home && siteOf(home.hostname)
  // Nearly all addresses of a page belong to a few hosts.
  const own = new Map<string, boolean>()
  const isOwn = (host: string): boolean => {
    const known = own.get(host)
    if (known !== undefined) return known
    const answer = siteOf(host) === site
    own.set(host, answer)
    return answer
  }
  // Kept as text: an object would be serialised again for each address.
  let base = home?.href
  // A path relative to another site's base does not belong to the page.
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

// Matches paths that parsing and serialising would not change: no `.` or `..`, nothing to encode. Most
// addresses are such.
const asItIs = /^\/(?:[\w-][\w.-]*\/)*(?:[\w-][\w.-]*)?(?:\?[\w.&=%-]+)?$/

// More addresses than any page has. A page of 1 MB can contain half a million, and each costs microseconds.
const mostAddresses = 50_000

// Longer addresses are inlined data or an attack.
const longestAddress = 2048

function parse(raw: string, base?: string): URL | undefined {
  if (raw.length > longestAddress) return undefined
  try {
    const address = new URL(raw, base)
    return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the part of a host name that has one owner: its last two labels, or three below names such as
 * `co.uk`. `cdn.example.com` is therefore part of `www.example.com`. Hosts under a shared suffix
 * (`github.io`) count as one site. A false match would need a linked neighbour that runs the system. A list
 * of suffixes is used only by the code that fetches.
 */
function siteOf(host: string): string {
  if (/^[\d.]+$|^\[/.test(host)) return host
  const labels = host.replace(/\.$/, '').split('.')
  return labels.slice(sharedSuffix.test(labels.slice(-2).join('.')) ? -3 : -2).join('.')
}

const sharedSuffix = /^(?:ac|co|com|edu|go|gob|gouv|gov|gv|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/
