import { addMonths as monthsAfter } from '../../fakes/engine/index.ts'

/** Adds calendar months; in a shorter month the 31st becomes the last day. UTC. */
export function addMonths(from: Date, months: number): Date {
  const rest = from.getTime() % 1000
  return new Date(monthsAfter((from.getTime() - rest) / 1000, months) * 1000 + rest)
}
