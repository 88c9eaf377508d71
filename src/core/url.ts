/**
 * True for an absolute address, or one relative to `base`. `URL.canParse` is not used: on Node 20 it rejects addresses
 * with letters such as "ä" after some thousand calls, once V8 has compiled the call.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}

/** True for the names and addresses by which a machine reaches itself, as `URL` and the Host header write them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/**
 * True where the Host header of a request names the site of `url` by another name of this machine, at the same port: a
 * developer types 127.0.0.1 for localhost. Never true for a site that others can reach.
 */
export function isOtherLoopback(url: string, host: string): boolean {
  const own = new URL(url)
  if (host === own.host || !isLoopback(own.hostname) || !isUrl(`${own.protocol}//${host}`)) return false
  const named = new URL(`${own.protocol}//${host}`)
  return named.host === host && isLoopback(named.hostname) && named.port === own.port
}

/**
 * Returns an address from outside unchanged if a page, a mail or a redirect may lead to it: https, or one that opens a
 * store's app. Null for any other, because even a signed event can contain `javascript:`. Plain http is taken from this
 * machine alone, where providers are tried. Every address of a provider passes here.
 */
export function linkable(address: string | null | undefined): string | null {
  if (!address || !isPlain.test(address) || !isUrl(address)) return null
  const { protocol, hostname } = new URL(address)
  return linked.has(protocol) || (protocol === 'http:' && isLoopback(hostname)) ? address : null
}
const linked = new Set(['https:', 'itms-apps:', 'itms-appss:', 'market:'])
// `URL` drops line breaks silently. The text that is shown must be exactly the text that was checked.
const isPlain = /^[a-z-]+:\/\/[^\s\p{C}<>"\\]+$/iu
