import type { FakeServer, FakeServerOptions } from '../engine/index.ts'
import type { PayPalViews } from './shapes.ts'

/** One fake business account of PayPal, with its API on loopback. A site needs its address as `api_base`. */
export interface FakePayPal extends FakeServer<PayPalViews> {
  /** Client id of the app; the other half is `secret`. */
  readonly clientId: string
  /** Certificate that signs its webhooks, as PEM. */
  readonly certificate: string
  /** Approves a change on its page, as a buyer. @throws TypeError when there is none */
  agree(subscription: string): Promise<void>
  /** Acts as a buyer or the seller on PayPal's own pages. */
  cancelAtPayPal(subscription: string): Promise<void>
  suspendAtPayPal(subscription: string): Promise<void>
}

/** Options of PayPal's fake server. */
export type FakePayPalOptions = FakeServerOptions
