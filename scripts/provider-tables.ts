/** What each provider can do, made from the providers as their examples in `config/` configure them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../src/core/config/index.ts'
import { bareProvider } from '../src/providers/bare.ts'
import * as chargebee from '../src/providers/chargebee/endpoints.ts'
import type { Provider, ProviderDefinition } from '../src/providers/contract.ts'
import * as creem from '../src/providers/creem/endpoints.ts'
import * as dodo from '../src/providers/dodo/endpoints.ts'
import { canDo, type Feature, features } from '../src/providers/features.ts'
import * as lemonsqueezy from '../src/providers/lemonsqueezy/endpoints.ts'
import * as paddle from '../src/providers/paddle/endpoints.ts'
import * as paypal from '../src/providers/paypal/endpoints.ts'
import * as polar from '../src/providers/polar/endpoints.ts'
import * as stripe from '../src/providers/stripe/endpoints.ts'
import type { Cassette } from '../src/testkit/certify/index.ts'
import { definitions } from '../src/testkit/definitions.ts'

const root = join(import.meta.dirname, '..')
const all = Object.keys(features) as Feature[]

/** A provider with everything set that its example sets, and nobody to ask. */
export async function asConfigured(definition: ProviderDefinition): Promise<Provider> {
  const file = join(root, 'config', `${definition.key}.example.yml`)
  const variables = [...readFileSync(file, 'utf8').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!)
  const { config } = await loadConfig({
    root: false,
    config: file,
    env: Object.fromEntries(variables.map((name) => [name, 'of_the_table'])),
    definitions: [definition],
  })
  return bareProvider(definition, config.providers[definition.key]?.options)
}

/** What a provider says of itself, and what it lacks without a reason, or with one that is none any more. */
export interface Described {
  readonly definition: ProviderDefinition
  readonly provider: Provider
  readonly lacks: readonly Feature[]
  readonly unexplained: readonly Feature[]
  readonly outdated: readonly Feature[]
}

/** Every provider of the package. */
export function describeAll(): Promise<Described[]> {
  return Promise.all(
    definitions.map(async (definition) => {
      const provider = await asConfigured(definition)
      const lacks = all.filter((feature) => !canDo(provider, feature))
      const reasons = all.filter((feature) => definition.lacks?.[feature] !== undefined)
      return {
        definition,
        provider,
        lacks,
        unexplained: lacks.filter((feature) => !reasons.includes(feature)),
        outdated: reasons.filter((feature) => !lacks.includes(feature)),
      }
    }),
  )
}

const proven = { body: 'a signature', credentials: 'a name and a password', ping: 'asking for it' }
function proofOf({ trust = 'body', fetch }: Provider): string {
  if (typeof trust === 'function') return 'a signature, else asking for it'
  return trust === 'credentials' && fetch !== undefined ? 'who sent it, then asking for it' : proven[trust]
}

/** What a provider is called on its page. */
export function titleOf({ key }: ProviderDefinition): string {
  return /^# (.*)$/m.exec(readFileSync(join(root, 'docs/providers', `${key}.md`), 'utf8'))?.[1] ?? key
}

/** Each reason once, in the order of the rows. */
function notesOf(described: readonly Described[]): string[] {
  return [
    ...new Set(
      described.flatMap(({ definition, lacks }) =>
        lacks.flatMap((feature) => definition.lacks?.[feature] ?? []),
      ),
    ),
  ]
}

function tableOf(described: readonly Described[]): string {
  const notes = notesOf(described)
  const cellOf = ({ definition, lacks }: Described, feature: Feature): string =>
    lacks.includes(feature) ? `– <sup>${notes.indexOf(definition.lacks?.[feature] ?? '') + 1}</sup>` : 'yes'
  const rows = described.map((described) => [
    `[${titleOf(described.definition)}](providers/${described.definition.key}.md)`,
    proofOf(described.provider),
    ...all.map((feature) => cellOf(described, feature)),
  ])
  const head = ['Provider', 'what proves a message', ...all.map((feature) => features[feature].title)]
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** The text with what was made between two marks of that name. */
export function between(text: string, name: string, made: string): string {
  return text.replace(
    new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`),
    (_, open: string, close: string) => `${open}${made}\n${close}`,
  )
}

/** `docs/providers/README.md` with an overview: what sites choose providers by. */
export function withOverview(page: string, described: readonly Described[]): string {
  const rows = described.map(({ definition, lacks }) => {
    const can = (feature: Feature): boolean => !lacks.includes(feature)
    const yes = (feature: Feature): string => (can(feature) ? 'yes' : '–')
    const sells = can('subscriptions') || can('one_time') ? 'yes' : 'in the app'
    const change = can('change_now')
      ? can('change_later')
        ? 'now or later'
        : 'now'
      : can('change_later')
        ? 'later'
        : '–'
    return [
      `[${titleOf(definition)}](${definition.key}.md)`,
      sells,
      change,
      yes('pause'),
      yes('refunds'),
      yes('portal'),
    ]
  })
  const head = ['Provider', 'Sells', 'Change a plan', 'Pause', 'Refund', 'Its own page for cards']
  return between(
    page,
    'overview',
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'),
  )
}

/** `docs/provider-capabilities.md` with the long table and its notes. */
export function withNotes(page: string, described: readonly Described[]): string {
  const notes = notesOf(described).map((note, i) => `${i + 1}. ${note}`)
  return between(page, 'providers', `${tableOf(described)}\n\n## Notes\n\n${notes.join('\n')}`)
}

/** The page of one provider with what it lacks, and why. */
export function withLacks(page: string, { definition, lacks }: Described): string {
  const reasonOf = (feature: Feature) => definition.lacks?.[feature] ?? ''
  const lines = [...new Set(lacks.map(reasonOf))].map((reason) => {
    const which = lacks.filter((feature) => reasonOf(feature) === reason)
    const titles = which.map((feature) => features[feature].title)
    return `- ${titles.length > 10 ? 'everything that sells or changes' : titles.join(', ')}: ${reason}`
  })
  return between(page, 'lacks', lines.join('\n') || 'Nothing of the table.')
}

/** The events of each provider whose webhook address can be registered from here. */
const connected: Readonly<Record<string, { needed: readonly string[]; events: readonly string[] }>> = {
  chargebee,
  creem,
  dodo,
  lemonsqueezy,
  paddle,
  paypal,
  polar,
  stripe,
}

/** The page of one provider with the events that its adapter needs, and those that it reads besides. */
export function withEvents(page: string, key: string): string {
  if (!page.includes('<!-- events -->')) return page
  const { needed, events } = connected[key]!
  const listOf = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
  return between(
    page,
    'events',
    `Needed, and an [alert](../alerts.md) names those that are missing:\n\n- ${listOf(needed)}\n\nRead besides, and registered by \`membership webhooks connect\`:\n\n- ${listOf(events.filter((name) => !needed.includes(name)))}`,
  )
}

/** Where the recordings of certified runs lie, each under its provider's key. */
export const cassettes = join(root, 'test/fixtures/cassettes')

/** The page of one provider with when it was certified, as its recording says. */
export function withCertified(page: string, { definition: { key, testMode } }: Described): string {
  if (testMode === undefined) return page
  const file = join(cassettes, `${key}.json`)
  if (!existsSync(file))
    return between(
      page,
      'certified',
      `Not yet certified with a test account: \`npx membership providers certify ${key} --help\` ([how](../testing.md#certify-a-provider)).`,
    )
  const { recorded_at, api_version } = JSON.parse(readFileSync(file, 'utf8')) as Cassette
  return between(page, 'certified', `Certified on ${recorded_at.slice(0, 10)} with API ${api_version}.`)
}
