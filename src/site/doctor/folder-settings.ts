import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { webhookNames } from '../../core/config/index.ts'
import { type Plan, prefixOf, toV2Path } from '../../migrate/index.ts'
import type { Setting } from '../../migrate/settings.ts'
import type { ProviderDefinition } from '../../providers/contract.ts'
import { mistakenFor } from '../../providers/secret-shapes.ts'
import { type Check, found, ok } from './check.ts'
import { fromFiles } from './secret.ts'

/** Input of the checks of a folder's settings. */
export interface FolderInput {
  readonly plan: Plan
  /** Every setting below the prefix that the site's files show. */
  readonly all: readonly Setting[]
  /** Providers that the settings name. */
  readonly definitions: readonly Pick<ProviderDefinition, 'key' | 'secrets'>[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Checks that a folder's settings have valid values, not only that they exist. Secrets are compared and never
 * shown.
 */
export function checkSettings(input: FolderInput): Check[] {
  const { plan, all } = input
  const at = (path: string) => all.filter((item) => item.path.join('.') === path)
  const { provider, prefix } = plan.facts
  const checks = [
    ...handler(input, at('provider.handler')),
    ...webhook(
      input,
      webhookNames.flatMap((name) => at(`providers.${provider}.${name}`)),
    ),
    ...all.flatMap((item) => [
      ...misspelt(item, plan.facts),
      ...unset(item, input),
      ...(item.path[0] === 'providers' ? ofProvider(item, input) : []),
    ]),
    ...at('members.roles').flatMap((item) => roles(item, plan)),
    ...at('ratelimit.limit').flatMap((item) => limit(item, prefix)),
  ]
  // A correct key that several files set is reported once.
  return [...new Map(checks.map((check) => [JSON.stringify(check), check])).values()]
}

function place({ file, line }: Setting) {
  return { file, line }
}
function named(prefix: string, { written }: Setting): string {
  return `${prefix}.${written.join('.')}`
}

function handler({ plan, all }: FolderInput, settings: readonly Setting[]): Check[] {
  const { prefix } = plan.facts
  const key = `${prefix}.provider.handler`
  const providers = new Set(all.filter(({ path }) => path[0] === 'providers').map(({ path }) => path[1]))
  const wrong = settings.find(({ text }) => text !== null && /^[\w-]*$/.test(text) && !providers.has(text))
  if (settings.length === 0)
    return [
      found(
        'warning',
        'handler',
        `"${key}" is not set: nothing can be bought without it.`,
        `Set ${key} to the provider's key.`,
      ),
    ]
  return wrong
    ? [
        found(
          'problem',
          'handler',
          `"${key}" is "${wrong.text}", and no provider of that key is configured.`,
          `Set ${prefix}.providers.${wrong.text || '{provider}'}, or name one of: ${[...providers].join(', ') || 'none is configured'}.`,
          place(wrong),
        ),
      ]
    : [ok('handler', `"${key}" says which provider takes new checkouts.`)]
}

function webhook({ plan }: FolderInput, settings: readonly Setting[]): Check[] {
  const key = `${plan.facts.prefix}.providers.${plan.facts.provider}.webhook`
  return settings.length > 0
    ? []
    : [
        found(
          'warning',
          'webhook-secret',
          `"${key}" is not set: without it every delivery is refused.`,
          `Set ${key} to the signing secret of the endpoint.`,
        ),
      ]
}

/** Finds empty, swapped and test secrets. */
function ofProvider(item: Setting, { plan, env, definitions }: FolderInput): Check[] {
  const name = item.path.slice(2).join('.')
  const isWebhook = webhookNames.includes(name)
  if (!isWebhook && name !== 'secret') return []
  const key = named(plan.facts.prefix, item)
  const value = item.text ?? (item.variable && (env[item.variable] ?? fromFiles(plan.root, item.variable)))
  const check = isWebhook ? 'webhook-secret' : 'api-key'
  if (value === '')
    return [found('problem', check, `"${key}" is empty.`, `Give "${key}" its value.`, place(item))]
  const shapes = definitions.find((definition) => definition.key === item.path[1])?.secrets
  const mistaken = mistakenFor(shapes, isWebhook ? 'webhook' : 'secret', value ?? '')
  if (mistaken !== null)
    return [
      found(
        'problem',
        'secret-mixed-up',
        `"${key}" looks like ${mistaken}.`,
        'Put each secret in its own place: "secret" is the API key, "webhook" the signing secret of the endpoint.',
        place(item),
      ),
    ]
  const isTest = !isWebhook && shapes?.livemode?.(value ?? '') === false
  if (isTest && (env.NODE_ENV === 'production' || isForProduction(item.file)))
    return [
      found(
        'problem',
        'mode',
        `"${key}" is a test key, and this is the live site's configuration: nobody is charged.`,
        'Use the live key here.',
        place(item),
      ),
    ]
  return [ok(check, `"${key}" is set.`)]
}

// Matches config.production.php and config.example.com.php, but not config.localhost.php.
function isForProduction(file: string): boolean {
  return (
    /\.(?:prod|production|live)\.\w+$|\.(?!local|dev|test|staging)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\.php$/.test(
      file,
    ) && !/local|\.test\.|staging|\bdev\b/.test(file)
  )
}

function unset(item: Setting, { plan, env }: FolderInput): Check[] {
  const { variable } = item
  if (variable === null || env[variable] !== undefined || fromFiles(plan.root, variable) !== undefined)
    return []
  return [
    found(
      'warning',
      'variable-unset',
      `"${named(plan.facts.prefix, item)}" is read from ${variable}, and nothing here sets it.`,
      `Set ${variable} in .env or on the server; if the server sets it, run: ${variable}=… membership doctor …`,
      place(item),
    ),
  ]
}

// Includes the keys of version 1: a misspelt one has no effect either.
const known: Readonly<Record<string, readonly string[]>> = {
  '': ['providers', 'provider', 'members', 'ratelimit', 'manageUsers'],
  provider: ['handler', 'choices', 'current'],
  manageUsers: ['role'],
  members: ['roles', 'create'],
  ratelimit: ['limit'],
  'providers.*': ['secret', 'webhook', 'checkout', 'metadata', 'field'],
}

function misspelt(item: Setting, facts: Plan['facts']): Check[] {
  const { prefix } = facts
  for (const [i, segment] of item.path.entries()) {
    const above = item.path.slice(0, i)
    const names = known[above[0] === 'providers' && i === 2 ? 'providers.*' : above.join('.')]
    if (names === undefined || names.includes(segment)) continue
    const near = names.find((name) => isNear(segment, name))
    if (near === undefined) continue
    const right = toV2Path([...prefixOf(facts), ...above, near, ...item.path.slice(i + 1)], facts).join('.')
    return [
      found(
        'problem',
        'misspelt',
        `"${named(prefix, item)}" is no key of version 2, and looks like "${right}".`,
        `Write: ${right}`,
        place(item),
      ),
    ]
  }
  return []
}

/** Returns true for a typing mistake: one letter more, less or different, or two swapped. */
function isNear(a: string, b: string): boolean {
  if (a.toLowerCase() === b.toLowerCase()) return true
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return left.length + right.length <= 2 || left === [...right].reverse().join('')
}

function roles(item: Setting, { root, facts }: Plan): Check[] {
  const key = named(facts.prefix, item)
  // Version 1 had a single role, as text.
  const isV1 = item.written[0] === 'manageUsers'
  if (item.text !== null && !isV1)
    return [
      found(
        'problem',
        'roles',
        `"${key}" is a text, and has to be a list.`,
        `Write: ['${item.text}']`,
        place(item),
      ),
    ]
  const missing = [...item.texts, ...(item.text === null ? [] : [item.text])].filter(
    (role) =>
      role !== 'admin' &&
      !['site/blueprints/users', 'blueprints/users'].some((folder) =>
        ['yml', 'yaml', 'php'].some((type) => existsSync(join(root, folder, `${role}.${type}`))),
      ),
  )
  return missing.map((role) =>
    found(
      'warning',
      'roles',
      `"${key}" names "${role}", and there is no blueprint of that name.`,
      `Make blueprints/users/${role}.yml, or name a role that has one.`,
      place(item),
    ),
  )
}

function limit(item: Setting, prefix: string): Check[] {
  const isFine = item.number === null ? item.text === null : Number.isInteger(item.number) && item.number > 0
  return isFine
    ? []
    : [
        found(
          'problem',
          'ratelimit',
          `"${named(prefix, item)}" has to be a whole number above 0; with this one nobody is answered.`,
          'Write how many requests one address may make in a minute, as in 30.',
          place(item),
        ),
      ]
}
