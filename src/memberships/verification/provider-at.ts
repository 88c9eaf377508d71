import type { ProviderReader } from '../../providers/contract.ts'

/** Returns the provider with that account's API key; undefined where the account has none. */
export function providerAt<P extends ProviderReader>(
  providers: ReadonlyMap<string, P>,
  key: string,
  account: string,
): P | undefined {
  const provider = providers.get(key)
  // A provider's accounts are providers of the same kind.
  return provider?.accounts ? (provider.accounts.get(account) as P | undefined) : provider
}
