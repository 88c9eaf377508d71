import type { FakeClock } from './clock.ts'
import type { AnyObject, Kind, Objects } from './objects.ts'
import type { Store } from './store.ts'

/** A fact of the engine, from which a fake server creates events. */
export type Fact =
  | `${'product' | 'price' | 'coupon' | 'code' | 'discount' | 'customer' | 'method' | 'schedule'} added`
  | `customer ${'changed' | 'deleted'}`
  | `checkout ${'completed' | 'expired' | 'paid' | 'failed'}`
  | `subscription ${'added' | 'changed' | 'ended' | 'paused' | 'resumed'}`
  | `trial ending`
  | `change ${'applied' | 'expired'}`
  | `schedule ${'changed' | 'released' | 'canceled' | 'completed'}`
  | `line ${'added' | 'dropped'}`
  | `invoice ${'added' | 'finalized' | 'paid' | 'failed' | 'asks' | 'voided' | 'given up'}`
  | `payment ${'opened' | 'paid' | 'failed' | 'processing' | 'asks'}`
  | `charge ${'paid' | 'failed' | 'pending' | 'refunded'}`
  | 'refund made'
  | `dispute ${'opened' | 'won' | 'lost'}`

/** Settings in which providers differ. */
export interface Settings {
  /** Seconds that the invoice of a renewal stays a draft. */
  readonly draftSeconds: number
  /** Days after the first failed attempt on which an invoice is retried, and the outcome after the last. */
  readonly dunning: {
    readonly retryDays: readonly number[]
    readonly outcome: 'cancel' | 'unpaid' | 'past_due'
  }
  /** True if the items of one subscription may have different intervals, each with periods of its own. */
  readonly mixesIntervals?: boolean
  /** null without tax. */
  readonly tax: Tax | null
}
/** Share of tax in every amount: added to prices, or included in them. */
export interface Tax {
  readonly percent: number
  readonly included: boolean
}

/** Receives a fact as it happens, with the object as it is then and, after a change, as it was. */
export type Tell = (fact: Fact, object: AnyObject, before?: AnyObject) => void

/** Everything behind one provider. */
export interface World {
  readonly settings: Settings
  readonly clock: FakeClock
  readonly store: Store
  /** Makes an id in the provider's format. */
  idFor(kind: Kind | 'item' | 'line'): string
  /** Stores a new object, and reports the fact if one is given. */
  add<K extends Kind>(object: Objects[K], fact?: Fact): Objects[K]
  /** Replaces fields and reports it. */
  change<K extends Kind>(kind: K, id: string, patch: Partial<Objects[K]>, ...facts: Fact[]): Objects[K]
  tell: Tell
}

/** Creates a world over stored objects, or an empty one. */
export function createWorld(given: Pick<World, 'settings' | 'clock' | 'store' | 'idFor' | 'tell'>): World {
  return {
    ...given,
    add: (object, fact) => {
      given.store.put(object)
      if (fact !== undefined) given.tell(fact, object)
      return object
    },
    change: (kind, id, patch, ...facts) => {
      const before = given.store.get(kind, id)
      const after = given.store.put({ ...before, ...patch })
      for (const fact of facts) given.tell(fact, after, before)
      return after
    },
  }
}
