import type { Config } from '../../core/config/index.ts'
import { moneyWriter } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Counters } from '../../core/http/counters.ts'
import { localUrl } from '../../core/http/forms.ts'
import { createTokens, type Tokens } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'
import type { Log } from '../../core/log.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import { createWords } from '../../core/words/index.ts'
import { createCatalogue } from '../../memberships/catalogue/index.ts'
import { configuredProviders } from '../../providers/configured.ts'
import type { Provider, ProviderDefinition } from '../../providers/contract.ts'
import { digitsOf } from '../../providers/registry.ts'
import type { MembershipOptions } from '../options.ts'
import { createPageRender } from '../pages/index.ts'

/** The environment of all services: given, opened, or read before the first service is built. */
export interface Environment {
  readonly options: MembershipOptions
  readonly config: Config
  readonly storage: Storage
  /** The counters of requests per minute. */
  readonly counters: Counters
  readonly now: () => Date
  readonly log: Log
  readonly randomId: () => string
  readonly root: string | false
  readonly definitions: readonly ProviderDefinition[]
  /** The secrets that sign, newest first; read or made when the first is needed. */
  readonly secrets: () => readonly string[]
  readonly isProduction: boolean
  /** Since when members are told of; null where nobody ever was. */
  readonly notifiedSince: string | null
}

/** The foundation of the services: the providers and their plans, signatures, words and pages. */
export const createFoundation = (environment: Environment) => {
  const { config, storage, now, log, randomId, root, definitions, secrets, isProduction } = environment
  const configured = configuredProviders({
    ...{ config, definitions, storage, now, randomId, log, isProduction },
    secret: () => secrets()[0]!,
  })
  const providers = new Map<string, Provider>([...configured].map(([key, { provider }]) => [key, provider]))
  const money = moneyWriter(digitsOf(definitions))
  const site = siteNameOf(environment)
  return {
    configured,
    providers,
    money,
    tokens: lazyTokens(() => createTokens(secrets(), now)),
    site,
    words: createWords({ root, defaultLanguage: config.language, site, money }),
    ...createPageRender({ root, isProduction, config }),
    catalogue: createCatalogue({ storage, config, providers, now, log }),
  }
}
export type Foundation = ReturnType<typeof createFoundation>

/** The secret is made, and a file written, only when something is signed. */
export const lazyTokens = (make: () => Tokens): Tokens => {
  const tokens = lazy(make)
  return {
    sign: (...args) => tokens().sign(...args),
    verify: (...args) => tokens().verify(...args),
    formToken: (...args) => tokens().formToken(...args),
    isFormToken: (...args) => tokens().isFormToken(...args),
    signIntent: (...args) => tokens().signIntent(...args),
    isSignedIntent: (...args) => tokens().isSignedIntent(...args),
  }
}

/** The site's name on the package's pages: as configured, never as a request's Host header says. */
export const siteNameOf = ({ config, options }: Pick<Environment, 'config' | 'options'>): string =>
  config.name ??
  options.mails?.siteName ??
  (config.url === null ? (config.shop.name ?? 'Membership') : new URL(config.url).hostname)

/** The address where links lead that are handed over. @throws ERR_CONFIG where the site does not say */
export const publicUrl = ({ url }: Pick<Config, 'url'>): string => {
  if (url !== null) return url
  throw new MembershipError('ERR_CONFIG', 'A link needs the address of the site.', {
    action: 'Set membership.url, such as https://example.com.',
  })
}

/** The address where the links of mails lead. */
export interface SiteAddress {
  /** @throws ERR_CONFIG while it is not known */
  readonly siteUrl: () => string
  readonly noteAddress: (request: Parameters<typeof localUrl>[0]) => void
}

/** The configured address. Where there is none, links lead to where this process listens; a request's Host header never
 *  decides. */
export const createSiteAddress = ({ url: configured }: Pick<Config, 'url'>): SiteAddress => {
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
      if (configured === null && seen === null && request.socket?.localPort) seen = localUrl(request)
    },
  }
}

/**
 * The moment from which the members of this database are told of, or null where nobody ever was: then nothing is noted.
 * Kept with the data, because what is older is no news, and because a process without hooks (a command) must note what
 * one with hooks will tell.
 */
export const notifyingSince = async (
  storage: Storage,
  { hooks, mails, userStore }: MembershipOptions,
  now: () => Date,
): Promise<string | null> => {
  const documents = createDocuments(storage, 'hooks')
  const known = await documents.get<string>('since')
  const isAsked = Object.keys(hooks ?? {}).some((name) => !name.endsWith(':before'))
  if (known !== null || !(isAsked || mails || userStore)) return known
  // Providers say whole seconds: what begins in this one is news.
  const since = new Date(Math.floor(now().getTime() / 1000) * 1000).toISOString()
  await documents.put('since', since)
  return since
}
