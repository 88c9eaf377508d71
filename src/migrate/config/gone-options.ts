import type { Finding, SiteFacts } from '../plan.ts'
import type { Draft } from './file.ts'
import { dotted, prefixOf } from './keys.ts'
import { walkEntries } from './tree.ts'

/**
 * Reports keys of providers' sections that are in no table of the contract and unknown to version 2, because
 * they would stop its start. `known` are the provider's options of version 2.
 */
export function goneOptions(
  { root, base }: Pick<Draft, 'root' | 'base'>,
  facts: SiteFacts,
  known: ReadonlySet<string>,
): Finding[] {
  const prefix = prefixOf(facts)
  const sections = [
    [...prefix, facts.provider],
    [...prefix, 'providers', facts.provider],
  ].map(dotted)
  const findings: Finding[] = []
  walkEntries(root, base, (entry, above) => {
    const path = [...above, ...entry.key!.split('.')]
    const name = path.at(-1)!
    const removedOption = known.has(name) ? undefined : options.get(name)
    if (removedOption === undefined || !sections.includes(dotted(path.slice(0, -1)))) return true
    const value = entry.value.kind === 'literal' ? entry.value.value : undefined
    findings.push({
      code: 'provider-option',
      at: entry.start,
      reason: `"${dotted(path)}" is no key of version 2: ${removedOption.why}`,
      replacement: removedOption.write(dotted([...prefix, 'providers', facts.provider]), value),
    })
    return true
  })
  return findings
}

interface Gone {
  readonly why: string
  /** Returns advice for the existing value. */
  write(section: string, value: unknown): string
}

// Test and live are separate hosts or accounts, which one key selects for every provider.
const mode: Gone = {
  why: 'whether a site is live or tries things out is said for every provider alike, and by its API key where that tells.',
  write: (section, value) =>
    typeof value === 'string' && value !== ''
      ? `${section}.livemode: ${/^(live|prod|production)$/i.test(value)}`
      : `${section}.livemode: true, or false where things are tried out`,
}

const options: ReadonlyMap<string, Gone> = new Map([
  ['environment', mode],
  ['server', mode],
  [
    'proration_billing_mode',
    {
      why: 'what a change of plan costs, and when it counts, is a rule of the site for every provider.',
      write: (section) => `${section}.change, as docs/selling.md has it; without it dearer counts at once`,
    },
  ],
  [
    'cancel_behavior',
    {
      why: 'a membership ends with what is paid, whatever the provider calls that.',
      write: () => 'Delete it.',
    },
  ],
  ['organization', { why: 'the API key tells whose it is.', write: () => 'Delete it.' }],
])
