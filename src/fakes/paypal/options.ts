import type { FakeServer, FakeServerOptions } from '../engine/index.ts'
import type { PayPalViews } from './shapes.ts'

/** One fake business account of PayPal, with its API on loopback: what a site needs is `api_base`, the address of it. */
export interface FakePayPal extends FakeServer<PayPalViews> {
  /** Client id of the app; the other half is `secret`. */
  readonly clientId: string
  /** Certificate that signs its webhooks, as PEM. */
  readonly certificate: string
  /** Agrees to a change on its page, as a buyer does. @throws TypeError where there is none */
  agree(subscription: string): Promise<void>
  /** Acts as a buyer or the seller on PayPal's own pages. */
  cancelAtPayPal(subscription: string): Promise<void>
  suspendAtPayPal(subscription: string): Promise<void>
}

/** Options of the fake server of PayPal. */
export type FakePayPalOptions = FakeServerOptions
