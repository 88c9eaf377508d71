import type { Statement, Step, Unit } from './contract.ts'
import { rankOf } from './ranks.ts'

/** One execution of a statement, with the steps that it carries. */
export interface Sending {
  readonly statement: Statement<never>
  readonly steps: readonly Step[]
}

/**
 * Folds the steps of many units into few sendings. Tables have a fixed order, and each table's rows are in the order of
 * their keys, whatever is done to them. Rows locked in one order cannot deadlock with another process's batch or a
 * single unit. Consecutive inserts become one.
 */
export function fold(units: readonly Unit[]): Sending[] {
  const byPlace = new Map<string, Place>()
  for (const step of units.flat()) {
    const { name, table, rank } = step.statement
    const place = `${rank} ${table}`
    const placed = { step, name, key: step.statement.key(step.params as never) }
    const known = byPlace.get(place)
    if (known) known.steps.push(placed)
    else byPlace.set(place, { rank, table, steps: [placed] })
  }
  return [...byPlace.values()]
    .sort((a, b) => a.rank - b.rank || rankOf(a.table) - rankOf(b.table) || compare(a.table, b.table))
    .flatMap(({ steps }) => roundsOf(steps).flatMap(runsOf))
}

/** True if folding reorders two different statements about one table, because one may depend on the other. */
export function isReordered(unit: Unit): boolean {
  const sent = fold([unit]).flatMap(({ steps }) => steps)
  return unit.some((item, i) =>
    unit
      .slice(i + 1)
      .some(
        (later) =>
          later.statement.table === item.statement.table &&
          later.statement.name !== item.statement.name &&
          sent.indexOf(later) < sent.indexOf(item),
      ),
  )
}

interface Place {
  readonly rank: number
  readonly table: string
  readonly steps: Placed[]
}

interface Placed {
  readonly step: Step
  readonly name: string
  readonly key: string
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Splits steps into rounds in key order, with each key once per round, because an upsert cannot touch a row twice. The
 * first round already locked the rows of later ones. Steps of one key and statement keep their order.
 */
function roundsOf(steps: readonly Placed[]): Placed[][] {
  const sorted = [...steps].sort((a, b) => compare(a.key, b.key) || compare(a.name, b.name))
  const rounds: Placed[][] = []
  let round = 0
  for (const [i, placed] of sorted.entries()) {
    round = i > 0 && placed.key === sorted[i - 1]!.key ? round + 1 : 0
    const others = rounds[round]
    if (others) others.push(placed)
    else rounds[round] = [placed]
  }
  return rounds
}

/** Combines neighbouring steps of one statement that can take several rows. */
function runsOf(round: readonly Placed[]): Sending[] {
  const runs: Step[][] = []
  for (const [i, { step: item, name }] of round.entries())
    if (i > 0 && item.statement.kind === 'many' && round[i - 1]!.name === name) runs.at(-1)!.push(item)
    else runs.push([item])
  return runs.flatMap((run) => powersOfTwo(run).map((steps) => ({ statement: steps[0]!.statement, steps })))
}

// Powers of two keep the number of sizes per statement small, and each stays prepared.
function powersOfTwo(rows: readonly Step[]): Step[][] {
  const parts: Step[][] = []
  let from = 0
  for (let size = 64; size >= 1; size /= 2)
    while (rows.length - from >= size) {
      parts.push(rows.slice(from, from + size))
      from += size
    }
  return parts
}
