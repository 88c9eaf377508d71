import type { DigitsOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Provider, ProviderContext, ProviderDefinition } from './contract.ts'
import { type ListedProvider, providers } from './index.ts'

/** Lists all providers: this package's, not loaded yet, and the site's own, which take precedence. */
export function allProviders(
  own: readonly ProviderDefinition[] = [],
): (ProviderDefinition | ListedProvider)[] {
  return [
    ...providers.filter(({ key }) => !own.some((providerDefinition) => providerDefinition.key === key)),
    ...own,
  ]
}

/** Loads the package's definitions of these keys. */
export function loadDefinitions(keys: readonly string[]): Promise<ProviderDefinition[]> {
  return Promise.all(providers.filter(({ key }) => keys.includes(key)).map((listed) => listed.load()))
}

/** Returns the minor units of each provider's currencies. */
export function digitsOf(definitions: readonly ProviderDefinition[]): DigitsOf {
  return (provider, currency) => definitions.find(({ key }) => key === provider)?.minorDigits?.(currency)
}

/** Builds the provider of one configured key. @throws ERR_PROVIDER_UNKNOWN */
export function createProvider(
  key: string,
  definitions: readonly ProviderDefinition[],
  context: ProviderContext,
): Provider {
  const definition = definitions.find((definition) => definition.key === key)
  if (definition) return definition.create(context)
  throw new MembershipError(
    'ERR_PROVIDER_UNKNOWN',
    `No provider "${key}"; known: ${definitions.map((d) => d.key).join(', ')}.`,
  )
}
