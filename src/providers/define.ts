import type { z } from 'zod'
import type { ProviderDefinition } from './contract.ts'

/** Types a provider of the site's own, ready for `membership.provider.handler` or `createMembership({ customProviders })`.
 *  Its key is kept as it is written, so that the configuration's keys are known by it. */
export function defineProvider<S extends z.ZodType, const Key extends string>(
  definition: ProviderDefinition<S, Key>,
): ProviderDefinition<S, Key> {
  return definition
}
