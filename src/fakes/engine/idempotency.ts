import { trackMap } from './replica.ts'
import type { Tracking } from './saving.ts'

/** An answer of the API. */
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
interface Kept {
  readonly fingerprint: string
  readonly at: number
  readonly answer: Answer | null
}
/** Problem with a key: too long, used for another request, or its first request is still running. */
export type KeyTrouble = 'too long' | 'other request' | 'in use'

/** Stores answers by idempotency key for a number of seconds; `refuse` builds the provider's error. */
export function createIdempotency(given: {
  seconds: () => number
  keptSeconds: number
  maxLength: number
  refuse: (trouble: KeyTrouble, key: string) => Error
  saving?: Tracking
}) {
  const { seconds, keptSeconds, maxLength, refuse, saving } = given
  const kept = new Map<string, Kept>()
  if (saving !== undefined) trackMap(saving, kept)
  return {
    /** Returns the answer that this key had, or null for a new key. @throws the error that `refuse` makes */
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
    /**
     * Stores the answer, server errors included, unless nothing was executed: wrong parameters can be
     * corrected under the same key.
     */
    end: (key: string, answer: Answer): void => {
      const known = kept.get(key)
      if (known === undefined) return
      if (answer.status < 400 || answer.status === 402 || answer.status >= 500)
        kept.set(key, { ...known, answer })
      else kept.delete(key)
    },
  }
}
/** Store of answers by key. */
export type Idempotency = ReturnType<typeof createIdempotency>
