import type { Json } from './api.ts'
import type { Buyer, PaidCheckout } from './checkout.ts'
import type { FakeClock } from './clock.ts'
import type { SignMessage, Webhook } from './delivery.ts'
import type { Messages } from './messages.ts'
import type { AnyObject, Kind, Objects, Refused } from './objects.ts'
import type { FakeServer, Views } from './options.ts'
import type { Ids } from './random.ts'
import type { Refusal } from './refusal.ts'
import type { ApiHandler, Asked, PageHandler } from './server.ts'
import type { World } from './world.ts'

/** Tools of a fake server. */
export interface Ground {
  /** Address of its API and its pages. */
  readonly url: string
  readonly seed: string | number
  readonly clock: FakeClock
  readonly ids: Ids
  readonly messages: Messages
  /** Present address for messages. */
  endpoint(): Webhook | undefined
  /** True if a message was taken by somebody. */
  isDelivered(messageId: string): boolean
  /** Stands between taking a request and doing it. */
  wait(): Promise<void>
}

/** Fake server of one provider: its API, and its side for tests. */
export interface Speech<V extends Views = Views> {
  /** The API key that it accepts. */
  readonly secret: string
  readonly world: World
  /** An object as the provider shows it. */
  show<K extends Kind>(object: Objects[K]): V[K]
  /** Text of a refusal for the buyer. */
  refusalText(refused: Refused): string
  /** States a refusal of the engine in the provider's terms. */
  errorOf(refusal: Refusal): Error
  /** Agrees on the page, where agreeing takes no money and the seller captures later. Without it, agreeing pays. */
  agree?(world: World, checkout: string, buyer: Buyer): PaidCheckout
  readonly api: ApiHandler
  readonly page: PageHandler
  readonly sign: SignMessage
  /** Ids of requests, of a stream of their own: how often somebody reads changes no other id. `req_…` without. */
  requestId?(ids: Ids): string
  /** The parameters of a request, as they are logged; without it, those of its query and of a body that is JSON or a form. */
  paramsOf?(asked: Asked): Json
}

/** View of every kind of object as JSON. */
export type JsonViews = { readonly [K in Kind]: Json }

/** A fake server with what it keeps, as its API shows it, oldest first. */
export type ListingFakeServer<Name extends string, Shown extends Json = Json> = FakeServer<JsonViews> & {
  readonly objects: { list(kind: Name): Shown[] }
}

/** Shows each kind as its shape says; of what a provider has no word for, the id. */
export const showAs =
  <A>(
    account: A,
    shapes: { readonly [K in Kind]?: (account: A, object: Objects[K]) => Json },
  ): Speech<JsonViews>['show'] =>
  (object: AnyObject) =>
    (shapes[object.kind] as ((account: A, object: AnyObject) => Json) | undefined)?.(account, object) ?? {
      id: object.id,
    }

/** Parameters of a request, from query and body. */
export const paramsIn = ({ query, body }: Pick<Asked, 'query' | 'body'>): Json => ({
  ...Object.fromEntries(new URLSearchParams(query)),
  ...sentIn(body),
})

const sentIn = (body: string): Json => {
  if (!/^\s*[[{]/.test(body)) return Object.fromEntries(new URLSearchParams(body))
  try {
    const sent: unknown = JSON.parse(body)
    return Array.isArray(sent) ? { list: sent } : (sent as Json)
  } catch {
    return { unreadable: body.slice(0, 1000) }
  }
}
