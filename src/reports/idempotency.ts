import { createHash } from 'node:crypto'
import { isMembershipError, MembershipError, toProblem } from '../core/errors.ts'
import { type Storage, step, UnitConflict } from '../core/storage/index.ts'
import type { Statements } from './statements/index.ts'

/** An answer that is stored for a repeated request. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request that may arrive twice, identified by its key. */
export interface IdempotentRequest {
  readonly keyId: string
  /** Header `Idempotency-Key` as sent: a quoted string. */
  readonly value: string
  readonly method: string
  readonly url: string
  readonly body: Buffer
}

/** After this time a request may be repeated if its process died during it. */
const staleMs = 120_000
/** One day, in milliseconds; afterwards the same key may be used for another request. */
export const idempotencyKeptMs = 86_400_000

export interface Idempotency {
  /** @throws ERR_PARAMETER, ERR_IDEMPOTENCY_REUSED, ERR_IDEMPOTENCY_IN_FLIGHT, and what `run` throws */
  once(request: IdempotentRequest, run: () => Promise<Answer>): Promise<Answer>
}

/** Runs a request once per key, and repeats its answer for a day. */
export function createIdempotency(deps: {
  storage: Storage
  statements: Statements
  now: () => Date
}): Idempotency {
  const { storage, statements, now } = deps

  const once = async (request: IdempotentRequest, run: () => Promise<Answer>): Promise<Answer> => {
    const key = { key_id: request.keyId, value: readValue(request.value) }
    const fingerprint = fingerprintOf(request)
    const kept = await begin({ ...key, fingerprint })
    if (kept) return kept
    try {
      const answer = await run()
      await keep(key, answer)
      return answer
    } catch (error) {
      const { status, body } = toProblem(error)
      // Results that may differ next time are not stored: our own failures, and limits.
      if (isMembershipError(error) && status < 500 && status !== 429)
        await keep(key, {
          status,
          headers: { 'Content-Type': 'application/problem+json' },
          body: JSON.stringify(body),
        })
      else await storage.commit([step(statements.idempotencyDrop, key)])
      throw error
    }
  }

  const begin = async (row: {
    key_id: string
    value: string
    fingerprint: string
  }): Promise<Answer | null> => {
    for (;;) {
      try {
        await storage.commit([
          step(statements.idempotencyBegin, { ...row, created_at: now().toISOString() }, 1),
        ])
        return null
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
      }
      const [known] = await storage.all(statements.idempotency, row)
      if (!known) continue
      const age = now().getTime() - Date.parse(known.created_at)
      const isOver = age > idempotencyKeptMs || (known.status === null && age > staleMs)
      if (isOver) await storage.commit([step(statements.idempotencyDrop, row)])
      else if (known.fingerprint !== row.fingerprint) throw reused()
      else if (known.status === null) throw inFlight()
      else
        return {
          status: known.status,
          headers: JSON.parse(known.headers ?? '{}') as Record<string, string>,
          body: known.body ?? '',
        }
    }
  }

  const keep = (key: { key_id: string; value: string }, { status, headers, body }: Answer) =>
    storage.commit([
      step(statements.idempotencyDone, { ...key, status, headers: JSON.stringify(headers), body }),
    ])

  return { once }
}

// Source: draft-ietf-httpapi-idempotency-key-header: a structured field that is a string.
function readValue(header: string): string {
  const [, value] = /^\s*"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,200})"\s*$/.exec(header) ?? []
  if (value !== undefined) return value
  throw new MembershipError(
    'ERR_PARAMETER',
    'The header Idempotency-Key is no quoted text of 1 to 200 characters.',
    {
      action: 'Send it in quotes: Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"',
    },
  )
}

function fingerprintOf({ method, url, body }: IdempotentRequest): string {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).digest('hex')
}

function reused() {
  return new MembershipError('ERR_IDEMPOTENCY_REUSED', 'This Idempotency-Key was used for another request.', {
    action: 'Make a new key for each new request, such as a random UUID.',
  })
}
function inFlight() {
  return new MembershipError(
    'ERR_IDEMPOTENCY_IN_FLIGHT',
    'A request with this Idempotency-Key is still going on.',
    {
      action: 'Send it again in two seconds.',
      retryAfterSeconds: 2,
    },
  )
}
