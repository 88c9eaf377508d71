import type { Finding, SiteFacts } from '../plan.ts'
import { type Draft, valueAt } from './file.ts'
import { dotted, prefixOf } from './keys.ts'
import { providersOf } from './providers.ts'

/** Says which files of a set have a provider and no handler, where another file of the set has one: a site that reads only
 *  these could sell nothing. */
export const explainHandlers = (drafts: readonly Draft[], facts: SiteFacts): void => {
  const prefix = prefixOf(facts)
  const has = (draft: Draft, name: string) => valueAt(draft, [...prefix, 'provider', name]) !== null
  const hasHandler = (draft: Draft) => has(draft, 'handler') || has(draft, 'current')
  const [low] = drafts
  if (!low || hasHandler(low) || !drafts.some(hasHandler)) return
  const hasProviders = (draft: Draft) => providersOf([draft], facts).size > 0
  for (const draft of drafts) {
    const isComplete = hasHandler(draft) || !(hasProviders(draft) || (draft !== low && hasProviders(low)))
    if (isComplete || draft.edits.some(({ text }) => text.includes('handler'))) continue
    const at = draft.hits[0]?.entry.start ?? draft.root.entries[0]?.start ?? 0
    const provider = [...providersOf(drafts, facts)].join(' or ')
    draft.findings.push({
      code: 'handler-needed',
      at,
      reason: `Another file of this set says which provider takes new checkouts, and this one does not: a site that reads this one sells nothing.`,
      replacement: `${dotted([...prefix, 'provider', 'handler'])}: ${provider}`,
    })
  }
}

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
