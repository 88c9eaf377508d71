import type { FakeServer, FakeServerOptions } from '../engine/index.ts'
import type { FakeEvent, Kind, Objects, StripeViews } from './shapes.ts'

/** Options of Stripe's fake server. */
export interface FakeStripeOptions extends FakeServerOptions {
  /**
   * Version of events, and of answers to requests without `Stripe-Version`; default `2025-03-31.basil`.
   * Before that version (or with `'old'`) subscriptions contain the period and invoices the intent.
   */
  readonly apiVersion?: string
  /** Seconds that the invoice of a renewal stays a draft; 3600 by default, as at Stripe. */
  readonly draftSeconds?: number
}

/** One fake account of Stripe, with its API on loopback. */
export interface FakeStripe extends FakeServer<StripeViews> {
  /** Its stored objects, in the newest version, for reading only. */
  readonly objects: {
    list<K extends Kind>(kind: K): Objects[K][]
    /** Undefined for an unknown id. */
    get(id: string): Objects[Kind] | undefined
  }
  /** Returns all events, oldest first. */
  events(): (FakeEvent & Record<string, unknown>)[]
}
