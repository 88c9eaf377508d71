import { type Change, changeOf } from './api.ts'
import type { Code, Key, Pattern } from './code.ts'
import type { Reading } from './reading.ts'

interface Taken {
  readonly path: readonly Key[]
  readonly to: string
  readonly change: Change
}

/** Lists a destructuring of a subscription whose fields are no longer there, or have another value. `source` is the
 *  subscription where the place names it. */
export const sayPattern = (reading: Reading, pattern: Pattern, source: string | null): void => {
  const taken = takenBy(reading, pattern, [])
  if (reading.syntax.name === 'script' && taken?.every(isSame)) return
  reading.find({
    code: 'destructured',
    at: pattern.start,
    reason: `This takes a subscription apart.${taken?.some(isTime) ? ' Its times are texts like 2026-02-01T00:00:00.000Z in version 2.' : ''} In version 2 it is an object whose fields are named otherwise${
      reading.syntax.name === 'php' ? ', and PHP cannot take objects apart' : ''
    }.`,
    replacement: taken === null ? null : replacementFor(reading, taken, source),
  })
}

const isSame = ({ change, path }: Taken): boolean =>
  change.kind === 'same' && String(change.path) === String(path)

const isTime = ({ change }: Taken): boolean => change.kind === 'time'

/** The fields that a pattern takes, with those inside of it; null where something in it cannot be told. */
const takenBy = (reading: Reading, pattern: Pattern, above: readonly Key[]): Taken[] | null => {
  const all: Taken[] = []
  for (const { key, target } of pattern.entries) {
    if (key === null) return null
    const path = [...above, key]
    const inner = target.kind === 'pattern' ? takenBy(reading, target, path) : [leafOf(reading, target, path)]
    if (inner === null) return null
    all.push(...inner)
  }
  return all
}

const leafOf = ({ text }: Reading, target: Code, path: readonly Key[]): Taken => ({
  path,
  to: text.slice(target.start, target.end),
  change: changeOf(path),
})

const replacementFor = (reading: Reading, taken: readonly Taken[], source: string | null): string | null => {
  const isComplete = taken.every(
    ({ change, path }) => change.path?.length === 1 && change.used === path.length,
  )
  if (!isComplete) return null
  if (reading.syntax.name === 'script')
    return `{ ${taken.map(({ change, to }) => (change.path![0] === to ? to : `${change.path![0]}: ${to}`)).join(', ')} }`
  if (source === null) return null
  return taken
    .map(({ change, to }) => {
      const value = source + reading.syntax.path(change.path!, false)
      return `${to} = ${isTime({ change, path: [], to }) ? reading.syntax.seconds(value) : value};`
    })
    .join(' ')
}
