import type { Provider } from '../../providers/contract.ts'

/** The provider with the API key of that account; undefined where the account has none. */
export const providerAt = (
  providers: ReadonlyMap<string, Provider>,
  key: string,
  account: string,
): Provider | undefined => {
  const provider = providers.get(key)
  return provider?.accounts ? provider.accounts.get(account) : provider
}
