import type { AddressPolicy, Resolve } from './visit/index.ts'

/** Options of the website index that only code can give. */
export interface ReportsOptions {
  /** The name service in place of the system's. */
  readonly resolve?: Resolve
  /** The TXT records of a host, in place of the system's name service: partners prove websites with them. */
  readonly resolveTxt?: (host: string) => Promise<readonly (readonly string[])[]>
  /** Hosts and addresses that may be visited, in place of the public web. For tests and demos: whoever opens inner
   *  addresses here lets partners reach them. */
  readonly policy?: AddressPolicy
  /** Certificates to trust in place of Node's, as PEM. */
  readonly ca?: string
  /** Makes a picture of a page: JPEG, PNG or WebP; null for none. It has half a minute. */
  readonly screenshot?: (page: {
    readonly url: string
    readonly signal: AbortSignal
  }) => Promise<Uint8Array | null>
  /** From 0 to 1: spreads the crawler's visits. Default: random. */
  readonly chance?: () => number
}
