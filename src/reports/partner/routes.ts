import type { Context, Middleware } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import {
  createFormRouter,
  type FormAnswer,
  type FormRequest,
  type FormRouter,
  type FormRoutes,
  paramOf,
} from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import type { RateLimit } from '../../core/http/rate-limit.ts'
import type { Parsed } from '../../core/http/raw-body.ts'
import { access } from '../../core/http/route-access.ts'
import type { Log } from '../../core/log.ts'
import type { ReadyAnswers } from '../answers/ready.ts'
import type { Pictures } from '../entries/pictures.ts'
import type { Requests } from '../entries/requests.ts'
import type { Caller } from '../keys/keys.ts'
import type { Images, Uploads } from '../preview/index.ts'
import { type Report, type ReportStatus, reportStatuses } from '../schemas.ts'
import type { PartnerPages } from './pages.ts'
import type { PartnerSessions } from './sessions.ts'

/** Path of the partners' pages. */
export const partnerHome = '/partner'

/** Dependencies of the partners' routes: the API's answers and its requests. */
export interface PartnerRoutesDeps {
  readonly sessions: PartnerSessions
  readonly pages: PartnerPages
  readonly ready: Pick<ReadyAnswers, 'list' | 'item'>
  readonly requests: Pick<Requests, 'own'>
  readonly pictures: Pick<Pictures, 'setPreview'>
  readonly uploads: Pick<Uploads, 'form'>
  readonly images: Pick<Images, 'toPreview'>
  /** Counts each request against its address. */
  readonly limit: Middleware
  /** Limit per key and minute, shared with the API. */
  readonly perKey: RateLimit
  readonly log: Log
}

const pageSize = 60

/** Pages for a partner's own websites: the wall, the list to copy, and each website's picture. */
export function partnerRoutes(deps: PartnerRoutesDeps): FormRoutes {
  const { sessions, pages, perKey } = deps
  const router = createFormRouter({
    limit: deps.limit,
    log: deps.log,
    checkForm: sessions.checkForm,
    authenticationOf: async () => 'none',
    errorPage: async (ctx, { code, detail }) => {
      const { status } = ctx
      pages.show(ctx, 'problem', { problem: { code, message: detail }, isInside: false })
      ctx.status = status
    },
  })

  /**
   * Returns the session's partner; null after a redirect to the login.
   * @throws ERR_LOGIN_REQUIRED, ERR_RATE_LIMIT
   */
  const insider = async (ctx: Context): Promise<Caller | null> => {
    const caller = await sessions.find(ctx)
    if (caller !== null) {
      await perKey.consume(caller.keyId)
      return caller
    }
    if (ctx.method !== 'GET' || wantsJson(ctx)) throw keyRequired()
    ctx.redirect(`${partnerHome}/login`)
    ctx.status = 303
    return null
  }

  const page: Page = (path, handle) =>
    router.get(`${partnerHome}${path}`, access.partnerPage, async (ctx) => {
      try {
        const caller = await insider(ctx)
        if (caller !== null) await handle(ctx, caller)
      } catch (error) {
        pages.fail(ctx, error)
      }
    })

  doorRoutes(router, deps)
  websitePages(page, deps)
  pictureRoute(router, deps, insider)
  return router.routes()
}

type Page = (path: string, handle: (ctx: Context, caller: Caller) => Promise<void>) => void

/** Routes of login with a key, and logout. */
function doorRoutes(router: FormRouter, { sessions, pages }: PartnerRoutesDeps): void {
  router.get(`${partnerHome}/login`, access.partnerAccess, async (ctx) => {
    if ((await sessions.find(ctx)) === null) pages.show(ctx, 'login', { isInside: false })
    else ctx.redirect(partnerHome)
  })

  router.post(`${partnerHome}/login`, access.partnerAccess, async (form) => {
    try {
      await sessions.open(form.ctx, form.text('key'))
      return { json: { status: 'open' }, redirect: partnerHome }
    } catch (error) {
      pages.fail(form.ctx, error, 'login', { isInside: false })
      return { json: null, redirect: null }
    }
  })

  router.post(`${partnerHome}/leave`, access.partnerPage, async ({ ctx }) => {
    await sessions.end(ctx)
    return { json: { status: 'left' }, redirect: `${partnerHome}/login` }
  })
}

function websitePages(page: Page, { pages, ready }: PartnerRoutesDeps): void {
  const { listed, addresses, website } = createOwnWebsites(ready)

  page('', async (ctx, caller) => {
    const status = statusOf(ctx)
    const input = { status, cursor: textOf(ctx.query.cursor), limit: pageSize }
    const { data, cursor } = await listed(caller, input)
    pages.show(ctx, 'wall', {
      rows: data,
      status,
      statuses: reportStatuses,
      next:
        cursor === null
          ? null
          : `${partnerHome}?${new URLSearchParams({ ...(status === null ? {} : { status }), cursor })}`,
    })
  })

  page('/list', async (ctx, caller) => {
    const status = statusOf(ctx)
    const rows = await addresses(caller, status)
    pages.show(ctx, 'list', { rows, status, statuses: reportStatuses, isCut: rows.length === mostListed })
  })

  page('/list.txt', async (ctx, caller) => {
    ctx.set({ 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' })
    ctx.set('Content-Disposition', 'attachment; filename="websites.txt"')
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = (await addresses(caller, statusOf(ctx))).map((url) => `${url}\n`).join('')
  })

  page('/websites/:id', async (ctx, caller) => {
    const shown = await website(caller, paramOf(ctx, 'id'))
    const mayWrite = caller.scopes.includes('write')
    pages.show(ctx, 'website', { w: shown, mayWrite, isDone: ctx.query.done === 'picture' })
  })
}

/** Route that uploads a partner's own picture for one website. */
function pictureRoute(
  router: FormRouter,
  { sessions, pages, requests, pictures, uploads, images }: PartnerRoutesDeps,
  insider: (ctx: Context) => Promise<Caller | null>,
): void {
  /** Refuses requests without a session, and those from other sites' pages, before it reads the picture. */
  const readUpload: Middleware = async (given, next) => {
    const ctx = given as Context
    sessions.refuseForeign(ctx)
    const caller = await sessions.find(ctx)
    if (caller === null) throw keyRequired()
    const { file, fields } = await uploads.form(ctx.req, caller.keyId, ctx.request as Parsed)
    ;(ctx.request as { body?: unknown }).body = { ...fields, preview: file }
    await next()
  }

  const take = async ({ ctx, fields }: FormRequest): Promise<FormAnswer> => {
    const id = paramOf(ctx, 'id')
    const back = `${partnerHome}/websites/${encodeURIComponent(id)}`
    const caller = await insider(ctx)
    if (caller === null) throw keyRequired()
    try {
      if (!caller.scopes.includes('write'))
        throw new MembershipError('ERR_SCOPE', 'This key may only read.', {
          action: 'Ask the operator for a key that may write.',
        })
      await requests.own(caller, id)
      const picture = await images.toPreview(fields.preview as Buffer, caller.partnerId)
      await pictures.setPreview(caller, id, picture)
    } catch (error) {
      pages.fail(ctx, error, 'problem', { back })
      return { json: null, redirect: null }
    }
    return { json: { status: 'done' }, redirect: `${back}?done=picture` }
  }

  router.post(`${partnerHome}/websites/:id/picture`, access.partnerPage, take, readUpload)
}

function keyRequired(): MembershipError {
  return new MembershipError('ERR_LOGIN_REQUIRED', 'Show your API key first.', {
    action: `Open ${partnerHome}/login in a browser. Programs use the API with X-API-KEY.`,
  })
}

function textOf(given: unknown): string | null {
  return typeof given === 'string' && given !== '' ? given.slice(0, 500) : null
}

function statusOf(ctx: Context): ReportStatus | null {
  return reportStatuses.find((status) => status === ctx.query.status) ?? null
}

/** Most addresses in the list to copy. */
const mostListed = 10_000

/** Reads the API's own answers for the partner's pages, so that both show the same. */
function createOwnWebsites(ready: Pick<ReadyAnswers, 'list' | 'item'>) {
  /** Returns one page of websites, and the cursor of the next. */
  const listed = async (
    caller: Caller,
    { limit, ...input }: { status: ReportStatus | null; cursor: string | null; limit: number },
  ) => {
    const { bytes, next } = await ready.list(caller, { expand: false, limit, ...input }, '')
    const { data } = JSON.parse(bytes.toString('utf8')) as { data: Report[] }
    const cursor = next === null ? null : new URL(next, 'http://index.invalid').searchParams.get('cursor')
    return { data, cursor }
  }

  /** Returns the addresses of all websites, at most {@link mostListed}. */
  const addresses = async (caller: Caller, status: ReportStatus | null): Promise<string[]> => {
    const found: string[] = []
    for (let cursor: string | null = null; ; ) {
      const some = await listed(caller, { status, cursor, limit: 100 })
      found.push(...some.data.map(({ url }) => url))
      if (some.cursor === null || found.length >= mostListed) return found.slice(0, mostListed)
      cursor = some.cursor
    }
  }

  /** @throws ERR_NOT_FOUND, also for another partner's website */
  const website = async (caller: Caller, id: string): Promise<Report> => {
    const { bytes } = await ready.item(caller, id, true, '')
    return (JSON.parse(bytes.toString('utf8')) as { data: Report }).data
  }

  return { listed, addresses, website }
}
