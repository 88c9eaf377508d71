import { MembershipError } from '../core/errors.ts'
import type { FakeServer, FakeServerOptions } from '../fakes/engine/index.ts'
import type { FakePaddle } from '../fakes/paddle/index.ts'
import type { FakePayPal, FakePayPalOptions } from '../fakes/paypal/index.ts'
import type { FakeStripe, FakeStripeOptions } from '../fakes/stripe/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { definitions } from './definitions.ts'

/** Fake servers with more methods than `FakeServer` has. */
export interface FakeServers {
  paddle: { options: FakeServerOptions; server: FakePaddle }
  paypal: { options: FakePayPalOptions; server: FakePayPal }
  stripe: { options: FakeStripeOptions; server: FakeStripe }
}

/**
 * Starts a fake server of a provider on loopback, by the provider's key or by the definition of a site's own
 * provider. It plays the API, the pages and the webhooks, with a clock that tests move by hand. Its code is
 * loaded only then.
 * @throws ERR_PROVIDER_UNKNOWN for a provider without a fake server
 */
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
  ): Promise<FakeServers[K]['server']>
  (
    provider: string | Pick<ProviderDefinition, 'key' | 'fake'>,
    options?: FakeServerOptions,
  ): Promise<FakeServer>
}

/** Older name of `createFakeServer('stripe', options)`. */
export function createFakeStripe(options?: FakeStripeOptions): Promise<FakeStripe> {
  return createFakeServer('stripe', options)
}

/** @deprecated Use `createFakeServer`. */
export const createMerchant = createFakeServer
