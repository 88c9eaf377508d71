import type { Config, ProviderConfig } from '../../core/config/index.ts'
import { currencyDigits } from '../../core/dto/index.ts'
import { canAsk, isPing } from '../../memberships/verification/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import { type Check, found, ok } from './check.ts'

/** Checks everything in the configuration that needs no request. */
export function checkConfiguration(
  config: Config,
  { providers, isProduction }: { providers: ReadonlyMap<string, ConfiguredProvider>; isProduction: boolean },
): Check[] {
  return [
    handler(config, providers),
    ...choices(config, providers),
    ...[...providers].flatMap(([key, configured]) => {
      const settings = config.providers[key]
      return settings ? ofProvider({ key, settings, configured, isProduction }) : []
    }),
    secret(config),
    ...proxies(config),
  ]
}

function handler({ provider: { handler: key } }: Config, providers: Providers): Check {
  if (key === null)
    return found(
      'warning',
      'handler',
      'No provider takes new checkouts: nothing can be bought.',
      'Set membership.provider.handler to the key of a provider.',
    )
  if (providers.get(key)?.provider.checkout) return ok('handler', `New checkouts go to ${key}.`)
  return found(
    'problem',
    'handler',
    `New checkouts go to ${key}, which takes none here: nothing can be bought.`,
    `Set the API key of ${key} below membership.providers.${key}, or name another provider as membership.provider.handler.`,
  )
}

function choices({ provider }: Config, providers: Providers): Check[] {
  return provider.choices
    .filter((key) => key !== provider.handler && !providers.get(key)?.provider.checkout)
    .map((key) =>
      found(
        'problem',
        'choices',
        `membership.provider.choices names ${key}, which takes no checkouts here.`,
        `Set the API key of ${key} below membership.providers.${key}, or leave it out of membership.provider.choices.`,
      ),
    )
}

interface ProviderInput {
  readonly key: string
  readonly settings: ProviderConfig
  readonly configured: ConfiguredProvider
  readonly isProduction: boolean
}

function ofProvider(input: ProviderInput): Check[] {
  return [
    webhookSecret(input),
    ...lookAlikes(input),
    ...modes(input),
    ...plans(input),
    ...amounts(input),
    ...unpricedHere(input),
  ]
}

function webhookSecret({ key, configured: { provider, secrets } }: ProviderInput): Check {
  if (secrets.length > 0) return ok('webhook-secret', `The webhook secret of ${key} is set.`)
  if (!isPing(provider, { headers: {} }))
    return found(
      'problem',
      'webhook-secret',
      `The webhook secret of ${key} is missing: every delivery is refused.`,
      `Set membership.providers.${key}.webhook to the signing secret of the endpoint.`,
    )
  return canAsk(provider, provider.account ?? '')
    ? ok('webhook-secret', `Pings of ${key} need no secret: what they name is asked for.`)
    : found(
        'problem',
        'webhook-secret',
        `The site cannot fetch the objects that pings of ${key} name, so it rejects every ping.`,
        `Set the API key of ${key} below membership.providers.${key}.`,
      )
}

function lookAlikes({ configured }: ProviderInput): Check[] {
  return configured.mistakes.map(({ name, text, action }) => found('problem', name, text, action))
}

function modes({ key, settings, configured, isProduction }: ProviderInput): Check[] {
  const ofKey = configured.provider.livemode ?? null
  const ours = configured.livemode
  if (ours === null && ofKey === null) return []
  const word = (live: boolean) => (live ? 'live' : 'test')
  if (settings.livemode !== null && ofKey !== null && settings.livemode !== ofKey)
    return [
      found(
        'problem',
        'mode',
        `The API key of ${key} is for ${word(ofKey)} mode, and membership.providers.${key}.livemode says ${word(settings.livemode)} mode: what is bought here is held back.`,
        `Use the ${word(settings.livemode)} key, or remove membership.providers.${key}.livemode.`,
      ),
    ]
  if (isProduction && ours === false)
    return [
      found(
        'warning',
        'mode',
        `NODE_ENV is production, and ${key} is in test mode: nobody is charged, live events are held back.`,
        'Use the live key; on a staging site leave it as it is.',
      ),
    ]
  if (!isProduction && ofKey === true)
    return [
      found(
        'warning',
        'mode',
        `The API key of ${key} is a live one, and NODE_ENV is not production here: what is tried moves real money.`,
        'Use a test key here; on the live site set NODE_ENV=production, for this command, too.',
      ),
    ]
  return [ok('mode', `${key} is in ${word(ours ?? ofKey ?? false)} mode.`)]
}

function plans({ key, settings }: ProviderInput): Check[] {
  const all = Object.values(settings.plans)
  if (all.length === 0)
    return [
      found(
        'warning',
        'plans',
        `${key} has no plans: there is nothing to choose from.`,
        'List them in membership.plans.',
      ),
    ]
  const empty = all.filter(({ prices }) => prices.length === 0)
  return empty.length === 0
    ? [ok('plans', `Every plan of ${key} has a price.`)]
    : [
        found(
          'problem',
          'plans',
          `Plans of ${key} without a price: ${empty.map(({ id }) => id).join(', ')}. They open for nobody.`,
          `Give membership.plans.${empty[0]!.id}.prices the ids of its prices.`,
        ),
      ]
}

// No provider takes so little in a currency with cents: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
const leastCents = 50

/** Amounts that look like whole units: 9 for nine euros. */
function amounts({ settings }: ProviderInput): Check[] {
  return Object.values(settings.plans).flatMap(({ id: plan, prices }) =>
    prices.flatMap(({ id, amount, currency }) =>
      amount === null ||
      amount === 0 ||
      amount >= leastCents ||
      currency === null ||
      currencyDigits(currency) !== 2
        ? []
        : [
            found(
              'warning',
              'amount',
              `membership.plans.${plan} says ${amount} ${currency} for "${id}", which is ${amount} hundredths.`,
              `Amounts are in minor units: write ${amount * 100} for ${amount} ${currency}.`,
            ),
          ],
    ),
  )
}

/** Prices that a provider within this process sells have no catalogue that could name their amount. */
function unpricedHere({ key, settings, configured: { isHere } }: ProviderInput): Check[] {
  return (isHere ? Object.values(settings.plans) : []).flatMap(({ id: plan, prices }) =>
    prices
      .filter(({ amount, choose }) => amount === null && !choose)
      .map(({ id }) =>
        found(
          'problem',
          'price-without-amount',
          `membership.plans.${plan} has the price "${id}" of ${key} without an amount, so nobody can buy it.`,
          `Write { id: '${id}', amount: 900, currency: 'EUR', interval: 'month' }, with its own numbers.`,
        ),
      ),
  )
}

function secret({ secret: given, database }: Config): Check {
  if (given !== null) return ok('secret', '"membership.secret" is set.')
  if (database.url.startsWith('sqlite:') && database.url !== 'sqlite::memory:')
    return ok('secret', 'The secret that signs cookies lies beside the database.')
  return found(
    'problem',
    'secret',
    '"membership.secret" is missing: each process makes its own, so that forms and sessions fail after a restart and between processes.',
    'Set membership.secret to the same 32 or more random characters everywhere: openssl rand -base64 32',
  )
}

type Providers = ReadonlyMap<string, ConfiguredProvider>

function proxies({ url, ratelimit: { trust_proxy: trusted } }: Config): Check[] {
  if (url === null) return []
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(url)
  if (url.startsWith('https:') && trusted === 0)
    return [
      found(
        'warning',
        'proxy',
        'Visitors come over https and no proxy is trusted. If a proxy ends TLS in front of this process, all visitors share its address and limit.',
        'Set membership.ratelimit.trust_proxy to the number of proxies in front; 0 is right only when this process itself speaks https.',
      ),
    ]
  if (trusted > 0 && isLocal)
    return [
      found(
        'warning',
        'proxy',
        `${trusted} proxies are trusted at ${url}, where none should be: anybody may claim any address.`,
        'Set membership.ratelimit.trust_proxy to 0 here.',
      ),
    ]
  return trusted === 0
    ? []
    : [
        found(
          'skipped',
          'proxy',
          `This check cannot see if there are exactly ${trusted} trusted proxies in front.`,
          'Count them: one too many, and anybody may claim any address.',
        ),
      ]
}
