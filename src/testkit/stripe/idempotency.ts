import { ApiError } from './errors.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
interface Kept {
  readonly fingerprint: string
  readonly at: number
  answer: Answer | null
}

const keptSeconds = 86_400

/** Answers by idempotency key. https://docs.stripe.com/api/idempotent_requests */
export const createIdempotency = (seconds: () => number) => {
  const kept = new Map<string, Kept>()
  return {
    /** The answer that this key had, or null for a key that begins now.
     *  @throws 400 when the parameters differ, 409 while the first request runs. */
    begin: (key: string, fingerprint: string): Answer | null => {
      if (key.length > 255)
        throw new ApiError(400, {
          type: 'invalid_request_error',
          message: 'Idempotency keys are up to 255 characters long.',
        })
      const known = kept.get(key)
      if (known === undefined || seconds() - known.at > keptSeconds) {
        kept.set(key, { fingerprint, at: seconds(), answer: null })
        return null
      }
      if (known.fingerprint !== fingerprint)
        throw new ApiError(400, {
          type: 'idempotency_error',
          message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        })
      if (known.answer === null)
        throw new ApiError(409, {
          type: 'idempotency_error',
          code: 'idempotency_key_in_use',
          message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        })
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
export type Idempotency = ReturnType<typeof createIdempotency>
