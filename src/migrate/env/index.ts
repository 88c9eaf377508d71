import { v1Keys } from '../../config/v1.ts'
import type { Edit } from '../edits.ts'
import { type Decision, type Finding, type Rewrite, type SiteFacts, toDecision } from '../plan.ts'
import { placeOf, type Source } from '../source.ts'
import { envReferences, readEnv } from './read.ts'

export { envReferences, readEnv } from './read.ts'

/** Old names of variables and the names that follow the new keys. */
export type Renames = ReadonlyMap<string, string>

/** The variables whose names follow the old keys: MEMBERSHIP_STRIPE_SECRET, APP_MEMBERSHIP__PROVIDER__CURRENT, … A name
 *  that follows no key, such as STRIPE_SECRET, stays. */
export const proposeRenames = (names: Iterable<string>, facts: SiteFacts): Renames => {
  const renames = new Map<string, string>()
  for (const name of names) {
    const next = renamed(name, facts)
    if (next !== null && next !== name) renames.set(name, next)
  }
  return renames
}

const renamed = (name: string, facts: SiteFacts): string | null => {
  for (const divider of ['__', '_']) {
    for (const { v1, v2 } of v1Keys) {
      for (const spelling of spellings(keyOf(v1, facts))) {
        const old = spelling.join(divider)
        // An outer prefix, such as KIRBY_ or APP_, stays.
        const at = name.indexOf(old)
        if (at === -1 || at + old.length !== name.length || (at > 0 && name[at - 1] !== '_')) continue
        return name.slice(0, at) + keyOf(v2, facts).map(upper).join(divider)
      }
    }
  }
  return null
}

const keyOf = (key: string, { provider, prefix }: SiteFacts): string[] => {
  const [, ...below] = key.replace('{provider}', provider).split('.')
  return [...prefix.split('.'), ...below]
}

// manageUsers is written MANAGEUSERS and MANAGE_USERS.
const spellings = (key: readonly string[]): string[][] => [
  key.map(upper),
  key.map((segment) => upper(segment.replace(/([a-z])([A-Z])/g, '$1_$2'))),
]

const upper = (segment: string): string => segment.toUpperCase().replace(/[^A-Z0-9]/g, '_')

/** Renames variables in a `.env` file; values, quotes, order and comments stay. */
export const rewriteEnv = ({ text }: Source, renames: Renames): Rewrite => {
  const assignments = readEnv(text)
  const taken = new Set(assignments.filter(({ isComment }) => !isComment).map(({ name }) => name))
  const edits: Edit[] = []
  const findings: Finding[] = []
  const summary: string[] = []
  for (const { name, start, end } of assignments) {
    const next = renames.get(name)
    if (next === undefined) continue
    if (taken.has(next)) {
      findings.push({
        code: 'name-taken',
        at: start,
        reason: `${name} follows an old key, and ${next} is there already.`,
        replacement: `Keep the value that is right under ${next}, and delete ${name}.`,
      })
      continue
    }
    edits.push({ start, end, text: next })
    summary.push(`${name} → ${next}`)
  }
  return { edits, summary, findings }
}

/** Says which names of a `.env` file follow old keys. They are not renamed on their own: what the server's panel or the
 *  container sets cannot be seen from here. */
export const proposalFindings = ({ text }: Source, renames: Renames): Finding[] =>
  readEnv(text).flatMap(({ name, start, isComment }) => {
    const next = renames.get(name)
    if (next === undefined || isComment) return []
    return [
      {
        code: 'env-name',
        at: start,
        reason: `${name} follows an old key and works on under this name; by the new key it would be ${next}. With --rename-env it is renamed in the files and in the configuration that reads it; the server's own settings are yours to change then.`,
        replacement: null,
      },
    ]
  })

/** The edits that rename variables where a configuration reads them. */
export const renameReferences = ({ text }: Source, renames: Renames): Edit[] =>
  envReferences(text).flatMap(({ name, start, end }) => {
    const next = renames.get(name)
    return next === undefined ? [] : [{ start, end, text: next }]
  })

/** A configuration's edits with the renamed references in them, also inside of text that an edit moves. */
export const withRenames = (source: Source, edits: readonly Edit[], renames: Renames): Edit[] => {
  const references = renameReferences(source, renames)
  if (references.length === 0) return [...edits]
  const isInside = ({ start, end }: Edit) => edits.some((edit) => edit.start < end && edit.end > start)
  const moved = edits.map((edit) => {
    const text = envReferences(edit.text).reduceRight(
      (whole, { name, start, end }) => whole.slice(0, start) + (renames.get(name) ?? name) + whole.slice(end),
      edit.text,
    )
    return { ...edit, text }
  })
  return [...moved, ...references.filter((reference) => !isInside(reference))]
}

/** The renames without the names that other files read; those are said. */
export const decideRenames = (
  renames: Renames,
  readElsewhere: ReadonlyMap<string, { file: string; line: number; column: number }>,
): { renames: Renames; decisions: Decision[] } => {
  const kept = [...renames].filter(([name]) => !readElsewhere.has(name))
  const decisions = [...renames].flatMap(([name, next]): Decision[] => {
    const place = readElsewhere.get(name)
    if (!place) return []
    return [
      toDecision({
        part: 'env',
        code: 'env-read-elsewhere',
        ...place,
        reason: `${name} is read here, too, where the migration does not rename it, so it keeps its name everywhere.`,
        replacement: `Write ${next} here, then run the migration with --rename-env again.`,
      }),
    ]
  })
  return { renames: new Map(kept), decisions }
}

/** What becomes of a site's `.env` files, and the names to write in its configuration. */
export const planEnv = (
  envs: readonly Source[],
  configs: readonly Source[],
  facts: SiteFacts,
  options: { renames: boolean; others: () => Iterable<Source> },
): { renames: Renames; rewrites: ReadonlyMap<Source, Rewrite>; decisions: readonly Decision[] } => {
  const names = new Set([
    ...envs.flatMap(({ text }) => readEnv(text).map(({ name }) => name)),
    ...configs.flatMap(({ text }) => envReferences(text).map(({ name }) => name)),
  ])
  const proposed = proposeRenames(names, facts)
  if (!options.renames || proposed.size === 0) {
    const said = envs.map((source): [Source, Rewrite] => [
      source,
      { edits: [], summary: [], findings: proposalFindings(source, proposed) },
    ])
    return { renames: new Map(), rewrites: new Map(said), decisions: [] }
  }
  const elsewhere = new Map<string, { file: string; line: number; column: number }>()
  for (const { file, text } of options.others())
    for (const { name, start } of [...proposed.keys()].some((one) => text.includes(one))
      ? envReferences(text)
      : [])
      if (proposed.has(name)) elsewhere.set(name, { file, ...placeOf(text, start) })
  const { renames, decisions } = decideRenames(proposed, elsewhere)
  const rewrites = envs.map((source): [Source, Rewrite] => [source, rewriteEnv(source, renames)])
  return { renames, rewrites: new Map(rewrites), decisions }
}
