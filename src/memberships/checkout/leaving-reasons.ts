import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { leavingStatements } from './leaving-statements.ts'

/** The answers that a cancellation page offers, in their order there. */
export const leavingReasons = ['price', 'use', 'missing', 'broken', 'other'] as const
/** One of {@link leavingReasons}. */
export type LeavingReason = (typeof leavingReasons)[number]

/** True for one of {@link leavingReasons}. */
export function isLeavingReason(word: string): word is LeavingReason {
  return (leavingReasons as readonly string[]).includes(word)
}

/** An answer to be counted; null where none was chosen. */
export interface Leaving {
  readonly plan: string
  readonly reason: LeavingReason | null
  /** ISO 8601 */
  readonly at: string
}

/** Counts why members cancel, by month, plan and answer. It names no member, so that nothing has to follow one. */
export function createLeavingReasons(storage: Storage) {
  const { counted } = leavingStatements(storage)
  return {
    count: ({ plan, reason, at }: Leaving): Step =>
      step(counted, { month: at.slice(0, 7), plan, reason: reason ?? '', times: 1 }),
  }
}
