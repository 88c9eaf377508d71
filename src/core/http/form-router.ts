import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { formBody } from './form-body.ts'
import { wantsJson, wantsPage } from './forms.ts'
import { type ErrorPage, problems } from './problems.ts'
import { isConsumed, refuse, tooSlow, webhookBodyLimits } from './raw-body.ts'
import { type Access, type Authentication, mayDo, type Route, requireAuthentication } from './route-access.ts'

/** The checks of every form route. */
export interface FormTools {
  /**
   * Counts the request for its address.
   * @throws ERR_RATE_LIMIT
   */
  readonly limit: Middleware
  /** @throws ERR_CSRF */
  readonly checkForm: (ctx: Context, token: unknown) => void
  /** The visitor's current authentication. */
  readonly authenticationOf: (ctx: Context) => Promise<Authentication>
  /** Shows an error to browsers. Without it, browsers get the same answer as programs. */
  readonly errorPage?: ErrorPage
  readonly log: Log
}

/** A form, or JSON, sent by a page of this site. */
export interface FormRequest {
  readonly ctx: Context
  readonly fields: Readonly<Record<string, unknown>>
  /** A field's trimmed text; null when it is absent or empty. Text beyond `max` characters is cut off. */
  text(name: string, max?: number): string | null
  param(name: string): string
}

/** The answer to programs, and the page for people. */
export interface FormAnswer {
  readonly status?: number
  readonly json: unknown
  /** The next page of a browser; null if `ctx.body` already has the answer. */
  readonly redirect: string | null
}

export interface FormRouter {
  /** `read` replaces the form parser and sets `ctx.request.body`. */
  post(
    path: string,
    access: Access,
    handle: (request: FormRequest) => Promise<FormAnswer>,
    read?: Middleware,
  ): void
  /** `counted` replaces the limit by address. */
  get(path: string, access: Access, handle: (ctx: Context) => Promise<void>, counted?: Middleware): void
  /** A page for people. Where a login is required, they are asked for it and return to the page. */
  page(path: string, access: Access, handle: (ctx: Context) => Promise<void>): void
  routes(): FormRoutes
}

/** Routes whose forms are rate-limited, bound to this browser, and answered with JSON or a redirect. */
export function createFormRouter({
  limit,
  checkForm,
  authenticationOf,
  errorPage,
  log,
}: FormTools): FormRouter {
  const router = new Router()
  const listing: Route[] = []
  const answer = problems(log, errorPage)
  const ours = unlessParsed(
    inTime(formBody({ text: false, formLimit: '64kb', jsonLimit: '64kb', onError: refuseBody })),
  )

  const unshared: Middleware = async (ctx, next) => {
    ctx.set('Cache-Control', 'private, no-store')
    await next()
  }

  // Runs first, so that a route's access holds whatever its handler does.
  const guard =
    ({ needs }: Access): Middleware =>
    async (ctx, next) => {
      if (needs !== 'none') requireAuthentication(needs, await authenticationOf(ctx as Context))
      await next()
    }

  // A visitor who opened a page is asked to log in, and returns to it.
  const guardPage =
    ({ needs }: Access): Middleware =>
    async (ctx, next) => {
      const authentication = needs === 'none' ? needs : await authenticationOf(ctx as Context)
      if (mayDo(needs, authentication)) return next()
      if (!wantsPage(ctx as Context)) return requireAuthentication(needs, authentication)
      ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.url })}`)
      ctx.status = 303
    }

  const post = (
    path: string,
    access: Access,
    handle: (request: FormRequest) => Promise<FormAnswer>,
    read: Middleware = ours,
  ): void => {
    listing.push({ method: 'POST', path, access })
    const isForm = read === ours
    const check: Middleware = async (ctx, next) => {
      if (isForm) refuseOtherTypes(ctx as Context)
      checkForm(ctx as Context, fieldsOf(ctx as Context).token)
      await next()
    }
    router.post(path, answer, limit, unshared, read, check, guard(access), async (ctx: Context) => {
      const fields = fieldsOf(ctx)
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

  const open = (
    path: string,
    access: Access,
    handle: (ctx: Context) => Promise<void>,
    { counted, check }: { counted: Middleware; check: Middleware },
  ): void => {
    listing.push({ method: 'GET', path, access })
    router.get(path, answer, counted, unshared, check, handle)
  }

  const get = (
    path: string,
    access: Access,
    handle: (ctx: Context) => Promise<void>,
    counted = limit,
  ): void => {
    open(path, access, handle, { counted, check: guard(access) })
  }

  const page = (path: string, access: Access, handle: (ctx: Context) => Promise<void>): void =>
    open(path, access, handle, { counted: limit, check: guardPage(access) })

  const routes = (): FormRoutes => Object.assign(router.routes() as unknown as Middleware, { listing })
  return { post, get, page, routes }
}

/** The routes as middleware, with the access of each. */
export type FormRoutes = Middleware & { readonly listing: readonly Route[] }

function fieldsOf(ctx: Context): Record<string, unknown> {
  return (ctx.request.body ?? {}) as Record<string, unknown>
}

/**
 * Takes the fields from a parser of the host that read the form before.
 * @throws ERR_BODY_CONSUMED where that parser kept none
 */
function unlessParsed(parser: Middleware): Middleware {
  return async (ctx, next) => {
    if (!isConsumed(ctx.req)) return parser(ctx, next)
    const { body = (ctx.req as { body?: unknown }).body } = ctx.request as { body?: unknown }
    if (typeof body !== 'object' || body === null)
      throw new MembershipError(
        'ERR_BODY_CONSUMED',
        'A body parser read this form and kept no fields of it.',
        {
          action:
            'Mount membership above every body parser. Koa: app.use(m.koa()) above app.use(koaBody()). Express: app.use(m.listener()) above express.json().',
        },
      )
    Object.assign(ctx.request, { body })
    await next()
  }
}

/** Limits the parser's time: a form that never arrives gets an answer. */
function inTime(parser: Middleware): Middleware {
  return async (ctx, next) => {
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
}
const { milliseconds } = webhookBodyLimits

/** A parameter of the route's path. */
export function paramOf(ctx: Context, name: string): string {
  return (ctx as unknown as { params: Record<string, string | undefined> }).params[name] ?? ''
}

function toRequest(ctx: Context, fields: Record<string, unknown>): FormRequest {
  return {
    ctx,
    fields,
    text: (name, max = 200) => {
      const value = fields[name]
      const trimmed = typeof value === 'string' ? value.trim().slice(0, max) : ''
      return trimmed === '' ? null : trimmed
    },
    param: (name) => paramOf(ctx, name),
  }
}

/** Reads a page's query as if a form had sent it. */
export function queryOf(ctx: Context): FormRequest {
  return toRequest(ctx, { ...ctx.query })
}

/**
 * Rejects a content type without form fields by name. Otherwise the error would be a missing token.
 * @throws ERR_FORM
 */
function refuseOtherTypes(ctx: Context): void {
  if (ctx.is('urlencoded', 'json', '+json') !== false) return
  const type = ctx.get('Content-Type').split(';')[0]!.trim().slice(0, 100) || 'no content type'
  throw new MembershipError('ERR_FORM', `A form cannot be read from ${type}.`, { action: asForm })
}
const asForm = 'Send it as application/x-www-form-urlencoded or application/json.'

function refuseBody(error: Error): never {
  const isLarge = 'status' in error && error.status === 413
  throw new MembershipError(
    isLarge ? 'ERR_BODY_TOO_LARGE' : 'ERR_FORM',
    isLarge ? 'The form is larger than 64 kB.' : 'The form cannot be read.',
    {
      action: asForm,
      cause: error,
    },
  )
}
