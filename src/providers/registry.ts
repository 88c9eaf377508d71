import type { DigitsOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Provider, ProviderContext, ProviderDefinition } from './contract.ts'
import { type ListedProvider, providers } from './index.ts'

/** All providers: this package's, not loaded yet, and the site's own, which win. */
export const allProviders = (
  own: readonly ProviderDefinition[] = [],
): (ProviderDefinition | ListedProvider)[] => [
  ...providers.filter(({ key }) => !own.some((providerDefinition) => providerDefinition.key === key)),
  ...own,
]

/** Loads the definitions of these keys, as far as the package has them. */
export const loadDefinitions = (keys: readonly string[]): Promise<ProviderDefinition[]> =>
  Promise.all(providers.filter(({ key }) => keys.includes(key)).map((listed) => listed.load()))

/** Minor units of each provider's currencies. */
export const digitsOf =
  (definitions: readonly ProviderDefinition[]): DigitsOf =>
  (provider, currency) =>
    definitions.find(({ key }) => key === provider)?.minorDigits?.(currency)

/** Makes the provider of one configured key. @throws ERR_PROVIDER_UNKNOWN */
export const createProvider = (
  key: string,
  definitions: readonly ProviderDefinition[],
  context: ProviderContext,
): Provider => {
  const definition = definitions.find((definition) => definition.key === key)
  if (definition) return definition.create(context)
  throw new MembershipError(
    'ERR_PROVIDER_UNKNOWN',
    `No provider "${key}"; known: ${definitions.map((d) => d.key).join(', ')}.`,
  )
}
