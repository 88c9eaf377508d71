import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent } from 'undici'

/** True for an address of the public internet. Sources: the IANA special-purpose registries, as ipaddr.js has them. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // A cloud's platform service, whose address looks public.
  if (parsed.kind() === 'ipv4') return parsed.toString() !== '168.63.129.16'
  return parsed.match(ipaddr.IPv6.parseCIDR('2000::/3'))
}

/** The answer of a server: its status, and when it wants to be asked again. */
export interface Posted {
  readonly status: number
}

/** Posts to addresses that a configuration names. */
export interface Poster {
  /**
   * Posts a text and waits for the status. Redirects are not followed.
   * @throws Error when the address is not allowed, or when nobody answers in time
   */
  post(
    url: string,
    request: {
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly signal: AbortSignal
    },
  ): Promise<Posted>
  close(): Promise<void>
}

const connectMs = 5000
const answerMs = 15_000

/**
 * Without `allowPrivate` only public addresses are reached: each answer of the resolver is checked, and the connection
 * goes to a checked address. Proxy settings of the environment are ignored, because a proxy would resolve again.
 */
export function createPoster({ allowPrivate }: { readonly allowPrivate: boolean }): Poster {
  const agent = new Agent({
    connect: { timeout: connectMs, ...(allowPrivate ? {} : { lookup: lookUpPublic }) },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxHeaderSize: 32_768,
  })
  return {
    post: async (url, { headers, body, signal }) => {
      const { hostname } = new URL(url)
      const address = hostname.replace(/^\[|\]$/g, '')
      // A literal address is never looked up.
      if (!allowPrivate && isIP(address) && !isPublicAddress(address)) throw notPublic(address)
      const { origin, pathname, search } = new URL(url)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
      const { statusCode, body: answer } = await agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal: limit,
      })
      await answer.dump({ limit: 65_536 }).catch(() => undefined)
      return { status: statusCode }
    },
    close: () => agent.destroy(),
  }
}

const lookUpPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    // All answers must be public: a list that mixes public and private addresses is an attack.
    const [first] = addresses
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
      return done(notPublic(host), [])
    if (options.all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}

function notPublic(host: string): Error {
  return new Error(`${host} is not a public address. Set allow_private: true if it is yours.`)
}
