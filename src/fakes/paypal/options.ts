import type { Merchant, MerchantOptions } from '../engine/index.ts'
import type { PayPalViews } from './shapes.ts'

/** One fake business account of PayPal, with its API on loopback: what a site needs is `api_base`, the address of it. */
export interface FakePayPal extends Merchant<PayPalViews> {
  /** Of the app; the other half is `secret`. */
  readonly clientId: string
  /** What signs its webhooks, as PEM. */
  readonly certificate: string
  /** What a buyer does on the page of a change that needs them: agrees to it. @throws TypeError where there is none */
  agree(subscription: string): Promise<void>
  /** What a buyer or the seller does on PayPal's own pages. */
  cancelAtPayPal(subscription: string): Promise<void>
  suspendAtPayPal(subscription: string): Promise<void>
}

/** What the merchant can be told at its start as PayPal. */
export type FakePayPalOptions = MerchantOptions
