import type { Provider } from './contract.ts'

/** What a provider can do from here. */
export interface Capabilities {
  readonly portal: boolean
  readonly pause: boolean
  readonly swap: boolean
  readonly quantity: boolean
  readonly invoice_preview: boolean
  readonly one_time: boolean
  /** Our API client can read single objects, so contested facts can be asked for. */
  readonly fetch: boolean
  /** Prices can be read, so that plans may name nothing but an id. */
  readonly catalogue: boolean
  /** Past events can be read: the way back after an outage. */
  readonly pull: boolean
}

/** What no method can say: whether more than one of something is sold, and things that are paid once. */
export type Flags = Partial<Pick<Capabilities, 'quantity' | 'one_time'>>

/** What a provider can do: the methods that it has, and what it says beside them. */
export const capabilitiesOf = (provider: Provider): Capabilities => ({
  portal: provider.portal !== undefined,
  pause: provider.pause !== undefined,
  swap: provider.swap !== undefined,
  quantity: provider.capabilities?.quantity !== false && (provider.swap ?? provider.checkout) !== undefined,
  invoice_preview: provider.preview !== undefined,
  one_time: provider.checkout !== undefined && provider.capabilities?.one_time !== false,
  fetch: provider.fetch !== undefined,
  catalogue: provider.prices !== undefined,
  pull: provider.pull !== undefined,
})
