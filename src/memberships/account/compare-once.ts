import { isMembershipError } from '../../core/errors.ts'

/**
 * The result of comparing one member: nothing differed; something is open now; something was out of date; something
 * needs the site's own people; it was compared a moment ago; the provider could not be asked.
 */
export type ComparedState = 'equal' | 'opened' | 'mended' | 'differs' | 'waiting' | 'unanswered'

/** Compares one member with the providers and mends what differs. */
export type CompareMember = (memberId: string) => Promise<{
  readonly differences: readonly { readonly mend: string | null }[]
  readonly mended: number
}>

/** Looks at one member now, and says what came of it, in one word.
 *  `count` says whether this minute's look is still to be had. */
export const compareOnce = async (
  memberId: string,
  { compare, count }: { compare: CompareMember; count: (memberId: string) => Promise<unknown> },
): Promise<ComparedState> => {
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

/** The status that answers a program for each state. */
export const comparedStatus: Readonly<Record<ComparedState, number>> = {
  equal: 200,
  opened: 200,
  mended: 200,
  differs: 200,
  waiting: 429,
  unanswered: 503,
}

const stateOf = ({ differences, mended }: Awaited<ReturnType<CompareMember>>): ComparedState => {
  if (differences.some(({ mend }) => mend === 'open')) return mended > 0 ? 'opened' : 'differs'
  if (mended < differences.length) return 'differs'
  return mended > 0 ? 'mended' : 'equal'
}
