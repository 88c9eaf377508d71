import { nextTurn } from '../core/jobs/pacing.ts'
import { type AnswerMoments, createAnswerMoments } from './answer-moments.ts'
import { type ApiWords, declined, type Failure, failureOf, toApiError } from './api-errors.ts'
import { type Json, obj, str } from './narrow.ts'
import { type Wait, waitFor } from './patience.ts'

type Headers = Readonly<Record<string, string>>

/** Settings of a provider's REST client. */
export interface RestOptions {
  /** Base address, without a final slash. */
  readonly base: string
  readonly words: ApiWords
  readonly now: () => Date
  /**
   * Returns the headers of a request. It is called each time, because some tokens expire. After a 401 it is
   * called with the refused headers, and the request is repeated once if `authorization` changed.
   */
  headers(refused?: Headers): Headers | Promise<Headers>
  /** Reads an error body: the provider's code, and the parameter. */
  faultOf?(body: Json): { readonly code?: unknown; readonly field?: unknown }
  /** Returns true for a declined payment, at providers that have a code for it instead of status 402. */
  isDeclined?(failure: Failure): boolean
  readonly timeoutMs?: number
  readonly wait?: Wait
}

/** One request. The caller encodes ids in `path`, see `address`. */
export interface RestRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** JSON value; a string is sent as is. */
  readonly body?: Json | readonly Json[] | URLSearchParams | string
  readonly headers?: Headers
  /** Marks a request that changes nothing, although it is no GET. */
  readonly reads?: true
  /** True if the request may be sent again, because it carries an idempotency key. Reads always may. */
  readonly isRepeatable?: boolean
}

/** Answer as plain JSON; an empty object for an empty body. */
export interface RestAnswer<T = Json> {
  readonly raw: T
  /** Not later than the moment at which the provider answered; ISO 8601 UTC. */
  readonly at: string
  readonly status: number
  readonly headers: Headers
}

/** A provider's API over HTTP and JSON. */
export interface Rest {
  /**
   * Makes one request. `what` names it in the error.
   * @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED
   */
  ask<T = unknown>(what: string, request: RestRequest): Promise<RestAnswer<T>>
}

/** An error answer, or no answer; the `cause` of our errors. */
export class RestFailure extends Error {
  readonly statusCode: number | undefined
  readonly code: string | null
  readonly field: string | null
  readonly headers: Headers
  readonly body: Json
  /** True if the request never left this machine or was not accepted, so that nothing was done. */
  readonly isUndone: boolean

  constructor(message: string, details: Partial<Omit<RestFailure, keyof Error>> & { cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'RestFailure'
    this.statusCode = details.statusCode
    this.code = details.code ?? null
    this.field = details.field ?? null
    this.headers = details.headers ?? {}
    this.body = details.body ?? {}
    this.isUndone = details.isUndone ?? false
  }
}

// A visitor may be waiting for the page.
const pauseMs = [250, 1000]
const longestPauseMs = 2000
const mostBytes = 16 * 1024 * 1024

/**
 * A thin client with a timeout for every request. It retries only where that cannot do anything twice: reads,
 * requests with an idempotency key, and requests that were certainly not executed. `once` handles all others.
 */
export function createRest(options: RestOptions): Rest {
  const momentOf = createAnswerMoments(options.now)
  const wait = options.wait ?? waitFor
  return {
    ask: async <T>(what: string, request: RestRequest) => {
      for (let attempt = 0; ; attempt++)
        try {
          return (await askOnce(momentOf, options, request)) as RestAnswer<T>
        } catch (error) {
          const pause = pauseBefore(attempt, request, error)
          if (pause === null)
            throw options.isDeclined?.(failureOf(error))
              ? declined(error)
              : toApiError(options.words, what, error)
          await wait(pause)
        }
    },
  }
}

/** Builds an address with ids in it; each id stays one path segment. */
export function address(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  // Two dots would lead upwards even when encoded.
  return String.raw({ raw: texts }, ...ids.map((id) => (/^\.{0,2}$/.test(id) ? '-' : encodeURIComponent(id))))
}

/** Returns the result of a read, or null when the provider does not know the object. */
export function unlessMissing<T>(asked: Promise<T>): Promise<T | null> {
  return unlessStatus(404, asked)
}

/** Returns the result of a read, or null for an error with this status. */
export async function unlessStatus<T>(status: number, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Error && failureOf(error.cause).status === status) return null
    throw error
  }
}

/** Returns true for the error of an object that the provider does not know. */
export function isMissing(error: unknown): error is Error {
  return error instanceof Error && failureOf(error.cause).status === 404
}

/** Returns the milliseconds before a retry; null for no retry. */
function pauseBefore(attempt: number, request: RestRequest, error: unknown): number | null {
  const pause = pauseMs[attempt]
  if (pause === undefined || !(error instanceof RestFailure)) return null
  const { status, retryAfterSeconds } = failureOf(error)
  // A rate-limited request was not executed, whatever its method.
  if (status === 429) return within(Math.max(pause, (retryAfterSeconds ?? 0) * 1000))
  if (status !== null && status < 500) return null
  return error.isUndone || changesNothing(request) || request.isRepeatable ? pause : null
}

function within(ms: number): number | null {
  return ms <= longestPauseMs ? ms : null
}

function changesNothing({ method = 'GET', reads }: RestRequest): boolean {
  return method === 'GET' || reads === true
}

async function askOnce(
  momentOf: AnswerMoments,
  options: RestOptions,
  request: RestRequest,
): Promise<RestAnswer> {
  await nextTurn()
  const { answer, at } = await momentOf(changesNothing(request) ? 'read' : 'write', async () => {
    const answer = await authorized(options, request)
    return { answer, date: answer.headers.date }
  })
  return { ...answer, at }
}

/**
 * Sends a request, and renews a token that expired early. A request refused for its token was not executed.
 */
async function authorized(options: RestOptions, request: RestRequest): Promise<Omit<RestAnswer, 'at'>> {
  const headers = await options.headers()
  try {
    return await send(options, request, headers)
  } catch (error) {
    if (failureOf(error).status !== 401) throw error
    const others = await options.headers(headers)
    if (others.authorization === headers.authorization) throw error
    return send(options, request, others)
  }
}

async function send(
  { base, faultOf, timeoutMs = 20_000 }: RestOptions,
  request: RestRequest,
  headers: Headers,
): Promise<Omit<RestAnswer, 'at'>> {
  const response = await fetch(`${base}${request.path}${queryOf(request)}`, {
    method: request.method ?? 'GET',
    headers: { accept: 'application/json', ...contentType(request), ...headers, ...request.headers },
    body: bodyOf(request),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new RestFailure('no answer', { cause, isUndone: wasNeverSent(cause) })
  })
  const { status, ok } = response
  const head = { statusCode: status, headers: Object.fromEntries(response.headers) }
  const text = await textOf(response).catch((cause: unknown) => {
    throw new RestFailure('the answer broke off', { cause, headers: head.headers })
  })
  const body = parsed(text)
  if (!ok || body === null) {
    const { code, field } = faultOf?.(body ?? {}) ?? {}
    const fault = { code: str(code), field: str(field), body: body ?? {} }
    throw new RestFailure(`status ${status}`, ok ? { headers: head.headers } : { ...head, ...fault })
  }
  return { raw: body, status, headers: head.headers }
}

function queryOf({ query = {} }: RestRequest): string {
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.append(key, `${value}`)
  return given.size === 0 ? '' : `?${given}`
}

function contentType({ body }: RestRequest): Record<string, string> {
  return body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' }
}

function bodyOf({ body }: RestRequest): string | URLSearchParams | null {
  if (body === undefined) return null
  return typeof body === 'string' || body instanceof URLSearchParams ? body : JSON.stringify(body)
}

/** Returns null for text that is not JSON. */
function parsed(text: string): Json | null {
  if (text === '') return {}
  try {
    return obj(JSON.parse(text))
  } catch {
    return null
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > mostBytes) throw new Error('the answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

// No connection was made, so the request was never sent.
function wasNeverSent(cause: unknown): boolean {
  return neverSent.has(obj(obj(cause).cause).code)
}
const neverSent: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])
