import { createHash, createHmac } from 'node:crypto'
import { siteIdLength } from '../../core/access/index.ts'
import { type Config, sellersOf } from '../../core/config/index.ts'
import { moneyWriter } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import type { Counters } from '../../core/http/counters.ts'
import { createTokens, type Tokens } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'
import type { Log } from '../../core/log.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import { createWords } from '../../core/words/index.ts'
import { createCatalogue } from '../../memberships/catalogue/index.ts'
import { storedCustomer } from '../../memberships/ledger/index.ts'
import { type ConfiguredProvider, configuredProviders } from '../../providers/configured.ts'
import type { Provider, ProviderDefinition } from '../../providers/contract.ts'
import { digitsOf } from '../../providers/registry.ts'
import { checkConfiguration } from '../doctor/configuration.ts'
import type { MembershipOptions } from '../options.ts'
import { createPageRender } from '../pages/index.ts'

/**
 * Environment of all services: everything that is given, opened or read before the first service is built.
 */
export interface Environment {
  readonly addresses: Addresses
  readonly options: MembershipOptions
  readonly config: Config
  readonly storage: Storage
  /** Counters of requests per minute. */
  readonly counters: Counters
  readonly now: () => Date
  readonly log: Log
  readonly randomId: () => string
  /** The ids of this site; purchases that begin here carry the first. None where they do not count. */
  readonly sites: readonly string[]
  readonly root: string | false
  readonly definitions: readonly ProviderDefinition[]
  /** Signing secrets, newest first. They are read or created at first use. */
  readonly secrets: () => readonly string[]
  readonly isProduction: boolean
  /** True outside production and tests. Mistyped names throw then. */
  readonly isDevelopment: boolean
  /** Moment from which members' changes are notified; null if this database never had a recipient. */
  readonly notifiedSince: string | null
}

/** Builds what the services stand on: providers and their plans, signatures, words and pages. */
export function createFoundation(environment: Environment) {
  const { config, addresses, storage, now, log, randomId, root, definitions, secrets, isProduction } =
    environment
  const configured = configuredProviders({
    config,
    definitions,
    storage,
    now,
    randomId,
    log,
    isProduction,
    secret: () => secrets()[0]!,
    storedCustomer: (place) => storedCustomer(storage, place),
  })
  const providers = new Map<string, Provider>([...configured].map(([key, { provider }]) => [key, provider]))
  for (const key of sellersOf(config))
    if (!providers.get(key)?.checkout)
      log(
        `New checkouts go to ${key}, which takes none here: nothing can be bought. Set its API key below membership.providers.${key}.`,
      )
  for (const line of startWords(environment, configured)) log(line)
  const money = moneyWriter(digitsOf(definitions))
  const site = siteNameOf(environment)
  return {
    configured,
    providers,
    money,
    tokens: lazyTokens(() => createTokens(secrets(), now)),
    site,
    words: createWords({ root, defaultLanguage: config.language, site, money, features: config.features }),
    ...createPageRender({
      root,
      isProduction,
      config,
      addresses,
      sendsMails: environment.options.mails !== undefined,
    }),
    catalogue: createCatalogue({
      storage,
      config,
      providers,
      sites: environment.sites.length === 0 ? undefined : environment.sites,
      now,
      log,
    }),
  }
}
export type Foundation = ReturnType<typeof createFoundation>

/**
 * The words at the start: what a provider's account may sell besides this site, prices that nobody can buy, and, in production,
 * settings with which something fails later. Tests start without words.
 */
function startWords(
  { config, isProduction, isDevelopment }: Environment,
  configured: ReadonlyMap<string, ConfiguredProvider>,
): readonly string[] {
  if (!isProduction && !isDevelopment) return []
  // A provider within this process sells nothing else.
  const outside = Object.entries(config.providers).filter(([key]) => configured.get(key)?.isHere !== true)
  const taken = outside.map(([key, { accepts }]) =>
    accepts === 'plans'
      ? `${key}: purchases of prices that no plan names belong to other shops of the account, and are left alone (membership.providers.${key}.accepts is "plans").`
      : `${key}: each purchase of the account makes a member, whatever it is for (membership.providers.${key}.accepts is "everything").`,
  )
  // Where an account is missing something matters once a site is public; a mistake in the plans is one at once.
  const mistakes = ['price-without-amount', 'plans']
  const early = new Set(isProduction ? ['webhook-secret', 'mode', ...mistakes] : mistakes)
  return [
    ...taken,
    ...checkConfiguration(config, { providers: configured, isProduction })
      .filter(
        ({ name, status }) =>
          early.has(name) &&
          (status === 'problem' || (status === 'warning' && (isProduction || name !== 'plans'))),
      )
      .map(({ what, fix }) => `${what} ${fix ?? ''}`.trim()),
  ]
}

/** Delays creating the secret, and writing its file, until something is signed. */
export function lazyTokens(make: () => Tokens): Tokens {
  const tokens = lazy(make)
  return {
    sign: (...args) => tokens().sign(...args),
    verify: (...args) => tokens().verify(...args),
    formToken: (...args) => tokens().formToken(...args),
    isFormToken: (...args) => tokens().isFormToken(...args),
    signIntent: (...args) => tokens().signIntent(...args),
    isSignedIntent: (...args) => tokens().isSignedIntent(...args),
    signVisitor: (...args) => tokens().signVisitor(...args),
    visitorOf: (...args) => tokens().visitorOf(...args),
    signFile: (...args) => tokens().signFile(...args),
    fileOf: (...args) => tokens().fileOf(...args),
    feedTokens: (...args) => tokens().feedTokens(...args),
    mark: (...args) => tokens().mark(...args),
  }
}

/**
 * Returns the site's name for the package's pages. It comes from the configuration, never from a request's
 * Host header.
 */
export function siteNameOf({ config, options }: Pick<Environment, 'config' | 'options'>): string {
  return (
    config.name ??
    options.mails?.siteName ??
    (config.url === null ? (config.shop.name ?? 'Membership') : new URL(config.url).hostname)
  )
}

/**
 * Returns the base address of links that are handed over.
 * @throws ERR_CONFIG when `membership.url` is not set
 */
export function publicUrl({ url }: Pick<Config, 'url'>): string {
  if (url !== null) return url
  throw new MembershipError('ERR_CONFIG', 'A link needs the address of the site.', {
    action: 'Set membership.url, such as https://example.com.',
  })
}

/** Base address of links in mails. */
export interface SiteAddress {
  /** @throws ERR_CONFIG while the address is unknown */
  readonly siteUrl: () => string
  readonly noteAddress: (request: Parameters<Addresses['localOf']>[0]) => void
}

/**
 * Uses the configured address. Without one, links use the address on which this process listens, never a
 * request's Host header.
 */
export function createSiteAddress(
  { url: configured }: Pick<Config, 'url'>,
  { localOf }: Pick<Addresses, 'localOf'>,
): SiteAddress {
  let seen: string | null = null
  return {
    siteUrl: () => {
      const url = configured ?? seen
      if (url !== null) return url
      throw new MembershipError(
        'ERR_CONFIG',
        'The address of the site is not known yet, so no link can be written.',
        { action: 'Set membership.url, such as https://example.com.' },
      )
    },
    noteAddress: (request) => {
      if (configured === null && seen === null && request.socket?.localPort) seen = localOf(request)
    },
  }
}

/**
 * Returns the ids of the site, of which new purchases carry the first. Without configured ones, the first follows from the
 * public address, else from the configured secret, so that a site whose database was lost is still the same. Its database
 * keeps the earlier ones. A site that has neither is being developed: none, and the ids of purchases do not count there.
 */
export async function sitesOf(
  storage: Storage,
  { site, url, secret }: Pick<Config, 'site' | 'url' | 'secret'>,
): Promise<readonly string[]> {
  if (site !== null) return typeof site === 'string' ? [site] : site
  const documents = createDocuments(storage, 'site')
  const isPublic = url !== null && !isLocal(new URL(url).hostname)
  const first = isPublic ? toSiteId(url) : secret === null ? null : toSiteId(ofSecret(secret[0]!))
  if (first === null) return []
  for (;;) {
    const known = await documents.get<string[]>('ids')
    const ids = [first, ...(known ?? []).filter((id) => id !== first)]
    if (known?.[0] === first) return ids
    // Of two processes that start at once, the second reads what the first wrote.
    if (await documents.swap({ key: 'ids', was: known, value: ids }, new Map())) return ids
  }
}

function toSiteId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, siteIdLength)
}

// A few letters of it tell nobody the secret.
function ofSecret(secret: string): string {
  return createHmac('sha256', secret).update('site').digest('hex')
}

// Several sites may be developed at one address, one after the other.
function isLocal(host: string): boolean {
  return !host.includes('.') || /^[\d.]+$|^\[|\.(localhost|local|test|internal)$/.test(host)
}

/**
 * Returns the moment from which changes in this database are notified, or null if it never had a recipient.
 * The moment is stored with the data. Older changes are not news, and a process without hooks (a command)
 * must queue what a process with hooks will send.
 */
export async function notifyingSince(
  storage: Storage,
  { hooks, mails, userStore }: MembershipOptions,
  { notify }: Pick<Config, 'notify'>,
  { now, log }: Pick<Environment, 'now' | 'log'>,
): Promise<string | null> {
  const documents = createDocuments(storage, 'hooks')
  const known = await documents.get<string>('since')
  const isAsked = Object.keys(hooks ?? {}).some((name) => !name.endsWith(':before'))
  if (known !== null) return trustedSince(storage, known, { now, log })
  if (!(isAsked || mails || userStore || notify.length > 0)) return null
  const since = thisSecond(now)
  await documents.put('since', since)
  return since
}

/**
 * Returns the stored moment, or this one where the stored one has not come yet: a wrong clock wrote it, and
 * nothing would be notified until then.
 */
export async function trustedSince(
  storage: Storage,
  stored: string,
  { now, log }: Pick<Environment, 'now' | 'log'>,
): Promise<string> {
  const since = thisSecond(now)
  if (stored <= since) return stored
  log(
    'A wrong clock wrote when notifications begin: that moment has not come. Notifications begin now; hooks, mails and events of what happened before are not sent.',
    { stored, action: 'Let a time service set the clock (chrony, systemd-timesyncd).' },
  )
  await createDocuments(storage, 'hooks').put('since', since)
  return since
}

// Providers' times have whole seconds, so a change within this second counts as new.
function thisSecond(now: () => Date): string {
  return new Date(Math.floor(now().getTime() / 1000) * 1000).toISOString()
}
