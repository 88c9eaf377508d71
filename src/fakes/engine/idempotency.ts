/** An answer of the API. */
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
interface Kept {
  readonly fingerprint: string
  readonly at: number
  answer: Answer | null
}
/** Trouble with a key: too long, used for something else, or its first request still runs. */
export type KeyTrouble = 'too long' | 'other request' | 'in use'

/** Answers by idempotency key, for so many seconds; `refuse` puts a trouble into the provider's words. */
export const createIdempotency = (given: {
  seconds: () => number
  keptSeconds: number
  maxLength: number
  refuse: (trouble: KeyTrouble, key: string) => Error
}) => {
  const { seconds, keptSeconds, maxLength, refuse } = given
  const kept = new Map<string, Kept>()
  return {
    /** The answer that this key had, or null for a key that begins now. @throws what `refuse` makes */
    begin: (key: string, fingerprint: string): Answer | null => {
      if (key.length > maxLength) throw refuse('too long', key)
      const known = kept.get(key)
      if (known === undefined || seconds() - known.at > keptSeconds) {
        kept.set(key, { fingerprint, at: seconds(), answer: null })
        return null
      }
      if (known.fingerprint !== fingerprint) throw refuse('other request', key)
      if (known.answer === null) throw refuse('in use', key)
      return known.answer
    },
    /** Keeps the answer, an error of the server's included, unless nothing was begun: parameters that are wrong may be
     *  put right under the same key. */
    end: (key: string, answer: Answer): void => {
      const known = kept.get(key)
      if (known === undefined) return
      if (answer.status < 400 || answer.status === 402 || answer.status >= 500) known.answer = answer
      else kept.delete(key)
    },
  }
}
/** The answers that keys had. */
export type Idempotency = ReturnType<typeof createIdempotency>
