import type { ProviderReader } from '../../providers/contract.ts'

/** The provider with the API key of that account; undefined where the account has none. */
export function providerAt<P extends ProviderReader>(
  providers: ReadonlyMap<string, P>,
  key: string,
  account: string,
): P | undefined {
  const provider = providers.get(key)
  // The accounts of a provider are providers of the same kind.
  return provider?.accounts ? (provider.accounts.get(account) as P | undefined) : provider
}
