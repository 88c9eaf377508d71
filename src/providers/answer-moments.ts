/** Answer of a provider, with its `Date` header or null. */
export interface DatedAnswer<T> {
  readonly answer: T
  readonly date: string | null | undefined
}

/**
 * Determines the moment of every answer of one account, so that no older answer replaces a newer one. It is
 * the provider's `Date`, less the duration of the call, less one second, because that clock has whole
 * seconds.
 */
export function createAnswerMoments(now: () => Date) {
  const order = createAnswerOrder()
  return async <T>(
    kind: 'read' | 'write',
    call: () => Promise<DatedAnswer<T>>,
  ): Promise<{
    readonly answer: T
    /** Not later than the moment at which the provider answered; ISO 8601 UTC. */
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

function sureMoment(
  date: string | null | undefined,
  { started, ended }: { started: number; ended: number },
): number {
  const answered = Date.parse(date ?? '')
  const base = Number.isNaN(answered) ? ended : answered
  return base - Math.max(0, ended - started) - 1000
}

/**
 * Orders calls of the same second, which the computed moments cannot do. A read that began after an answer
 * arrived is newer than that answer. A write is newer than every read before it was answered. A read that ran
 * beside another call may be older than it.
 */
function createAnswerOrder() {
  let newest = 0
  return {
    begin: () => {
      const before = newest
      return {
        /**
         * Returns the moment of the answer that just arrived, given the moment that is certain; milliseconds.
         */
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
