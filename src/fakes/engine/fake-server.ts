import type { Json } from './api.ts'
import type { Buyer, PaidCheckout } from './checkout.ts'
import type { FakeClock } from './clock.ts'
import type { SignMessage, Webhook } from './delivery.ts'
import type { Endpoints } from './endpoints.ts'
import type { Messages } from './messages.ts'
import type { Kind, Objects, Refused } from './objects.ts'
import type { Views } from './options.ts'
import type { Ids } from './random.ts'
import type { Refusal } from './refusal.ts'
import type { Replica } from './replica.ts'
import type { Tracking } from './saving.ts'
import type { ApiHandler, Asked, PageHandler } from './server.ts'
import type { World } from './world.ts'

/** Tools of a fake server. */
export interface ServerContext {
  /** Address of its API and its pages. */
  readonly url: string
  readonly seed: string | number
  readonly clock: FakeClock
  readonly ids: Ids
  /** True if ids are as long as the provider allows. */
  readonly longIds: boolean
  readonly messages: Messages
  /** Earlier states, for reads that lag behind changes. */
  readonly replica: Replica
  /** Receives further state of the provider. */
  readonly saving: Tracking
  /** Returns the current address for events. */
  endpoint(): Webhook | undefined
  /** The account's endpoints for events, for the API that lists and makes them. */
  readonly endpoints: Endpoints
  /** Returns true if an event was accepted. */
  isDelivered(messageId: string): boolean
  /** Waits between receiving a request and executing it. */
  wait(): Promise<void>
}

/** Fake server of one provider: its API, and its actions for tests. */
export interface Speech<V extends Views = Views> {
  /** API key that it accepts. */
  readonly secret: string
  readonly world: World
  /** Returns an object as the provider shows it. */
  show<K extends Kind>(object: Objects[K]): V[K]
  /** Returns the text of a refusal for the buyer. */
  refusalText(refused: Refused): string
  /** Translates a refusal of the engine to the provider's error. */
  errorOf(refusal: Refusal): Error
  /**
   * Approves on the page, at providers where the seller captures the money later. By default approving pays.
   */
  agree?(world: World, checkout: string, buyer: Buyer): PaidCheckout
  readonly api: ApiHandler
  readonly page: PageHandler
  readonly sign: SignMessage
  /**
   * Makes the id of a request from a separate stream, so that reads do not change other ids. Default:
   * `req_…`.
   */
  requestId?(ids: Ids): string
  /**
   * Returns the parameters of a request for the log; by default those of the query and of a JSON or form
   * body.
   */
  paramsOf?(asked: Asked): Json
}

/** View of every kind of object as JSON. */
export type JsonViews = { readonly [K in Kind]: Json }

/** Lists the current address for events; empty without one. */
export function endpointsOf({ endpoint }: Pick<ServerContext, 'endpoint'>): Webhook[] {
  return [endpoint()].filter((webhook) => webhook !== undefined)
}

/** Returns the parameters of a request, from query and body. */
export function paramsIn({ query, body }: Pick<Asked, 'query' | 'body'>): Json {
  return {
    ...Object.fromEntries(new URLSearchParams(query)),
    ...sentIn(body),
  }
}

function sentIn(body: string): Json {
  if (!/^\s*[[{]/.test(body)) return Object.fromEntries(new URLSearchParams(body))
  try {
    const sent: unknown = JSON.parse(body)
    return Array.isArray(sent) ? { list: sent } : (sent as Json)
  } catch {
    return { unreadable: body.slice(0, 1000) }
  }
}
