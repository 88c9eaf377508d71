import type { Context } from 'koa'
import { isMembershipError, MembershipError } from '../core/errors.ts'
import type { Callers } from '../core/http/callers.ts'
import { type RateLimit, rateLimitFields } from '../core/http/rate-limit.ts'
import type { Storage } from '../core/storage/index.ts'
import { includesTag, matches, maxPage, type Page, type Ready, type ReadyAnswers } from './answers/ready.ts'
import type { Entry } from './entries/record.ts'
import type { Answer, Idempotency } from './idempotency.ts'
import type { Caller, Keys, Scope } from './keys/keys.ts'
import { type ReportStatus, reportStatuses } from './schemas.ts'
import type { Statements } from './statements/index.ts'

export interface ExchangeDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly keys: Keys
  readonly ready: ReadyAnswers
  readonly idempotency: Idempotency
  readonly limits: Record<'default' | 'visits' | 'unchanged', RateLimit>
  /** Counts wrong keys by address. */
  readonly strangers: Callers
  readonly siteOf: (ctx: Context) => string
}

/** Steps of every route of the partner API: authenticate, count, answer. */
export function createExchange(deps: ExchangeDeps) {
  const { storage, statements, keys, ready, idempotency, limits, strangers } = deps

  const baseOf = deps.siteOf

  const callerOf = async (ctx: Context, scope: Scope): Promise<Caller> => {
    // A refusal is private to this caller as well.
    setHeaders(ctx, privately)
    try {
      const caller = await keys.authenticate(ctx.get('X-API-KEY') || undefined)
      if (caller.scopes.includes(scope)) return caller
      await count(ctx, 'default', caller)
      throw new MembershipError('ERR_SCOPE', `This key may only ${caller.scopes.join(' and ')}.`, {
        action: `Ask the operator for a key that may ${scope}.`,
      })
    } catch (error) {
      if ((error as MembershipError).code !== 'ERR_API_KEY') throw error
      ctx.set('WWW-Authenticate', 'ApiKey realm="reports", header="X-API-KEY"')
      await strangers.count(strangers.callerOf(ctx.req))
      throw error
    }
  }

  const count = async (ctx: Context, policy: keyof typeof limits, caller: Caller): Promise<void> => {
    const { limit, consume } = limits[policy]
    try {
      setHeaders(ctx, rateLimitFields(await consume(caller.keyId)))
    } catch (error) {
      if (isMembershipError(error, 'ERR_RATE_LIMIT'))
        setHeaders(
          ctx,
          rateLimitFields({ policy, limit, remaining: 0, resetSeconds: error.retryAfterSeconds ?? 60 }),
        )
      throw error
    }
  }

  // An answer that the caller already has counts against a separate limit, not against its minute.
  const sendReady = async (ctx: Context, caller: Caller, make: () => Ready | Promise<Ready>) => {
    const known = ctx.headers['if-none-match']
    if (known === undefined) await count(ctx, 'default', caller)
    const { bytes, etag, next } = await made(make, ctx, caller)
    const isUnchanged = known !== undefined && includesTag(known, etag)
    if (known !== undefined) await count(ctx, isUnchanged ? 'unchanged' : 'default', caller)
    setHeaders(ctx, { 'Content-Type': 'application/json; charset=utf-8', ETag: etag })
    if (next !== null) setHeaders(ctx, { Link: `<${next}>; rel="next"` })
    if (answersAlone(ctx)) endAlone(ctx, isUnchanged ? null : bytes)
    else if (isUnchanged) ctx.status = 304
    else ctx.body = bytes
  }

  // A refusal costs as much as an answer. With If-None-Match nothing was counted yet.
  const made = (make: () => Ready | Promise<Ready>, ctx: Context, caller: Caller): Ready | Promise<Ready> => {
    const refuse = async (error: unknown): Promise<never> => {
      if (ctx.headers['if-none-match'] !== undefined) await count(ctx, 'default', caller)
      throw error
    }
    try {
      const ready = make()
      return ready instanceof Promise ? ready.catch(refuse) : ready
    } catch (error) {
      return refuse(error)
    }
  }

  /** Answers with the newest state of a website. After a write the partner's version has changed. */
  const itemAnswer = async (ctx: Context, caller: Caller, id: string, status: number): Promise<Answer> => {
    const [partner] = await storage.all(statements.partner, { id: caller.partnerId })
    const { version, changed_at: changedAt, crawled } = partner!
    const fresh = { ...caller, version, changedAt, crawled }
    const { bytes, etag } = await ready.item(fresh, id, false, baseOf(ctx))
    return {
      status,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        ETag: etag,
      },
      body: bytes.toString('utf8'),
    }
  }

  const send = (ctx: Context, { status, headers, body }: Answer): void => {
    ctx.status = status
    ctx.set(headers)
    ctx.body = body === '' ? null : body
    ctx.status = status
  }

  /** Runs a POST once per Idempotency-Key. */
  const sendOnce = async (ctx: Context, caller: Caller, body: Buffer, run: () => Promise<Answer>) => {
    const value = ctx.get('Idempotency-Key')
    if (value === '') return send(ctx, await run())
    const request = { keyId: caller.keyId, value, method: ctx.method, url: ctx.url, body }
    return send(
      ctx,
      await idempotency.once(request, () =>
        run().catch((error: unknown) => {
          throw withAddress(error, baseOf(ctx))
        }),
      ),
    )
  }

  const ifMatchOf = (ctx: Context): ((entry: Entry) => void) | undefined => {
    const given = ctx.get('If-Match')
    if (given === '') return undefined
    return ({ row }) => {
      if (matches(given, row)) return
      throw new MembershipError(
        'ERR_PRECONDITION',
        'The website was changed since the version in If-Match.',
        {
          action: `Use the newest ETag: curl -i -H "X-API-KEY: $KEY" {base}/reports/${row.id}`,
        },
      )
    }
  }

  return { baseOf, callerOf, count, sendReady, itemAnswer, send, sendOnce, ifMatchOf }
}

const privately = { 'Cache-Control': 'private, no-cache', Vary: 'X-API-KEY' }

// Bypasses Koa, which would inspect each value again.
function setHeaders(ctx: Context, headers: Readonly<Record<string, string>>): void {
  const alone = ctx.state.headersAlone as Record<string, string> | undefined
  if (alone) Object.assign(alone, headers)
  else for (const name in headers) ctx.res.setHeader(name, headers[name]!)
}

function answersAlone({ state }: Context): boolean {
  return state.headersAlone !== undefined
}

/** Lets `sendReady` end this answer itself, in an application where no host middleware waits for it. */
export function letAnswerAlone(ctx: Context): void {
  ctx.state.headersAlone = {}
}

/** Returns the collected headers to Koa if another answer is sent after all. */
export function answerTogether(ctx: Context): void {
  const headers = ctx.state.headersAlone as Record<string, string> | undefined
  ctx.state.headersAlone = undefined
  setHeaders(ctx, headers ?? {})
}

function endAlone(ctx: Context, bytes: Buffer | null): void {
  const headers = ctx.state.headersAlone as Record<string, string>
  ctx.respond = false
  if (bytes) headers['Content-Length'] = String(bytes.length)
  ctx.res.writeHead(bytes ? 200 : 304, headers)
  ctx.res.end(bytes && ctx.req.method !== 'HEAD' ? bytes : undefined)
}

/** Completes the commands in an error with the address that the caller uses for the index. */
export function withAddress(error: unknown, base: string): unknown {
  if (!isMembershipError(error) || !error.action?.includes('{base}')) return error
  const { code, message, retryAfterSeconds, extensions } = error
  return new MembershipError(code, message, {
    action: error.action.replaceAll('{base}', base),
    retryAfterSeconds,
    extensions,
    cause: error,
  })
}

/** Builds an answer for this request only. */
export function json(status: number, body: object): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, no-store' },
    body: JSON.stringify(body),
  }
}

/** Adds where the result is, or will be. */
export function withLocation(answer: Answer, location: string, isRunning: boolean): Answer {
  return {
    ...answer,
    headers: { ...answer.headers, Location: location, ...(isRunning ? { 'Retry-After': '2' } : {}) },
  }
}

/** Reads a query parameter that may occur once. @throws ERR_PARAMETER */
export function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new MembershipError('ERR_PARAMETER', `The query parameter "${name}" was given more than once.`, {
    action: `Send ${name} once; percent-encode what stands in it.`,
  })
}

/** Reads `expand`. @throws ERR_PARAMETER */
export function expandOf(ctx: Context): boolean {
  const value = queryValue(ctx, 'expand')
  if (value === undefined) return false
  if (value === '1') return true
  throw new MembershipError('ERR_PARAMETER', `The query parameter "expand" is "${value.slice(0, 50)}".`, {
    action: 'Send expand=1, or leave it out.',
  })
}

const firstPage: Page = { expand: false, limit: maxPage, cursor: null, status: null }

/** Reads which page of a list is wanted. @throws ERR_PARAMETER */
export function pageOf(ctx: Context): Page {
  if (ctx.querystring === '') return firstPage
  const limit = queryValue(ctx, 'limit') ?? String(maxPage)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxPage)
    throw new MembershipError('ERR_PARAMETER', `The query parameter "limit" is "${limit.slice(0, 50)}".`, {
      action: `Send a whole number from 1 to ${maxPage}, or leave it out.`,
    })
  return {
    expand: expandOf(ctx),
    limit: Number(limit),
    cursor: queryValue(ctx, 'cursor') ?? null,
    status: statusOf(ctx),
  }
}

function statusOf(ctx: Context): ReportStatus | null {
  const value = queryValue(ctx, 'status')
  if (value === undefined) return null
  const known = reportStatuses.find((status) => status === value)
  if (known) return known
  throw new MembershipError('ERR_PARAMETER', `The query parameter "status" is "${value.slice(0, 50)}".`, {
    action: `Send one of ${reportStatuses.join(', ')}, or leave it out.`,
  })
}

/** Returns true if the caller prefers not to wait. Source: RFC 7240, section 4.1. */
export function prefersAsync(ctx: Context): boolean {
  return ctx
    .get('Prefer')
    .split(/[,;]/)
    .some((part) => part.trim().toLowerCase() === 'respond-async')
}
