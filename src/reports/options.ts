import type { AddressPolicy, Resolve } from './visit/index.ts'

/** Options of the website index that only code can give. */
export interface ReportsOptions {
  /** Resolver that replaces the system's. */
  readonly resolve?: Resolve
  /**
   * Returns the TXT records of a host, instead of the system's resolver. Partners prove websites with them.
   */
  readonly resolveTxt?: (host: string) => Promise<readonly (readonly string[])[]>
  /**
   * Hosts and addresses that may be visited; the public web by default. For tests and demos only: private
   * addresses allowed here are reachable for partners.
   */
  readonly policy?: AddressPolicy
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string
  /** Takes a picture of a page: JPEG, PNG or WebP; null for none. It has half a minute. */
  readonly screenshot?: (page: {
    readonly url: string
    readonly signal: AbortSignal
  }) => Promise<Uint8Array | null>
  /** Returns a number from 0 to 1 that spreads the crawler's visits. Default: random. */
  readonly chance?: () => number
}
