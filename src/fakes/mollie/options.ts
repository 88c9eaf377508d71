import type { MerchantOptions } from '../engine/index.ts'

/** What the merchant can be told at its start as Mollie. */
export interface FakeMollieOptions extends MerchantOptions {
  /** Which webhooks it sends: `classic` pings, unless said, or the newer signed events, with their objects or without. */
  readonly sends?: 'classic' | 'events' | 'simple events'
}
