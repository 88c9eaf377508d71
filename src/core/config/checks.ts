import { contrast, leastContrast, palettesOf, readableOn } from '../brand.ts'
import { currencyDigits } from '../dto/money.ts'
import { isLoopback } from '../url.ts'
import type { DefinitionLike } from './definitions.ts'
import type { Environment } from './env.ts'
import { findNearest } from './nearest.ts'
import { type ParseContext, placeOf } from './parse.ts'
import { findRepeatedPrices } from './plan-config.ts'
import type { ProviderConfig } from './provider.ts'
import { toKey } from './resolve.ts'
import type { CoreConfig } from './schema.ts'
import { sellersOf } from './sellers.ts'
import type { Unset } from './unset.ts'

interface CheckProvidersInput {
  /** The given value of `membership.provider`. */
  readonly sellers: unknown
  readonly providers: unknown
  readonly definitions: readonly DefinitionLike[]
  readonly env: Environment
  readonly unset: Unset
  readonly context: ParseContext
}

/** Checks that sellers are configured, and that production has no provider that gives memberships away. */
export function checkProviders({
  sellers,
  providers,
  definitions,
  env,
  unset,
  context,
}: CheckProvidersInput): void {
  const configured = Object.keys(providers ?? {})
  const checkNamed = (name: unknown, path: readonly PropertyKey[]): void => {
    if (typeof name !== 'string' || name === '' || configured.includes(name)) return
    // The provider has only undefined values, which is already reported.
    if ([...unset.keys()].some((key) => key.startsWith(`membership.providers.${name}.`))) return
    const isKnown = definitions.some((definition) => definition.key === name)
    const nearest = isKnown ? undefined : findNearest(name, configured)
    context.problems.add(
      `${toKey(path)} names "${name}", which is not configured (${placeOf(path, context)}); configured: ${configured.join(', ') || 'none'}.${nearest ? ` Did you mean "${nearest}"?` : ''}`,
      isKnown ? `Add membership.providers.${name}.` : 'Name a configured provider.',
    )
  }
  const { handler, choices } = (sellers ?? {}) as { handler?: unknown; choices?: unknown }
  checkNamed(handler, ['provider', 'handler'])
  for (const name of Array.isArray(choices) ? choices : []) checkNamed(name, ['provider', 'choices'])
  if (env.NODE_ENV !== 'production') return
  for (const { key } of definitions.filter(
    (knownDefinition) => knownDefinition.inProcess && configured.includes(knownDefinition.key),
  ))
    context.problems.add(
      `membership.providers.${key} gives memberships away and is refused under NODE_ENV=production (${placeOf(['providers', key], context)})`,
      `Configure a real provider, and move membership.providers.${key} to config/membership.development.yml.`,
    )
}

/** Checks that every provider has its own field, and every price one plan. */
export function checkFields(
  providers: Readonly<Record<string, ProviderConfig>>,
  context: ParseContext,
): void {
  const owners = new Map<string, string>()
  const plans = new Set(Object.values(providers).flatMap((provider) => Object.keys(provider.plans)))
  for (const [key, provider] of Object.entries(providers)) {
    const path = ['providers', key]
    const other = owners.get(provider.field)
    if (other !== undefined)
      context.problems.add(
        `${toKey([...path, 'field'])} and ${toKey(['providers', other, 'field'])} are both "${provider.field}"; each provider needs its own (${placeOf([...path, 'field'], context)})`,
      )
    owners.set(provider.field, key)
    for (const { id, gives } of Object.values(provider.plans).flatMap(({ prices }) => prices)) {
      if (gives === undefined || plans.has(gives.plan)) continue
      const nearest = findNearest(gives.plan, [...plans])
      context.problems.add(
        `${toKey([...path, 'plans'])} has the price "${id}", which gives the plan "${gives.plan}", and no plan is called so (${placeOf([...path, 'plans'], context)})${nearest ? `. Did you mean "${nearest}"?` : ''}`,
        'Name a plan of membership.providers.*.plans.',
      )
    }
    for (const { id, plans: named } of findRepeatedPrices(Object.values(provider.plans)))
      context.problems.add(
        `${toKey([...path, 'plans'])} names the price "${id}" ${named.length} times: in ${named.join(', ')} (${placeOf([...path, 'plans'], context)})`,
        'A price belongs to one plan, once: in "prices" or in "retired".',
      )
  }
}

/**
 * Requires one shared secret for a shared database. With secrets of their own, processes would not know each other's
 * sessions.
 */
export function checkSecret(
  { database, secret }: Pick<CoreConfig, 'database' | 'secret'>,
  env: Environment,
  context: ParseContext,
): void {
  if (secret !== null || database.url.startsWith('sqlite:') || env.NODE_ENV !== 'production') return
  context.problems.add(
    `membership.secret is not set, and ${placeOf(['database', 'url'], context)} is PostgreSQL. Each process would create its own secret, and sessions, forms and links would work in only one of them`,
    "Set membership.secret to at least 32 random characters, the same in every process, such as env('MEMBERSHIP_SECRET'): openssl rand -base64 32",
  )
}

/** Decides the path below which the site stands. An address with a path could mean two things, so it is asked for. */
export function placeSite(
  { url, base_path: given }: Pick<CoreConfig, 'url' | 'base_path'>,
  context: ParseContext,
): { readonly url: string | null; readonly base_path: string } {
  const path = url === null ? '' : new URL(url).pathname.replace(/\/+$/, '')
  if (given === null && path !== '')
    context.problems.add(
      `membership.url has the path ${path} (${placeOf(['url'], context)}), and membership.base_path does not say what it means`,
      `Set membership.base_path: '${path}' if the pages of the package stand below ${path}. Webhooks are then expected at ${url}/membership/webhooks/…, and links in mails go on working. Set membership.base_path: '/' if the path was always ignored: then everything goes on as before.`,
    )
  if (given && path !== '' && path !== given)
    context.problems.add(
      `membership.base_path is "${given}" (${placeOf(['base_path'], context)}), and membership.url ends with ${path}`,
      `Give both the same path, or membership.url without one.`,
    )
  return { url: given && url !== null && path === '' ? `${url}${given}` : url, base_path: given ?? '' }
}

/** Requires text of the brand's colours that can be read. */
export function checkBrand({ brand }: Pick<CoreConfig, 'brand'>, context: ParseContext): void {
  for (const [scheme, { text, background, surface }] of Object.entries(palettesOf(brand))) {
    const group = scheme === 'light' ? 'colors' : 'dark'
    for (const [name, behind] of [
      ['background', background],
      ['surface', surface],
    ] as const) {
      if (contrast(text, behind) >= leastContrast) continue
      const path = ['brand', group, brand[group].text === null ? name : 'text']
      context.problems.add(
        `${toKey(['brand', group])} has text ${text} on the ${name} ${behind}, with a contrast of ${ratio(text, behind)} (${placeOf(path, context)})`,
        `Text needs at least ${leastContrast}:1. The nearest colour of the text that reaches it is ${readableOn(text, behind)}.`,
      )
    }
  }
}

function ratio(a: string, b: string): string {
  return `${(Math.floor(contrast(a, b) * 10) / 10).toFixed(1)}:1`
}

/** Finds accents that are hard to read as text. Buttons stay readable, because their text is black or white. */
function findPaleAccents(brand: CoreConfig['brand']): string[] {
  return Object.entries(palettesOf(brand)).flatMap(([scheme, { accent, background }]) =>
    contrast(accent, background) >= leastContrast
      ? []
      : [
          `membership.brand.${scheme === 'light' ? 'colors' : 'dark'}.accent is ${accent}, with a contrast of ${ratio(accent, background)} on ${background}; links and marks need ${leastContrast}:1. The nearest colour that reaches it is ${readableOn(accent, background)}`,
        ],
  )
}

// No provider takes less than about fifty cents. Currencies without minor units are counted whole.
const smallestAmount = 50

/** Finds amounts that were probably written in whole euros instead of cents. */
function findTinyAmounts(providers: Readonly<Record<string, ProviderConfig>>): string[] {
  return Object.entries(providers).flatMap(([key, { plans }]) =>
    Object.values(plans).flatMap(({ id, prices }) =>
      prices.flatMap(({ id: price, amount, currency }) =>
        amount == null || amount <= 0 || amount >= smallestAmount || !hasMinorUnits(currency)
          ? []
          : [
              `the price ${price} of the plan ${id} at ${key} costs ${amount / 100} ${currency}, because amounts count cents: write ${amount * 100} for ${amount} ${currency}`,
            ],
      ),
    ),
  )
}

function hasMinorUnits(currency: string | null): currency is string {
  return currency !== null && currencyDigits(currency) === 2
}

interface WarnedConfig extends Pick<CoreConfig, 'url' | 'provider' | 'database' | 'secret' | 'brand'> {
  readonly providers: Readonly<Record<string, ProviderConfig>>
}

/** Finds settings that are allowed but were probably forgotten. */
export function findWarnings(config: WarnedConfig, env: Environment): string[] {
  const configured = Object.keys(config.providers)
  const warnings: string[] = findPaleAccents(config.brand)
  if (configured.length > 0 && sellersOf(config).length === 0)
    warnings.push(
      `membership.provider.handler is not set, so nothing can be bought; configured: ${configured.join(', ')}`,
    )
  if (config.secret === null && !config.database.url.startsWith('sqlite:'))
    warnings.push(
      'membership.secret is not set: with PostgreSQL each process makes its own, so sessions and links end with it; production refuses to start',
    )
  if (
    env.NODE_ENV === 'production' &&
    config.url?.startsWith('http:') &&
    !isLoopback(new URL(config.url).hostname)
  )
    warnings.push(
      `membership.url is ${config.url}: over http browsers drop the cookies of the login, and providers refuse to post. Serve the site by https, and write https:// there`,
    )
  warnings.push(...findTinyAmounts(config.providers))
  if (env.NODE_ENV === 'production' && config.url === null)
    warnings.push(
      'membership.url is not set; providers need the public address of the site to send buyers back',
    )
  return warnings
}
