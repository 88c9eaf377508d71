import type { Finding, SiteFacts } from '../plan.ts'
import type { Hit } from './file.ts'
import { dotted, prefixOf, toV2Path } from './keys.ts'

/** Returns true for a text that may contain a v1 key, or name something that does. */
export function mentionsV1(text: string, facts: SiteFacts): boolean {
  return (
    text.includes(facts.provider) ||
    text.includes('manageUsers') ||
    text.includes('current') ||
    text.includes(prefixOf(facts).at(-1)!)
  )
}

/**
 * Finds literal v1 keys that are not keys of the configuration: in a call, in a branch, or in a file that
 * cannot be parsed. Comments are left out if their line shows that they are.
 */
export function findLeftovers(text: string, facts: SiteFacts, hits: readonly Hit[]): Finding[] {
  if (!text.includes(`${dotted(prefixOf(facts))}.`)) return []
  const findings: Finding[] = []
  for (const match of text.matchAll(keyPattern(facts))) {
    const at = match.index + match[0].indexOf(match[1]!)
    if (isComment(text, at) || hits.some(({ entry }) => at >= entry.start && at < entry.value.start)) continue
    const v1 = match[1]!.split('.')
    findings.push({
      code: 'key-in-code',
      at,
      reason: `"${dotted(v1)}" is a key of version 1, and stands where the migration cannot follow what it means.`,
      replacement: dotted(toV2Path(v1, facts)),
    })
  }
  return findings
}

function keyPattern(facts: SiteFacts): RegExp {
  const prefix = escaped(dotted(prefixOf(facts)))
  const own = `${escaped(facts.provider)}(?:\\.\\w+)*`
  return new RegExp(
    `(?<![\\w.])["']?(${prefix}\\.(?:${own}|manageUsers(?:\\.role)?|provider\\.current))(?!\\w|\\.[\\w$\\{])`,
    'g',
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Returns true after a mark that begins a comment on the same line. */
export function isComment(text: string, at: number): boolean {
  return /^\s*(\*|;)|(^|\s)(\/\/|#|\/\*)/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))
}
