import type { Call } from './calls.ts'
import { str } from './narrow.ts'

/** A webhook endpoint as set up at the provider. */
export interface ProviderEndpoint {
  /** Names it in a change; null at providers where none is made here. */
  readonly id: string | null
  readonly url: string
  readonly isEnabled: boolean
  /** Events that this site reads and the endpoint does not receive. */
  readonly missing: readonly string[]
}

/** The address that is to receive this provider's events. */
export interface EndpointRequest extends Call {
  readonly url: string
  /** The endpoint that receives exactly the needed events from now on, turned on; null makes a new one. */
  readonly id: string | null
}

/** Webhook address of one object, at a provider where each object names one. */
export interface CalledAddress {
  /** null: no address. */
  readonly url: string | null
  readonly id: string
}

/** Returns the needed events that are not sent; `*` sends all. */
export function missingOf(needed: readonly string[], sent: readonly unknown[]): string[] {
  return sent.includes('*') ? [] : needed.filter((name) => !sent.includes(name))
}

/** Builds an endpoint from its address and the events that it is sent; `sent` is a list of names. */
export function endpointOf(
  needed: readonly string[],
  { id, url, isEnabled, sent }: { id?: unknown; url: unknown; isEnabled: boolean; sent: unknown },
): ProviderEndpoint {
  return {
    id: str(id),
    url: str(url) ?? '',
    isEnabled,
    missing: missingOf(needed, Array.isArray(sent) ? sent : []),
  }
}
