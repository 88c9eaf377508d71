import { isMembershipError } from '../../core/errors.ts'

/**
 * The result of comparing one member. `equal`: nothing differed. `opened`: a gate is open now. `mended`: something was
 * out of date. `differs`: an operator has to act. `waiting`: it was compared a moment ago. `unanswered`: the provider
 * could not be asked.
 */
export type ComparedState = 'equal' | 'opened' | 'mended' | 'differs' | 'waiting' | 'unanswered'

/** Compares one member with the providers and repairs the differences. */
export type CompareMember = (memberId: string) => Promise<{
  readonly differences: readonly { readonly mend: string | null }[]
  readonly mended: number
}>

/** Compares one member now and returns the result as one word. `count` refuses a second comparison within a minute. */
export async function compareOnce(
  memberId: string,
  { compare, count }: { compare: CompareMember; count: (memberId: string) => Promise<unknown> },
): Promise<ComparedState> {
  try {
    await count(memberId)
    return stateOf(await compare(memberId))
  } catch (error) {
    if (isMembershipError(error, 'ERR_RATE_LIMIT') || isMembershipError(error, 'ERR_BUSY')) return 'waiting'
    if (isMembershipError(error, 'ERR_PROVIDER_ANSWER') || isMembershipError(error, 'ERR_CONFIG'))
      return 'unanswered'
    throw error
  }
}

/** The HTTP status for each state. */
export const comparedStatus: Readonly<Record<ComparedState, number>> = {
  equal: 200,
  opened: 200,
  mended: 200,
  differs: 200,
  waiting: 429,
  unanswered: 503,
}

function stateOf({ differences, mended }: Awaited<ReturnType<CompareMember>>): ComparedState {
  if (differences.some(({ mend }) => mend === 'open')) return mended > 0 ? 'opened' : 'differs'
  if (mended < differences.length) return 'differs'
  return mended > 0 ? 'mended' : 'equal'
}
