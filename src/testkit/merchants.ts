import { MembershipError } from '../core/errors.ts'
import type { Merchant, MerchantOptions } from '../fakes/engine/index.ts'
import type { FakePayPal, FakePayPalOptions } from '../fakes/paypal/index.ts'
import type { FakeStripe, FakeStripeOptions } from '../fakes/stripe/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { definitions } from './definitions.ts'

/** Merchants that offer more than every merchant does. */
interface Merchants {
  paypal: { options: FakePayPalOptions; merchant: FakePayPal }
  stripe: { options: FakeStripeOptions; merchant: FakeStripe }
}

/** Starts a test double of a provider on loopback, by the provider's key, or by the definition of a site's own provider:
 *  its API, its pages and its webhooks, with a clock that is moved by hand. Nothing of it is loaded before.
 *  @throws ERR_PROVIDER_UNKNOWN for a provider without one */
export const createMerchant = (async (
  provider: string | Pick<ProviderDefinition, 'key' | 'dialect'>,
  options: MerchantOptions = {},
) => {
  const definition = typeof provider === 'string' ? definitions.find(({ key }) => key === provider) : provider
  if (definition?.dialect !== undefined) return (await definition.dialect())(options)
  const known = definitions.filter(({ dialect }) => dialect !== undefined).map(({ key }) => key)
  const asked = typeof provider === 'string' ? provider : provider.key
  throw new MembershipError(
    'ERR_PROVIDER_UNKNOWN',
    `No merchant speaks "${asked}"; known: ${known.join(', ')}.`,
  )
}) as CreateMerchant

interface CreateMerchant {
  <K extends keyof Merchants>(
    provider: K,
    options?: Merchants[K]['options'],
  ): Promise<Merchants[K]['merchant']>
  (
    provider: string | Pick<ProviderDefinition, 'key' | 'dialect'>,
    options?: MerchantOptions,
  ): Promise<Merchant>
}

/** `createMerchant('stripe', options)`, by its older name. */
export const createFakeStripe = (options?: FakeStripeOptions): Promise<FakeStripe> =>
  createMerchant('stripe', options)
