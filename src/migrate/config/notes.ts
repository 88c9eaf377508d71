import type { Finding, SiteFacts } from '../plan.ts'
import { type Draft, valueAt } from './file.ts'
import { prefixOf } from './keys.ts'
import { providersOf } from './providers.ts'

/** Says what is different in v2 without a key having changed, in the file that the site's configuration begins with.
 *  Only where something of v1 is there: a site of v2 needs no explanation. */
export const explainDefaults = (drafts: readonly Draft[], facts: SiteFacts): void => {
  const first = drafts.find(({ hits }) => hits.length > 0)
  if (!first) return
  const at = first.hits[0]!.entry.start
  const has = (...path: string[]) => drafts.some((draft) => valueAt(draft, [...prefixOf(facts), ...path]))
  if (!has('ratelimit', 'limit'))
    first.findings.push(
      note('default-ratelimit', at, [
        'Version 2 answers at most 30 requests a minute from one address on its own routes, and this site sets no limit of its own.',
        `Set "${facts.prefix}.ratelimit.limit" where that is too few.`,
      ]),
    )
  const providers = [...providersOf(drafts, facts)]
  if (providers.length > 1 && !has('provider', 'handler') && !has('provider', 'current'))
    first.findings.push({
      ...note('handler-needed', at, [
        `Version 2 has one provider for new checkouts, and this site configures ${providers.join(' and ')} without saying which.`,
      ]),
      replacement: `${facts.prefix}.provider.handler: ${providers.join(' or ')}`,
    })
  const trial = drafts.find(({ source, hits }) => hits.length > 0 && /\btrial/.test(source.text))
  if (trial)
    trial.findings.push(
      note('default-trial', trial.source.text.search(/\btrial/), [
        'In version 2 trials are managed by the provider, and a subscription on trial counts as active: its gates are open.',
      ]),
    )
}

const note = (code: string, at: number, sentences: readonly string[]): Finding => ({
  code,
  at,
  reason: sentences.join(' '),
  replacement: null,
})
