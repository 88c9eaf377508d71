import type { FakeServerOptions } from '../engine/index.ts'

/** Options of the fake server of Mollie. */
export interface FakeMollieOptions extends FakeServerOptions {
  /** Which webhooks it sends: `classic` pings, unless said, or the newer signed events, with their objects or without. */
  readonly sends?: 'classic' | 'events' | 'simple events'
}
