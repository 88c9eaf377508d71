import type { Json } from './narrow.ts'

/** The test mode of a provider. It must be proved before anything is written there. */
export interface TestMode {
  /** Returns the address of its API; `site` is the account's name, if the address contains it. */
  base(site: string | null): string
  /** Path prefix of every request of the adapter, if `api_base` has to end with it. */
  readonly path?: string
  /** `key`: the API key shows its mode. `host`: test mode has a separate address, which accepts no live
   *  key. Otherwise a request whose answer shows the mode. */
  readonly proof: 'key' | 'host' | TestProof
}

/** A request that changes nothing and whose answer shows the key's mode. */
export interface TestProof {
  readonly path: string
  headers(secret: string): Readonly<Record<string, string>>
  isTest(answer: Json): boolean
}
