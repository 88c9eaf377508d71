import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { wantsJson } from './forms.ts'
import { problems } from './problems.ts'
import { refuse, tooSlow, webhookBodyLimits } from './raw-body.ts'

export interface FormTools {
  /** Counts the request against its address. @throws ERR_RATE_LIMIT */
  readonly limit: Middleware
  /** @throws ERR_CSRF */
  readonly checkForm: (ctx: Context, token: unknown) => void
  readonly log: Log
}

/** A form, or JSON, that was sent by a page of this site. */
export interface FormRequest {
  readonly ctx: Context
  readonly fields: Readonly<Record<string, unknown>>
  /** A field's text without surrounding space; null when it is absent or empty, cut at `max` characters. */
  text(name: string, max?: number): string | null
  param(name: string): string
}

/** What programs are answered, and where people are sent. */
export interface FormAnswer {
  readonly status?: number
  readonly json: unknown
  /** Where a browser goes on; null where it is shown what `ctx.body` holds already. */
  readonly redirect: string | null
}

/** Routes whose forms are limited, made for this browser, and answered as JSON or by going on. */
export const createFormRouter = ({ limit, checkForm, log }: FormTools) => {
  const router = new Router()
  const answer = problems(log)
  const body = koaBody({ text: false, formLimit: '64kb', jsonLimit: '64kb', onError: refuseBody })

  const unshared: Middleware = async (ctx, next) => {
    ctx.set('Cache-Control', 'private, no-store')
    await next()
  }

  const post = (path: string, handle: (request: FormRequest) => Promise<FormAnswer>): void => {
    router.post(path, answer, limit, unshared, inTime(body), async (ctx: Context) => {
      const fields = (ctx.request.body ?? {}) as Record<string, unknown>
      checkForm(ctx, fields.token)
      const { status = 200, json, redirect } = await handle(toRequest(ctx, fields))
      if (wantsJson(ctx) || redirect === null) {
        if (ctx.body !== undefined && !wantsJson(ctx)) return
        ctx.status = status
        ctx.body = json
        return
      }
      ctx.redirect(redirect)
      ctx.status = 303
    })
  }

  /** `counted` takes the place of the limit by address. */
  const get = (path: string, handle: (ctx: Context) => Promise<void>, counted = limit): void => {
    router.get(path, answer, counted, unshared, handle)
  }
  return { post, get, routes: () => router.routes() as unknown as Middleware }
}

/** The parser, for as long as a body may take: a form that does not come is answered. */
const inTime =
  (parser: Middleware): Middleware =>
  async (ctx, next) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, failed) => {
      timer = setTimeout(() => failed(tooSlow(milliseconds)), milliseconds)
    })
    try {
      await Promise.race([parser(ctx, async () => undefined), late])
    } catch (error) {
      await refuse(ctx.req, error)
    } finally {
      clearTimeout(timer)
    }
    await next()
  }
const { milliseconds } = webhookBodyLimits

/** A parameter of the route's path. */
export const paramOf = (ctx: Context, name: string): string =>
  (ctx as unknown as { params: Record<string, string | undefined> }).params[name] ?? ''

const toRequest = (ctx: Context, fields: Record<string, unknown>): FormRequest => ({
  ctx,
  fields,
  text: (name, max = 200) => {
    const value = fields[name]
    const trimmed = typeof value === 'string' ? value.trim().slice(0, max) : ''
    return trimmed === '' ? null : trimmed
  },
  param: (name) => paramOf(ctx, name),
})

const refuseBody = (error: Error): never => {
  const isLarge = 'status' in error && error.status === 413
  throw new MembershipError(
    isLarge ? 'ERR_BODY_TOO_LARGE' : 'ERR_FORM',
    isLarge ? 'The form is larger than 64 kB.' : 'The form cannot be read.',
    {
      action: 'Send it as application/x-www-form-urlencoded or application/json.',
      cause: error,
    },
  )
}
