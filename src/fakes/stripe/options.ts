import type { FakeServer, FakeServerOptions } from '../engine/index.ts'
import type { FakeEvent, Kind, Objects, StripeViews } from './shapes.ts'

/** Options of the fake server of Stripe. */
export interface FakeStripeOptions extends FakeServerOptions {
  /** The shape of events, and of answers to requests without `Stripe-Version`: `2025-03-31.basil` without. Before that
   *  version (or with `'old'`) subscriptions have the period and invoices the intent. */
  readonly apiVersion?: string
  /** Seconds that the invoice of a renewal stays a draft; 3600 without, as Stripe's. */
  readonly draftSeconds?: number
}

/** One fake account of Stripe, with its API on loopback. */
export interface FakeStripe extends FakeServer<StripeViews> {
  /** Its state, in the newest shape: the objects that it keeps, to be looked at and not to be changed. */
  readonly objects: {
    list<K extends Kind>(kind: K): Objects[K][]
    /** Undefined for an id that nobody has. */
    get(id: string): Objects[Kind] | undefined
  }
  /** All events, oldest first. */
  events(): (FakeEvent & Record<string, unknown>)[]
}
