import type { z } from 'zod'
import type { ProviderDefinition } from './contract.ts'

/** Types a provider of the site's own, ready for `membership.provider.handler` or `createMembership({ providers })`. */
export const defineProvider = <S extends z.ZodType>(
  definition: ProviderDefinition<S>,
): ProviderDefinition<S> => definition
