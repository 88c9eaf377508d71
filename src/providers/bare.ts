import { MembershipError } from '../core/errors.ts'
import type { ProviderContext, ProviderDefinition } from './contract.ts'

/**
 * Builds a provider with these options but without network and storage. It can sign, verify and read.
 * @throws ERR_USAGE for options that the definition does not accept, with their names
 */
export function bareProvider(
  definition: ProviderDefinition,
  options: unknown = {},
  { plans = () => [], log = () => {} }: Partial<Pick<ProviderContext, 'plans' | 'log'>> = {},
) {
  return definition.create({
    options: parsed(definition, options),
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
    storedCustomer: async () => null,
    plans,
    webhookSecret: () => 'bare',
    log,
  })
}

function parsed({ key, options: schema }: ProviderDefinition, options: unknown): unknown {
  const { data, error } = schema.safeParse(options)
  if (error === undefined) return data
  const mistakes = error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`)
  throw new MembershipError(
    'ERR_USAGE',
    `The provider "${key}" does not take these options. ${mistakes.join('; ')}`,
    {
      action: 'Give what its definition asks for, as the configuration would: { options: { … } }.',
    },
  )
}
