import type { Edit } from '../edits.ts'
import { type Decision, type Finding, type Rewrite, type SiteFacts, toDecision } from '../plan.ts'
import { placeOf, type Source } from '../source.ts'
import { mentions, rewriteScript } from './follow.ts'
import { type Assignment, assignedText, envReferences, readEnv } from './read.ts'
import { proposeRenames, type Renames } from './renames.ts'
import { decideRivals } from './rivals.ts'

export { withRenames } from './follow.ts'
export { envReferences, readEnv } from './read.ts'
export { proposeRenames } from './renames.ts'

/**
 * Renames variables in a `.env` file, also inside values; quotes, order and comments stay. Two lines of one
 * name stay two lines in their order, because the last one counts. A line is deleted only if another one
 * gives the new name the same value.
 */
export function rewriteEnv({ text }: Source, renames: Renames): Rewrite {
  const edits: Edit[] = []
  const summary = new Set<string>()
  const assignments = readEnv(text)
  const values = new Map<string, Set<string>>()
  for (const assignment of assignments) {
    if (assignment.isComment) continue
    const name = renames.get(assignment.name) ?? assignment.name
    values.set(name, new Set([...(values.get(name) ?? []), assignedText(text, assignment)]))
  }
  const taken = new Set(
    assignments.flatMap(({ name, isComment }) => (isComment || renames.has(name) ? [] : [name])),
  )
  for (const assignment of assignments) {
    const { name, start, end, isComment } = assignment
    const next = renames.get(name)
    if (next !== undefined && !isComment && taken.has(next) && values.get(next)?.size === 1) {
      edits.push(lineOf(text, assignment))
      summary.add(`${name} deleted: ${next} has its value`)
      continue
    }
    if (next !== undefined) {
      edits.push({ start, end, text: next })
      summary.add(`${name} → ${next}`)
      if (!isComment) taken.add(next)
    }
    for (const inner of insideValue(text, assignment, renames)) {
      edits.push(inner)
      summary.add(`${text.slice(inner.start, inner.end)} → ${inner.text}`)
    }
  }
  return { edits, summary: [...summary], findings: [] }
}

function lineOf(text: string, { start, value }: Assignment): Edit {
  const next = text.indexOf('\n', value.end)
  return {
    start: text.lastIndexOf('\n', start - 1) + 1,
    end: next === -1 ? text.length : next + 1,
    text: '',
  }
}

/** Finds `"${NAME}/path"` and `$NAME`; single quotes and a backslash keep a text unchanged. */
function insideValue(text: string, { value }: Assignment, renames: Renames): Edit[] {
  const written = text.slice(value.start, value.end)
  if (written.startsWith("'")) return []
  return [...written.matchAll(/(?<!\\)\$\{?([A-Za-z_]\w*)/g)].flatMap(({ 0: whole, 1: name, index }) => {
    const next = renames.get(name!)
    const start = value.start + index + whole.length - name!.length
    return next === undefined ? [] : [{ start, end: start + name!.length, text: next }]
  })
}

/**
 * Reports names in a `.env` file that follow old keys. They are not renamed by default, because the server's
 * panel or container may set them invisibly.
 */
export function proposalFindings({ text }: Source, renames: Renames): Finding[] {
  return readEnv(text).flatMap(({ name, start, isComment }) => {
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
}

/** Reports lines that other readers take for variables, and this command does not: `NAME: value`, `NAME`. */
function unreadNames({ text }: Source, facts: SiteFacts): Finding[] {
  return [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?::[^\n]*)?$/gm)].flatMap(
    ({ 1: name, index }) =>
      proposeRenames([name!], facts).size === 0
        ? []
        : [
            {
              code: 'env-not-read',
              at: index,
              reason: `${name} follows an old key, in a line that is no NAME=value. This command does not change it.`,
              replacement: `Write ${name}= with its value, or delete the line, and run the migration again.`,
            },
          ],
  )
}

/** Reports names that code reads where the migration does not rename them. */
function decideElsewhere(
  renames: Renames,
  others: Iterable<Source>,
): { kept: ReadonlySet<string>; decisions: Decision[] } {
  const places = new Map<string, { file: string; line: number; column: number }>()
  for (const { file, text } of others)
    for (const { name, start } of mentions(text, renames)) places.set(name, { file, ...placeOf(text, start) })
  const decisions = [...renames].flatMap(([name, next]): Decision[] => {
    const place = places.get(name)
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
  return { kept: new Set(places.keys()), decisions }
}

/**
 * Plans the changes to a site's `.env` files and to scripts that name their variables, and the names for its
 * configuration.
 */
export function planEnv(
  envs: readonly Source[],
  configs: readonly Source[],
  facts: SiteFacts,
  options: {
    renames: boolean
    /** Code that is not renamed. */
    others: () => Iterable<Source>
    /** Compose files, shell scripts, CI files: one at a time. */
    scripts: () => Iterable<Source>
  },
): { renames: Renames; rewrites: ReadonlyMap<Source, Rewrite>; decisions: readonly Decision[] } {
  const names = new Set([
    ...envs.flatMap(({ text }) => readEnv(text).map(({ name }) => name)),
    ...configs.flatMap(({ text }) => envReferences(text).map(({ name }) => name)),
  ])
  const proposed = proposeRenames(names, facts)
  if (!options.renames || proposed.size === 0) {
    const rewrites = envs.map((source): [Source, Rewrite] => [
      source,
      {
        edits: [],
        summary: [],
        findings: [...proposalFindings(source, proposed), ...unreadNames(source, facts)],
      },
    ])
    return { renames: new Map(), rewrites: new Map(rewrites), decisions: [] }
  }
  const rivals = decideRivals(proposed, envs)
  const elsewhere = decideElsewhere(proposed, options.others())
  const renames = new Map(
    [...proposed].filter(([name]) => !rivals.kept.has(name) && !elsewhere.kept.has(name)),
  )
  const rewrites = new Map(
    envs.map((source): [Source, Rewrite] => [
      source,
      { ...rewriteEnv(source, renames), findings: unreadNames(source, facts) },
    ]),
  )
  for (const source of options.scripts()) {
    const rewrite = rewriteScript(source, renames)
    if (rewrite.edits.length + rewrite.findings.length > 0) rewrites.set(source, rewrite)
  }
  return { renames, rewrites, decisions: [...rivals.decisions, ...elsewhere.decisions] }
}
