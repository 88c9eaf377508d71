import type { FakeServerOptions } from '../engine/index.ts'

/** Options of Mollie's fake server. */
export interface FakeMollieOptions extends FakeServerOptions {
  /**
   * Webhooks to send: `classic` pings (default), or the newer signed events, with or without their objects.
   */
  readonly sends?: 'classic' | 'events' | 'simple events'
}
