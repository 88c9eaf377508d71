import type { z } from 'zod'
import type { ProviderDefinition } from './contract.ts'

/**
 * Types a site's own provider, ready for `membership.provider.handler` or `createMembership({ customProviders
 * })`. Its key keeps its literal type, so that the configuration's keys are known.
 */
export function defineProvider<S extends z.ZodType, const Key extends string>(
  definition: ProviderDefinition<S, Key>,
): ProviderDefinition<S, Key> {
  return definition
}
