import { MembershipError } from '../core/errors.ts'
import type { FakeServer, FakeServerOptions } from '../fakes/engine/index.ts'
import type { FakePayPal, FakePayPalOptions } from '../fakes/paypal/index.ts'
import type { FakeStripe, FakeStripeOptions } from '../fakes/stripe/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { definitions } from './definitions.ts'

/** FakeServers that offer more than every merchant does. */
export interface FakeServers {
  paypal: { options: FakePayPalOptions; merchant: FakePayPal }
  stripe: { options: FakeStripeOptions; merchant: FakeStripe }
}

/** Starts a test double of a provider on loopback, by the provider's key, or by the definition of a site's own provider:
 *  its API, its pages and its webhooks, with a clock that is moved by hand. Nothing of it is loaded before.
 *  @throws ERR_PROVIDER_UNKNOWN for a provider without one */
export const createFakeServer = (async (
  provider: string | Pick<ProviderDefinition, 'key' | 'fake'>,
  options: FakeServerOptions = {},
) => {
  const definition = typeof provider === 'string' ? definitions.find(({ key }) => key === provider) : provider
  if (definition?.fake !== undefined) return (await definition.fake())(options)
  const known = definitions.filter(({ fake }) => fake !== undefined).map(({ key }) => key)
  const asked = typeof provider === 'string' ? provider : provider.key
  throw new MembershipError(
    'ERR_PROVIDER_UNKNOWN',
    `No fake server plays "${asked}"; known: ${known.join(', ')}.`,
  )
}) as CreateFakeServer

export interface CreateFakeServer {
  <K extends keyof FakeServers>(
    provider: K,
    options?: FakeServers[K]['options'],
  ): Promise<FakeServers[K]['merchant']>
  (
    provider: string | Pick<ProviderDefinition, 'key' | 'fake'>,
    options?: FakeServerOptions,
  ): Promise<FakeServer>
}

/** `createFakeServer('stripe', options)`, by its older name. */
export const createFakeStripe = (options?: FakeStripeOptions): Promise<FakeStripe> =>
  createFakeServer('stripe', options)

/** @deprecated Use `createFakeServer`. */
export const createMerchant = createFakeServer
