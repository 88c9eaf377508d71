/** Answer of a provider, with its `Date` header or null. */
export interface DatedAnswer<T> {
  readonly answer: T
  readonly date: string | null | undefined
}

/**
 * Says of every answer of one account at which moment it counts, so that no older one is taken for newer: the provider's
 * `Date` less the time the call took less one second, since that clock has whole seconds.
 */
export const createAnswerMoments = (now: () => Date) => {
  const order = createAnswerOrder()
  return async <T>(
    kind: 'read' | 'write',
    call: () => Promise<DatedAnswer<T>>,
  ): Promise<{
    readonly answer: T
    /** No later than the moment at which the provider answered; ISO 8601 UTC. */
    readonly at: string
  }> => {
    const started = now().getTime()
    const place = order.begin()
    const { answer, date } = await call()
    const ended = now().getTime()
    return { answer, at: new Date(place.end(sureMoment(date, { started, ended }), kind)).toISOString() }
  }
}
export type AnswerMoments = ReturnType<typeof createAnswerMoments>

const sureMoment = (
  date: string | null | undefined,
  { started, ended }: { started: number; ended: number },
): number => {
  const answered = Date.parse(date ?? '')
  const base = Number.isNaN(answered) ? ended : answered
  return base - Math.max(0, ended - started) - 1000
}

/**
 * Whole seconds less the time of a call do not tell the order of two calls of one second; when they began and ended
 * does. What is asked after an answer came is newer than that answer; a change is newer than all that was read until it
 * was answered; and what was read beside another call may have been read before it.
 */
const createAnswerOrder = () => {
  let newest = 0
  return {
    begin: () => {
      const before = newest
      return {
        /** The moment of an answer that came just now, from the latest that is sure of it; milliseconds. */
        end: (sure: number, kind: 'read' | 'write'): number => {
          const ranBeside = newest !== before
          const at =
            kind === 'read' && ranBeside
              ? Math.max(before, Math.min(sure, newest - 1))
              : Math.max(sure, newest + 1)
          newest = Math.max(newest, at)
          return at
        },
      }
    },
  }
}
