import { resolve } from 'node:path'
import { type Config, loadConfig, problemsOf } from '../../core/config/index.ts'
import { isMembershipError } from '../../core/errors.ts'
import { openStorage, type Storage } from '../../core/storage/index.ts'
import { isUrl } from '../../core/url.ts'
import { type ConfiguredProvider, configuredProviders } from '../../providers/configured.ts'
import type { ProviderDefinition } from '../../providers/contract.ts'
import { allProviders } from '../../providers/registry.ts'
import { hasOwnConfig, loadConfigInCode, withKey } from '../config-in-code.ts'
import { configOf, type MembershipOptions } from '../options.ts'
import { found, type TopicCheck, under } from './check.ts'
import { openToLook } from './open.ts'
import { checkRunning } from './running.ts'

/** A site as the command finds it. */
export interface SiteInput {
  readonly folder: string
  /** Configuration file to use instead of `membership.config.*` and `config/membership.*`. */
  readonly config?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
  readonly randomId: () => string
  /** The options of a site without files of its own, such as the demo. */
  readonly options?: MembershipOptions
}

/** Returns true for a folder with a configuration of version 2. @throws ERR_CONFIG */
export function isConfigured({
  folder,
  config,
  options,
}: Pick<SiteInput, 'folder' | 'config' | 'options'>): boolean {
  return config !== undefined || options !== undefined || hasOwnConfig(folder)
}

/** The findings, and every secret that must not be shown. */
export interface SiteDiagnosis {
  readonly checks: readonly TopicCheck[]
  readonly secrets: readonly string[]
  /** The configured providers, each with its member field. */
  readonly fields: readonly { readonly provider: string; readonly field: string }[]
}

/**
 * Loads a site's configuration and checks what it describes. An error that would stop a start is reported as
 * a problem.
 */
export async function checkSite(input: SiteInput): Promise<SiteDiagnosis> {
  try {
    const { config, definitions, warnings, formerNames } = await loadSite(input)
    const checks = await checkLoaded(input, config, definitions)
    return {
      checks: [
        ...under(
          'Configuration',
          warnings.map((text) => found('warning', 'configuration', `${text}.`, 'Set it.')),
        ),
        ...under(
          'Configuration',
          formerNames.map((text) => found('warning', 'former-name', text, 'Write the new name.')),
        ),
        ...checks,
      ].filter(isNews),
      secrets: secretsOf(config, input.env),
      fields: Object.entries(config.providers).map(([provider, { field }]) => ({ provider, field })),
    }
  } catch (error) {
    if (!isMembershipError(error)) throw error
    const problems = problemsOf(error) ?? [{ text: error.message, action: error.action }]
    const checks = problems.map(({ text, action }) =>
      found('problem', 'configuration', text, action ?? 'Correct the configuration.'),
    )
    return { checks: under('Configuration', checks), secrets: secretsOf(null, input.env), fields: [] }
  }
}

// The loader already warns of a missing handler.
function isNews({ what }: TopicCheck): boolean {
  return !what.startsWith('membership.provider.handler is not set')
}

/** Loads the configuration of the folder's site. @throws ERR_CONFIG */
export async function loadSite({ folder, config, env, options: own }: SiteInput) {
  const root = resolve(folder)
  const inCode = own === undefined ? await loadConfigInCode(root, config) : null
  const given: MembershipOptions = own ?? inCode?.options ?? { config }
  const options = env.DATABASE_URL ? withKey(given, 'membership.database.url', env.DATABASE_URL) : given
  return loadConfig({
    root: options.root ?? root,
    config: options.config,
    env,
    definitions: allProviders(options.customProviders),
    options: configOf(options),
  })
}

async function checkLoaded(
  input: SiteInput,
  config: Config,
  definitions: readonly ProviderDefinition[],
): Promise<TopicCheck[]> {
  const folder = resolve(input.folder)
  const looked = await openToLook({ url: config.database.url, folder, now: input.now })
  // Providers may keep documents. Without a database they get a store that keeps nothing.
  const storage =
    looked.storage ??
    (await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now: input.now }))
  const providers = new Map<string, ConfiguredProvider>()
  try {
    for (const [key, configured] of makeProviders(input, { config, definitions, storage }))
      providers.set(key, configured)
    const checks = await checkRunning({
      config,
      providers,
      storage: looked.storage,
      folder,
      isProduction: input.env.NODE_ENV === 'production',
      now: input.now,
    })
    return [...checks, ...under('Database', looked.checks)]
  } finally {
    for (const { provider } of providers.values()) await provider.close?.()
    await looked.close()
    if (looked.storage === null) await storage.close()
  }
}

/** Makes the configured providers without a secret of the installation. */
export function makeProviders(
  { now, randomId, env }: SiteInput,
  {
    config,
    definitions,
    storage,
  }: { config: Config; definitions: readonly ProviderDefinition[]; storage: Storage },
) {
  return configuredProviders({
    config,
    definitions,
    storage,
    now,
    randomId,
    log: () => undefined,
    // Nothing is signed here, so the installation's own secret is neither created nor read.
    secret: () => 'doctor',
    isProduction: env.NODE_ENV === 'production',
  })
}

/** Collects every secret in a configuration, under whatever name, and the database's password. */
function secretsOf(config: Config | null, env: SiteInput['env']): string[] {
  const url = config?.database.url ?? env.DATABASE_URL ?? ''
  const password = /^postgres/.test(url) && isUrl(url) ? new URL(url).password : ''
  const options = Object.values(config?.providers ?? {}).flatMap((provider) => [
    ...provider.webhook.map(({ secret }) => secret),
    ...textsOf(provider.options),
  ])
  return [...(config?.secret ?? []), password, decodeURIComponent(password), ...options].filter(
    (text) => text.length >= 8,
  )
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:/.test(value) ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}
