import type { ProviderDefinition } from './contract.ts'

/** A provider of the package. Its folder is loaded only for sites that configure it. */
export interface ListedProvider {
  readonly key: string
  /** Only false where people buy elsewhere, in an app, and this site reads it. */
  readonly sells?: false
  load(): Promise<ProviderDefinition>
}

/** Every provider of the package: one folder, one line. */
export const providers: readonly ListedProvider[] = [
  { key: 'apple', sells: false, load: async () => (await import('./apple/index.ts')).apple },
  { key: 'chargebee', load: async () => (await import('./chargebee/index.ts')).chargebee },
  { key: 'creem', load: async () => (await import('./creem/index.ts')).creem },
  { key: 'dodo', load: async () => (await import('./dodo/index.ts')).dodo },
  { key: 'google', sells: false, load: async () => (await import('./google/index.ts')).google },
  { key: 'lemonsqueezy', load: async () => (await import('./lemonsqueezy/index.ts')).lemonsqueezy },
  { key: 'mollie', load: async () => (await import('./mollie/index.ts')).mollie },
  { key: 'paddle', load: async () => (await import('./paddle/index.ts')).paddle },
  { key: 'paypal', load: async () => (await import('./paypal/index.ts')).paypal },
  { key: 'polar', load: async () => (await import('./polar/index.ts')).polar },
  { key: 'revenuecat', sells: false, load: async () => (await import('./revenuecat/index.ts')).revenuecat },
  { key: 'sandbox', load: async () => (await import('./sandbox/index.ts')).sandbox },
  { key: 'stripe', load: async () => (await import('./stripe/index.ts')).stripe },
]
