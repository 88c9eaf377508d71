import type { Decision } from '../plan.ts'
import { toDecision } from '../plan.ts'
import { placeOf, type Source } from '../source.ts'
import { assignedText, readEnv } from './read.ts'
import type { Renames } from './renames.ts'

/** First place of a variable, and every value that it has in any file. */
interface Known {
  readonly place: { file: string; line: number; column: number } | null
  readonly values: ReadonlySet<string>
}

/**
 * Keeps the names of two variables that would become one and may differ in value, because only a person knows
 * the right value.
 */
export function decideRivals(
  renames: Renames,
  envs: readonly Source[],
): { kept: ReadonlySet<string>; decisions: Decision[] } {
  const kept = new Set<string>()
  const decisions: Decision[] = []
  for (const next of new Set(renames.values())) {
    const olds = [...renames.keys()].filter((name) => renames.get(name) === next)
    const known = new Map([...olds, next].map((name) => [name, knownOf(name, envs)]))
    const isTaken = known.get(next)!.values.size > 0
    if (olds.length + (isTaken ? 1 : 0) < 2) continue
    const rivals = isTaken ? [...olds, next] : olds
    const values = new Set(rivals.flatMap((name) => [...known.get(name)!.values]))
    if (values.size === 1 && rivals.every((name) => known.get(name)!.values.size === 1)) continue
    for (const name of olds) kept.add(name)
    const place = rivals.map((name) => known.get(name)!.place).find((candidate) => candidate !== null)
    decisions.push(
      toDecision({
        part: 'env',
        code: isTaken ? 'name-taken' : 'names-differ',
        ...(place ?? { file: null, line: null, column: null }),
        reason: `${olds.join(' and ')} would be ${next}${isTaken ? ', which is there already' : ''}, and they are not known to have the same value; so none of them was renamed.`,
        replacement: `Keep the value that is right under ${next}, let the configuration read that name, and delete ${olds.join(' and ')}.`,
      }),
    )
  }
  return { kept, decisions }
}

function knownOf(name: string, envs: readonly Source[]): Known {
  const places = envs.flatMap((source) =>
    readEnv(source.text)
      .filter((candidate) => candidate.name === name && !candidate.isComment)
      .map((assignment) => ({ source, assignment })),
  )
  const first = places[0]
  return {
    place: first ? { file: first.source.file, ...placeOf(first.source.text, first.assignment.start) } : null,
    values: new Set(places.map(({ source, assignment }) => assignedText(source.text, assignment))),
  }
}
