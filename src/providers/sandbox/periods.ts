import { addMonths as monthsAfter } from '../../fakes/engine/index.ts'

/** The moment so many calendar months later; the 31st of a shorter month is its last day. UTC. */
export const addMonths = (from: Date, months: number): Date => {
  const rest = from.getTime() % 1000
  return new Date(monthsAfter((from.getTime() - rest) / 1000, months) * 1000 + rest)
}
