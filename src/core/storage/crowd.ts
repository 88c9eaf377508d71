import { type Statement, type Step, takenTurn, type Unit, UnitConflict } from './contract.ts'
import { powersOfTwo, type Sending } from './sendings.ts'

/** What is found out in a transaction before anything is written in it. */
export interface Before {
  /** Names of which one transaction at a time has each: taken if they are free, never waited for. */
  readonly turns: readonly string[]
  /** Of each statement that lately did not fit, whether it would now. */
  readonly looks: readonly Sending[]
  /** What is written then. */
  readonly rest: (isTaken: (turn: string) => boolean, misfits: ReadonlySet<Step>) => readonly Sending[]
}

/** A unit, and what it is about where its writer reads again when told to. */
interface Wanted {
  readonly unit: Unit
  readonly turn?: string | undefined
}

/**
 * Knows whether other processes are at work on the same rows. While they are, a batch first finds out which of its units
 * would not fit: left out, they cost a question, where otherwise all that goes with them is undone.
 */
export const createCrowd = (clock: () => number = () => performance.now()) => {
  // Statement → for how long it is looked at.
  const until = new Map<string, number>()
  const isLookedAt = ({ statement: { name, look } }: Step): boolean =>
    look !== undefined && (until.get(name) ?? 0) > clock()

  return {
    isThere: (): boolean => [...until.values()].some((end) => end > clock()),
    /** These did not fit. */
    met: (steps: Iterable<Step>): void => {
      for (const { statement } of steps) until.set(statement.name, clock() + rememberMs)
    },
    looksOf: (batch: readonly Wanted[]): Sending[] => {
      const byStatement = new Map<Statement<never>, Step[]>()
      for (const { unit } of batch.filter(({ turn }) => turn !== undefined))
        for (const one of unit)
          if (one.expectRows === 1 && isLookedAt(one) && isOnlyOfTable(one, unit)) {
            const known = byStatement.get(one.statement)
            if (known) known.push(one)
            else byStatement.set(one.statement, [one])
          }
      return [...byStatement].flatMap(([statement, steps]) =>
        powersOfTwo(steps).map((part) => ({ statement: statement.look!.statement, steps: part })),
      )
    },
  }
}

/** The steps that would not fit, by what their look found. */
export const misfitsOfLook = ({ steps }: Sending, rows: readonly object[]): Step[] => {
  const [{ statement }] = steps as [Step]
  const look = statement.look!
  const found = new Set(rows.map((row) => look.statement.key(row as never)))
  return steps.filter(
    ({ params }) => found.has(look.statement.key(params as never)) !== (look.finds === 'expected'),
  )
}

/** Why a unit is left out; null where it is not. */
export const whyLeftOut = (
  { unit, turn }: Wanted,
  isTaken: (turn: string) => boolean,
  misfits: ReadonlySet<Step>,
): UnitConflict | null => {
  const misfit = unit.find((one) => misfits.has(one))
  if (misfit !== undefined) return new UnitConflict(misfit.statement.name)
  return turn !== undefined && isTaken(turn) ? new UnitConflict(takenTurn) : null
}

// Another step of the unit may make it fit.
const isOnlyOfTable = (one: Step, unit: Unit): boolean =>
  unit.every((other) => other === one || other.statement.table !== one.statement.table)

const rememberMs = 10_000
