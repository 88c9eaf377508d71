import { createHmac } from 'node:crypto'
import type { Config } from '../core/config/index.ts'
import { type StoreName, storeNames } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { createDocuments, type Storage } from '../core/storage/index.ts'
import { withAccount } from './accounts.ts'
import type { Provider, ProviderDefinition, Rate, WebhookSecret } from './contract.ts'
import { type Mistake, mistakesOf } from './mistakes.ts'
import { createProvider } from './registry.ts'
import { signDelivery } from './signatures.ts'
import { checkStores } from './stores.ts'

/** A provider with the site's configuration for it. */
export interface ConfiguredProvider {
  readonly provider: Provider
  readonly secrets: readonly WebhookSecret[]
  /** Mode of this site; null accepts both. */
  readonly livemode: boolean | null
  /** How the provider's modes are told apart; null if its definition does not say. */
  readonly mode: NonNullable<ProviderDefinition['mode']> | null
  /** Published rate limit; null without one. */
  readonly rate: Rate | null
  /** True if it runs in this process, so that no event can be lost. */
  readonly isHere: boolean
  /** Mistakes in the configuration. */
  readonly mistakes: readonly Mistake[]
}

/**
 * Builds every configured provider, by key.
 * @throws ERR_CONFIG when the mode is unknown in production, or when two read the same app store
 */
export function configuredProviders(input: {
  config: Config
  definitions: readonly ProviderDefinition[]
  storage: Storage
  now: () => Date
  randomId: () => string
  log: Log
  /** The customer of a stored subscription; null for an unknown one. By default nothing is known. */
  storedCustomer?: (place: {
    provider: string
    accounts: readonly string[]
    id: string
  }) => Promise<string | null>
  /** Secret of the installation. */
  secret: () => string
  isProduction: boolean
}): Map<string, ConfiguredProvider> {
  const {
    config,
    definitions,
    storage,
    storedCustomer = async () => null,
    now,
    randomId,
    log,
    secret,
    isProduction,
  } = input
  const made = new Map<string, ConfiguredProvider>()
  for (const [key, settings] of Object.entries(config.providers)) {
    const definition = definitions.find((definition) => definition.key === key)
    const secrets = secretsOf({ key, inProcess: definition?.inProcess }, settings.webhook, secret)
    const labels = [...new Set(secrets.map(({ label }) => label))]
    const accounts = [...labels, settings.account ?? '']
    const bare = createProvider(key, definitions, {
      options: settings.options,
      livemode: settings.livemode,
      now,
      randomId,
      store: createDocuments(storage, key),
      storedCustomer: (id) => storedCustomer({ provider: key, accounts, id }),
      plans: () => Object.values(settings.plans),
      webhookSecret: (label) =>
        (secrets.find((known) => label === undefined || known.label === label) ?? secrets[0])?.secret ?? '',
      log,
    })
    const provider = withAccount(key, bare, { account: settings.account, labels })
    const mistakes = mistakesOf(definition ?? { key }, provider, {
      secrets,
      options: settings.options,
      plans: settings.plans,
    })
    for (const { text, action } of mistakes) log(`${text} ${action}`)
    const livemode = settings.livemode ?? provider.livemode ?? null
    if (livemode === null && isProduction) throw unknownMode(key)
    if (provider.livemode !== undefined && provider.livemode !== livemode) log(otherMode(key, livemode))
    if (provider.stores?.length && livemode !== true) log(testPurchases(key, provider.stores))
    const { mode = null, rate = null, inProcess: isHere = false } = definition ?? {}
    made.set(key, { provider, secrets, mode, livemode, rate, isHere, mistakes })
  }
  checkStores(new Map([...made].map(([key, { provider }]) => [key, provider])))
  return made
}

/**
 * Returns the headers of a delivery, signed with the provider's newest secret.
 * @throws ERR_PROVIDER_UNKNOWN without one
 */
export function signWith(
  configured: ReadonlyMap<string, ConfiguredProvider>,
  key: string,
  body: Buffer,
  now: Date,
): Record<string, string> {
  const found = configured.get(key)
  const first = found?.secrets[0]
  if (found && first) return signDelivery(found.provider, body, first.secret, now)
  throw new MembershipError('ERR_PROVIDER_UNKNOWN', `There is no webhook secret for the provider "${key}".`, {
    action: `Set membership.providers.${key}.webhook.`,
  })
}

// An in-process provider makes its own secret, so nothing must be configured.
function secretsOf(
  { key, inProcess = false }: Pick<ProviderDefinition, 'key' | 'inProcess'>,
  configured: readonly WebhookSecret[],
  secret: () => string,
): readonly WebhookSecret[] {
  return inProcess && configured.length === 0
    ? [{ label: '', secret: createHmac('sha256', secret()).update(`${key} webhooks`).digest('hex') }]
    : configured
}

function otherMode(key: string, livemode: boolean | null): string {
  return `The API key of ${key} is for ${livemode ? 'test' : 'live'} mode, and membership.providers.${key}.livemode says ${livemode ? 'live' : 'test'} mode: what is bought with it opens nothing here.`
}

function testPurchases(key: string, stores: readonly StoreName[]): string {
  return `Test purchases of ${stores.map((store) => storeNames[store]).join(', ')} open gates on this site and move no money: membership.providers.${key}.livemode is not true.`
}

function unknownMode(key: string): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `membership.providers.${key}.livemode must be given in production: nothing else tells whether live or test events are this site’s.`,
    {
      action: `Set membership.providers.${key}.livemode to true (or false on a staging site), or its API key as membership.providers.${key}.secret.`,
    },
  )
}
