import { type Config, sellersOf } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { offers } from '../subscriptions/index.ts'

/**
 * Chooses the provider of a purchase: the one that the form names, if the site lets it, else the one for new
 * checkouts.
 * @throws ERR_FORM, ERR_PROVIDER_UNSUPPORTED
 */
export const sellerFor = (
  wanted: string | null,
  { config, providers }: { config: Pick<Config, 'provider'>; providers: ReadonlyMap<string, ProviderReader> },
): { key: string; provider: ProviderReader } => {
  const sellers = sellersOf(config)
  if (wanted !== null && !sellers.includes(wanted))
    throw new MembershipError('ERR_FORM', `Nothing is sold through "${wanted}" here.`, {
      action: `Send a provider that is: ${sellers.join(', ') || 'none is'}; or none, for the usual one.`,
    })
  const key = wanted ?? config.provider.handler
  const provider = key === null ? undefined : providers.get(key)
  if (key !== null && provider && offers(provider, 'checkout')) return { key, provider }
  throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', `"${key ?? ''}" takes no new checkouts here.`, {
    action: 'Set membership.provider.handler to a provider with a checkout; most need their API key.',
  })
}
