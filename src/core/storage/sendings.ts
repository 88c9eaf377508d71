import { type LockStep, lockSteps, type Statement, type Step, type Unit } from './contract.ts'

/** One sending of a statement, and the steps that it carries. */
export interface Sending {
  readonly statement: Statement<never>
  readonly steps: readonly Step[]
}

/**
 * The steps of many units as few sendings. Tables stand in one order and the rows of each in the order of their keys,
 * whatever is done to them: rows locked in one order cannot deadlock with another process's batch, nor with a unit that
 * goes alone. Inserts that follow each other become one.
 */
export const fold = (units: readonly Unit[]): Sending[] => {
  const byTable = new Map<string, Placed[]>()
  for (const step of units.flat()) {
    const { name, table, lock } = step.statement
    const place = `${placeOf(lock)} ${table}`
    const placed = { step, name, key: step.statement.key(step.params as never) }
    const known = byTable.get(place)
    if (known) known.push(placed)
    else byTable.set(place, [placed])
  }
  return [...byTable.entries()]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([, all]) => roundsOf(all).flatMap(runsOf))
}

/**
 * True if folding changes the order of two different statements about one table: one may have counted on the other.
 */
export const isReordered = (unit: Unit): boolean => {
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

// One letter each, so that they sort as text.
const places = new Map(lockSteps.map((lock, n) => [lock, String.fromCharCode(97 + n)]))
const placeOf = (lock: LockStep | null): string => (lock === null ? '~' : places.get(lock)!)

interface Placed {
  readonly step: Step
  readonly name: string
  readonly key: string
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Rounds in the order of keys, none of them twice in one, since an upsert cannot touch a row twice; what a later round
 * touches the first has locked. Steps of one key and statement keep the order in which they came.
 */
const roundsOf = (steps: readonly Placed[]): Placed[][] => {
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

/** Neighbours of one statement go together where it can take several rows. */
const runsOf = (round: readonly Placed[]): Sending[] => {
  const runs: Step[][] = []
  for (const [i, { step: item, name }] of round.entries())
    if (i > 0 && item.statement.kind === 'many' && round[i - 1]!.name === name) runs.at(-1)!.push(item)
    else runs.push([item])
  return runs.flatMap((run) => powersOfTwo(run).map((steps) => ({ statement: steps[0]!.statement, steps })))
}

// So that few sizes of each statement exist, and each stays prepared.
const powersOfTwo = (rows: readonly Step[]): Step[][] => {
  const parts: Step[][] = []
  let from = 0
  for (let size = 64; size >= 1; size /= 2)
    while (rows.length - from >= size) {
      parts.push(rows.slice(from, from + size))
      from += size
    }
  return parts
}
