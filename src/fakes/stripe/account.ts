import type { AnyObject as Engine, Kind as EngineKind, World } from '../engine/index.ts'
import type { Events } from './events.ts'
import type { AnyObject, Kind, Objects, StripeViews } from './shapes.ts'

/** One Stripe account: the engine's world, and its objects in Stripe's newest version. */
export interface Account {
  readonly world: World
  readonly events: Events
  readonly url: string
  readonly apiVersion: string
  show<K extends EngineKind>(object: Engine & { readonly kind: K }): StripeViews[K]
  find<K extends Kind>(kind: K, id: string | null): Objects[K] | undefined
  findAny(id: string): AnyObject | undefined
  /** Oldest first. */
  list<K extends Kind>(kind: K): Objects[K][]
}
