/**
 * The page of capabilities: each with the requests that make it, as the fake server was asked, and everything
 * that the official packages offer beside it, with the reason why it is not used.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canDo, type Feature, features } from '../../src/providers/features.ts'
import { between, type Described, titleOf } from '../provider-tables.ts'
import type { Offered } from './offered.ts'
import { unused } from './unused.ts'

/** What `scripts/drift/offered.ts` found. */
export function readOffered(): Readonly<Record<string, Offered>> {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'scripts', 'drift', 'capabilities.json'), 'utf8'),
  )
}

/** Capabilities that are a field of another one's requests. */
export const playedAs: Partial<Record<Feature, Feature>> = { choose_amount: 'one_time' }

/** The reason of each request that is not used; null where nobody gave one. */
export function reasonsOf(key: string, requests: readonly string[]): Map<string, string | null> {
  return new Map(
    requests.map((request) => [
      request,
      unused[key]?.find(([, pattern]) => pattern.test(request))?.[0] ?? null,
    ]),
  )
}

/** `docs/provider-capabilities.md` with its tables. */
export function withCapabilities(page: string, described: readonly Described[]): string {
  return between(
    page,
    'capabilities',
    described
      .flatMap((each) => {
        const offered = readOffered()[each.definition.key]
        return offered === undefined ? [] : [sectionOf(each, offered)]
      })
      .join('\n\n'),
  )
}

function sectionOf(
  { definition, provider }: Described,
  { package: name, asked, unused: left }: Offered,
): string {
  const can = (Object.keys(features) as Feature[]).filter((feature) => canDo(provider, feature))
  const rows = can.map((feature) => {
    const requests = asked[playedAs[feature] ?? feature]?.requests ?? []
    return `| ${features[feature].title} | ${requests.map((each) => `\`${each}\``).join(', ') || 'no request: the page’s address is known'} |`
  })
  const reasons = reasonsOf(definition.key, left)
  const notUsed = [...new Set(reasons.values())].map((reason) => {
    const requests = left.filter((request) => reasons.get(request) === reason)
    return `- ${reason ?? 'NO REASON'} ${requests.map((request) => `\`${request}\``).join(', ')}`
  })
  return [
    `## ${titleOf(definition)}`,
    '',
    '| Capability | Requests |',
    '|---|---|',
    ...rows,
    '',
    `\`${name}\` offers for subscriptions, payments and checkouts, and this package does not use:`,
    '',
    ...notUsed,
  ].join('\n')
}
