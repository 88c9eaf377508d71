/**
 * A typed client for front ends of a site, and for partners of its index: every route with its input and its
 * answers.
 *
 * @module membership/client
 */

import createFetch, { type Client } from 'openapi-fetch'
import type { paths } from '../generated/client-paths.ts'

export type { components, operations, paths } from '../generated/client-paths.ts'

/** Address of the site, and the caller's key. */
export interface ClientOptions {
  /** The site, such as `https://example.com`; in a browser, the page's own by default. */
  readonly baseUrl?: string
  /** A partner's API key, for `/reports`. */
  readonly key?: string
  /** Replaces the platform's fetch. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * Calls the routes of a site: `const { data, error } = await client.GET('/reports')`. An error is the problem
 * document with its stable `code`.
 */
export function createClient({ baseUrl, key, fetch }: ClientOptions = {}): Client<paths> {
  return createFetch<paths>({
    baseUrl,
    fetch,
    headers: { Accept: 'application/json', ...(key === undefined ? {} : { 'X-API-KEY': key }) },
  })
}
