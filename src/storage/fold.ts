import type { Statement, Step, Unit } from './contract.ts'

/** One sending of a statement, and the steps that it carries. */
export interface Sending {
  readonly statement: Statement<never>
  readonly steps: readonly Step[]
}

/** The steps of many units as few sendings, in one order for all processes. */
export const fold = (units: readonly Unit[]): Sending[] => {
  const byName = new Map<string, Step[]>()
  for (const one of units.flat()) {
    const known = byName.get(one.statement.name)
    if (known) known.push(one)
    else byName.set(one.statement.name, [one])
  }
  return [...byName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, all]) => {
      const { statement } = all[0]!
      const parts = statement.kind === 'one' ? all.map((one) => [one]) : roundsOf(all).flatMap(powersOfTwo)
      return parts.map((steps) => ({ statement, steps }))
    })
}

/**
 * Rounds in the order of keys, none of them twice in one: an upsert cannot touch a row twice, and rows locked in key
 * order cannot deadlock with another process's batch. Steps of one key keep the order in which they came.
 */
const roundsOf = (steps: readonly Step[]): Step[][] => {
  const keyed = steps
    .map((one) => ({ one, key: one.statement.key(one.params as never) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const rounds: Step[][] = []
  let round = 0
  for (const [i, { one, key }] of keyed.entries()) {
    round = key === keyed[i - 1]?.key ? round + 1 : 0
    const others = rounds[round]
    if (others) others.push(one)
    else rounds[round] = [one]
  }
  return rounds
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
