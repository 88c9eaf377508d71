import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { buildConnector, Client } from 'undici'
import type { AddressPolicy } from './address.ts'
import { Unreachable } from './reasons.ts'

/** One answer of a resolver. Tests and demos set `port` instead of the URL's. */
export interface ResolvedAddress {
  readonly address: string
  readonly port?: number
}
/** Finds the addresses of a name. An empty list means that the website cannot be read. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** Options of outgoing connections: policy, resolver, limits. */
export interface NetworkOptions {
  readonly policy: AddressPolicy
  /** Default: the system's resolver. */
  readonly resolve?: Resolve
  /** Certificates to trust instead of Node's. */
  readonly ca?: string
  readonly limits?: Partial<NetworkLimits>
}

/** Time and size limits of one visit. */
export interface NetworkLimits {
  readonly resolveMs: number
  readonly connectMs: number
  /** Limit of one request, from its first byte to the last byte of the answer. */
  readonly requestMs: number
  readonly headerBytes: number
}
/** Default limits: milliseconds, and 32 KiB of headers. */
export const networkLimits: NetworkLimits = {
  resolveMs: 5000,
  connectMs: 5000,
  requestMs: 10_000,
  headerBytes: 32_768,
}

export interface Network {
  /**
   * Returns the address to connect to.
   * @throws Unreachable `dns`; `redirect-not-allowed` when any answer is not allowed
   */
  find(host: string): Promise<ResolvedAddress>
  /** Opens connections for one origin, pinned to one checked address. */
  open(origin: string, to: ResolvedAddress): Client
  readonly requestMs: number
}

/**
 * Outgoing connections. A name is resolved once and every answer is checked. The connection then goes to
 * exactly the checked address, so a second DNS answer has no effect. Proxy settings of the environment are
 * ignored, because a proxy would resolve again.
 */
export function createNetwork({ policy, resolve = resolveHost, ca, limits }: NetworkOptions): Network {
  const { resolveMs, connectMs, requestMs, headerBytes } = { ...networkLimits, ...limits }
  const connect = buildConnector({ timeout: connectMs, allowH2: false, ...(ca === undefined ? {} : { ca }) })

  const find = async (host: string): Promise<ResolvedAddress> => {
    const answers = isIP(host) ? [{ address: host }] : await within(resolveMs, resolve(host))
    const [first] = answers
    if (!first) throw new Unreachable('dns')
    // All answers must be allowed: a list that mixes public and private addresses is an attack.
    if (!answers.every(({ address }) => policy.allowsAddress(address, host))) throw new ForbiddenAddress()
    return first
  }

  const open = (origin: string, to: ResolvedAddress): Client =>
    new Client(origin, {
      // robots.txt and its page share one connection.
      pipelining: 1,
      keepAliveTimeout: requestMs,
      allowH2: false,
      maxHeaderSize: headerBytes,
      headersTimeout: requestMs,
      bodyTimeout: requestMs,
      connect: (options: buildConnector.Options, done: buildConnector.Callback) => {
        const name = new URL(origin).hostname
        if (!policy.allowsAddress(to.address, name.replace(/\.$/, '')))
          return done(new ForbiddenAddress(), null)
        connect(
          {
            ...options,
            hostname: to.address,
            port: String(to.port ?? (options.port || (options.protocol === 'https:' ? 443 : 80))),
            servername: isIP(name) ? undefined : name,
          },
          done,
        )
      },
    })

  return { find, open, requestMs }
}

/** An address in the private network, or outside the public internet. */
export class ForbiddenAddress extends Unreachable {
  constructor() {
    super('redirect-not-allowed')
    this.name = 'ForbiddenAddress'
  }
}

/** The system's resolver. */
export const resolveHost: Resolve = (host) => lookup(host, { all: true, verbatim: true })

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Unreachable('dns')), ms)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    if (error instanceof Unreachable) throw error
    const isUnknownName = (error as { code?: string }).code === 'ENOTFOUND'
    throw new Unreachable('dns', { isUnknownName, cause: error })
  } finally {
    clearTimeout(timer)
  }
}
