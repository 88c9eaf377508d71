import type { Json } from './narrow.ts'

/** The test mode of a provider, for whoever is going to write there: nothing is written before it is proved. */
export interface TestMode {
  /** Address of its API: `site` is the account's name where the address has it. The requests begin with `path`. */
  base(site: string | null): string
  /** Begins every path of the adapter, where `api_base` has to end with it. */
  readonly path?: string
  /** `key`: the API key says it. `host`: test mode has an address of its own, which takes no live key. Else a request whose
   *  answer says it. */
  readonly proof: 'key' | 'host' | TestProof
}

/** A request that changes nothing, and that says of which mode the key is. */
export interface TestProof {
  readonly path: string
  headers(secret: string): Readonly<Record<string, string>>
  isTest(answer: Json): boolean
}
