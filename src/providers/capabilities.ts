import type { Capabilities, Provider } from './contract.ts'

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
