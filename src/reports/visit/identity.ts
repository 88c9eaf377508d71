/**
 * Returns a key that two addresses of the same website share: the host without `www.`, and the distinguishing
 * parts of path and query. Empty segments, segment parameters, index files and tracking parameters are
 * removed, and the rest of the query is sorted.
 */
export function identityOf(url: URL, host: string): string {
  const segments = url.pathname.split('/').map(toSegment).filter(Boolean)
  if (indexFile.test(segments.at(-1) ?? '')) segments.pop()
  const path = segments.map((segment) => `/${segment}`).join('')
  const query = new URLSearchParams(
    [...url.searchParams].filter(([name]) => name !== '' && !isTracking(name.toLowerCase())).sort(byText),
  ).toString()
  return `${host.replace(/^www\./, '')}${path}${query === '' ? '' : `?${query}`}`
}

// Normalises the spelling: nothing is encoded without need. RFC 3986, section 6.2.2.2; segment parameters:
// section 3.3.
function toSegment(raw: string): string {
  const [name = ''] = raw.split(';', 1)
  try {
    return encodeURIComponent(decodeURIComponent(name).trim())
  } catch {
    // Not valid UTF-8, so it stays unchanged.
    return name
  }
}

const indexFile = /^(?:index|default)\.(?:php\d?|html?|xhtml|shtml|aspx?|jsp|cgi|pl)$/i

function byText(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

// Parameters that advertising and mail services append. Sources: their documentation of link decoration, and
// the lists of browsers that strip it (Firefox' query stripping, Safari's link tracking protection).
function isTracking(name: string): boolean {
  return (
    /^(?:utm|mtm|pk|piwik|matomo|hsa|oly|vero|mc|ml|wt|trk|stm|ga|ns)_/.test(name) || trackingNames.has(name)
  )
}

const trackingNames = new Set([
  '_ga',
  '_gl',
  '_hsenc',
  '_hsmi',
  '__s',
  '__hssc',
  '__hstc',
  '__hsfp',
  'dclid',
  'fbclid',
  'gad_source',
  'gbraid',
  'gclid',
  'gclsrc',
  'hsctatracking',
  'igshid',
  'igsh',
  'li_fat_id',
  'mkt_tok',
  'msclkid',
  'rdt_cid',
  's_cid',
  's_kwcid',
  'srsltid',
  'ttclid',
  'twclid',
  'wbraid',
  'wickedid',
  'yclid',
])
