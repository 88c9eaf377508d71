import type { ProviderContext, ProviderDefinition } from './contract.ts'

/** The provider with its default options, no network and no store: enough to sign, verify and read. */
export const bareProvider = (
  definition: ProviderDefinition,
  options: unknown = {},
  { plans = () => [] }: Partial<Pick<ProviderContext, 'plans'>> = {},
) =>
  definition.create({
    options: definition.options.parse(options),
    livemode: null,
    now: () => new Date(),
    randomId: () => 'bare',
    store: {
      get: async () => null,
      put: async () => {},
      swap: async () => true,
      list: async () => [],
      clear: async () => {},
    },
    plans,
    webhookSecret: () => 'bare',
    log: () => {},
  })
