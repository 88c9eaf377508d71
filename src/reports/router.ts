import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { problems } from '../core/http/problems.ts'
import { createBodyReader, type Parsed } from '../core/http/raw-body.ts'
import type { Log } from '../core/log.ts'
import type { Render } from '../core/pages/index.ts'
import { includesTag } from './answers/ready.ts'
import type { Pictures } from './entries/pictures.ts'
import type { Requests } from './entries/requests.ts'
import {
  answerTogether,
  createExchange,
  type ExchangeDeps,
  expandOf,
  json,
  letAnswerAlone,
  pageOf,
  prefersAsync,
  queryValue,
  withAddress,
  withLocation,
} from './exchange.ts'
import type { Imports } from './imports.ts'
import { type Notices, toAtom } from './notices.ts'
import { type Images, previewHeaders, type Uploads } from './preview/index.ts'
import { type RelinkRequests, toRelinkRequest } from './relink-requests.ts'

export interface ReportsRouterDeps extends ExchangeDeps {
  readonly requests: Requests
  readonly pictures: Pictures
  readonly imports: Imports
  readonly notices: Notices
  readonly relinkRequests: RelinkRequests
  readonly uploads: Uploads
  readonly images: Images
  /** Builds the OpenAPI document for an address. */
  readonly document: (base: string) => object
  readonly render: Render
  readonly waitMs: number
  readonly log: Log
}

/** Builds the partner API below `/reports`. */
export function reportsRoutes(deps: ReportsRouterDeps): Middleware {
  const exchange = createExchange(deps)
  const { baseOf } = exchange
  const router = new Router()
  addCollection(router, deps, exchange)
  addImportRoutes(router, deps, exchange)
  addRelinkRoutes(router, deps, exchange)
  addRelinkRequestRoutes(router, deps, exchange)
  addNoticeRoutes(router, deps, exchange)
  addDocumentRoutes(router, deps, exchange)
  addPreviewRoutes(router, deps)
  addWebsiteRoutes(router, deps, exchange)
  router.all('/reports/{*rest}', () => {
    throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.', {
      action: 'Every address: {base}/reports/docs',
    })
  })

  const answer = problems(deps.log)
  const rest = router.routes() as unknown as Middleware
  return (ctx, next) => {
    const { path } = ctx
    if (path !== '/reports' && !path.startsWith('/reports/')) return next()
    // The most frequent request bypasses the router, which costs as much as the rest together.
    const isList =
      (path === '/reports' || path === '/reports/') && (ctx.method === 'GET' || ctx.method === 'HEAD')
    if (isList && (ctx.app.context as { answersAlone?: boolean }).answersAlone) letAnswerAlone(ctx)
    const work = async () => (isList ? sendList(ctx, deps, exchange) : rest(ctx, next))
    return answer(ctx, () =>
      work().catch((error: unknown) => {
        answerTogether(ctx)
        throw withAddress(error, baseOf(ctx))
      }),
    )
  }
}

type Exchange = ReturnType<typeof createExchange>

async function sendList(
  ctx: Context,
  { ready }: ReportsRouterDeps,
  { callerOf, sendReady, baseOf }: Exchange,
): Promise<void> {
  const caller = await callerOf(ctx, 'read')
  await sendReady(ctx, caller, () => ready.list(caller, pageOf(ctx), baseOf(ctx)))
}

/** Adds the route that adds a website. The list of websites is answered before any router. */
function addCollection(router: Router, deps: ReportsRouterDeps, exchange: Exchange): void {
  const { baseOf, callerOf, count, itemAnswer, sendOnce } = exchange
  router.post('/reports', async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'visits', caller)
    const url = queryValue(ctx, 'url')
    if (url === undefined)
      throw new MembershipError('ERR_PARAMETER', 'The query parameter "url" is missing.', {
        action: `curl -X POST -G {base}/reports --data-urlencode url=https://example.com -H "X-API-KEY: $KEY"`,
      })
    await sendOnce(ctx, caller, Buffer.alloc(0), async () => {
      const waitMs = prefersAsync(ctx) ? 0 : deps.waitMs
      const { entry, isNew, isRunning } = await deps.requests.add(caller, url, { waitMs })
      const { id } = entry.row
      const answer = await itemAnswer(ctx, caller, id, isRunning ? 202 : isNew ? 201 : 200)
      return withLocation(answer, `${baseOf(ctx)}/reports/${id}`, isRunning)
    })
  })

  router.all('/reports', refuseMethod('GET, HEAD, POST'))
}

/** Adds the routes of address lists, which are visited one after the other. */
function addImportRoutes(router: Router, { imports }: ReportsRouterDeps, exchange: Exchange): void {
  const { baseOf, callerOf, count, send, sendOnce } = exchange
  const texts = createBodyReader({ bytes: 262_144, bytesInFlight: 8_388_608, milliseconds: 10_000 })

  router.post('/reports/imports', async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'visits', caller)
    const body = await texts.read(ctx.req, caller.keyId, ctx.request as Parsed)
    await sendOnce(ctx, caller, body, async () => {
      const id = await imports.begin(caller, body.toString('utf8'))
      const answer = json(202, await imports.read(caller, id))
      return withLocation(answer, `${baseOf(ctx)}/reports/imports/${id}`, true)
    })
  })

  router.all('/reports/imports', refuseMethod('POST'))

  router.get('/reports/imports/:id', async (ctx) => {
    const caller = await callerOf(ctx, 'read')
    await count(ctx, 'default', caller)
    send(ctx, json(200, await imports.read(caller, ctx.params.id ?? '')))
  })

  router.all('/reports/imports/:id', refuseMethod('GET, HEAD'))
}

/** Adds requests for websites that are already in the index, and objections to them. */
function addRelinkRoutes(router: Router, { relinkRequests }: ReportsRouterDeps, exchange: Exchange): void {
  const { baseOf, callerOf, count, send, sendOnce } = exchange
  const path = '/reports/relink-requests'

  router.get(path, async (ctx) => {
    const caller = await callerOf(ctx, 'read')
    await count(ctx, 'default', caller)
    const rows = await relinkRequests.list(caller.partnerId)
    send(ctx, json(200, { data: rows.map((row) => toRelinkRequest(row, caller.partnerId)) }))
  })

  router.post(path, async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'visits', caller)
    const url = queryValue(ctx, 'url')
    if (url === undefined)
      throw new MembershipError('ERR_PARAMETER', 'The query parameter "url" is missing.', {
        action: `curl -X POST -G {base}${path} --data-urlencode url=https://example.com -H "X-API-KEY: $KEY"`,
      })
    await sendOnce(ctx, caller, Buffer.alloc(0), async () => {
      const { row, isNew } = await relinkRequests.create(caller, url)
      const answer = json(isNew ? 201 : 200, { data: toRelinkRequest(row, caller.partnerId) })
      return withLocation(answer, `${baseOf(ctx)}${path}/${row.id}`, false)
    })
  })

  router.all(path, refuseMethod('GET, HEAD, POST'))
}

/** Adds the routes of one relink request: read, prove, withdraw, object. */
function addRelinkRequestRoutes(
  router: Router,
  { relinkRequests }: ReportsRouterDeps,
  { callerOf, count, send }: Exchange,
): void {
  const path = '/reports/relink-requests'

  router.get(`${path}/:id`, async (ctx) => {
    const caller = await callerOf(ctx, 'read')
    await count(ctx, 'default', caller)
    const row = await relinkRequests.find(caller.partnerId, ctx.params.id ?? '')
    send(ctx, json(200, { data: toRelinkRequest(row, caller.partnerId) }))
  })

  router.patch(`${path}/:id`, async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'visits', caller)
    const row = await relinkRequests.check(caller, ctx.params.id ?? '')
    send(ctx, json(200, { data: toRelinkRequest(row, caller.partnerId) }))
  })

  router.delete(`${path}/:id`, async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'default', caller)
    await relinkRequests.withdraw(caller, ctx.params.id ?? '')
    ctx.status = 204
  })

  router.all(`${path}/:id`, refuseMethod('GET, HEAD, PATCH, DELETE'))

  router.post(`${path}/:id/objection`, async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'default', caller)
    const reason = queryValue(ctx, 'reason')?.slice(0, 500) ?? null
    const row = await relinkRequests.object(caller, ctx.params.id ?? '', reason)
    send(ctx, json(200, { data: toRelinkRequest(row, caller.partnerId) }))
  })

  router.all(`${path}/:id/objection`, refuseMethod('POST'))
}

/** Adds notices to partners, as JSON or as an Atom feed. */
function addNoticeRoutes(router: Router, { notices }: ReportsRouterDeps, exchange: Exchange): void {
  const { baseOf, callerOf, count, send } = exchange
  router.get('/reports/notices', async (ctx) => {
    const caller = await callerOf(ctx, 'read')
    await count(ctx, 'default', caller)
    const format = queryValue(ctx, 'format') ?? 'json'
    if (format !== 'json' && format !== 'atom')
      throw new MembershipError(
        'ERR_PARAMETER',
        `The query parameter "format" is "${format.slice(0, 50)}".`,
        {
          action: 'Send json or atom, or leave it out.',
        },
      )
    const page = await notices.list(caller.partnerId, queryValue(ctx, 'cursor') ?? null, baseOf(ctx))
    const answer = json(200, page)
    if (format === 'json') return send(ctx, answer)
    const headers = { ...answer.headers, 'Content-Type': 'application/atom+xml; charset=utf-8' }
    send(ctx, { status: 200, headers, body: toAtom(page) })
  })
  router.all('/reports/notices', refuseMethod('GET, HEAD'))
}

/** Adds the API's description, for programs and for people. */
function addDocumentRoutes(router: Router, deps: ReportsRouterDeps, { baseOf }: Exchange): void {
  router.get('/reports/openapi.json', (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.body = deps.document(baseOf(ctx))
  })

  router.all('/reports/openapi.json', refuseMethod('GET, HEAD'))

  router.get('/reports/docs', (ctx) => {
    // The page has inline styles, which a host's own policy may not allow.
    ctx.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    )
    ctx.type = 'html'
    ctx.body = deps.render('reports/docs', { document: deps.document(baseOf(ctx)), base: baseOf(ctx) })
  })

  router.all('/reports/docs', refuseMethod('GET, HEAD'))
}

/** Adds the pictures. They are public under random names, because pages of the index show them. */
function addPreviewRoutes(router: Router, { storage, statements }: ReportsRouterDeps): void {
  router.get('/reports/previews/:name', async (ctx) => {
    const id = /^(prv_[\w-]{1,60})\.jpg$/.exec(ctx.params.name ?? '')?.[1]
    const [picture] = id === undefined ? [] : await storage.all(statements.preview, { id })
    if (!picture)
      throw new MembershipError('ERR_NOT_FOUND', 'There is no picture at this address.', {
        action: 'A new picture has a new address: it stands in preview.url of the website.',
      })
    ctx.set(previewHeaders(picture))
    if (includesTag(ctx.get('If-None-Match'), picture.etag)) {
      ctx.status = 304
      return
    }
    ctx.type = 'image/jpeg'
    ctx.body = Buffer.from(picture.bytes)
  })
  router.all('/reports/previews/:name', refuseMethod('GET, HEAD'))
}

/** Adds the routes of one website: read, refresh, set a picture, delete. */
function addWebsiteRoutes(router: Router, deps: ReportsRouterDeps, exchange: Exchange): void {
  const { ready, requests, pictures, uploads, images } = deps
  const { baseOf, callerOf, count, sendReady, itemAnswer, send, sendOnce, ifMatchOf } = exchange

  router.get('/reports/:id', async (ctx) => {
    const caller = await callerOf(ctx, 'read')
    await sendReady(ctx, caller, () => ready.item(caller, ctx.params.id ?? '', expandOf(ctx), baseOf(ctx)))
  })

  router.patch('/reports/:id', async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'visits', caller)
    const id = ctx.params.id ?? ''
    const waitMs = prefersAsync(ctx) ? 0 : deps.waitMs
    const { entry, isRunning } = await requests.refresh(caller, id, { ifMatch: ifMatchOf(ctx), waitMs })
    const answer = await itemAnswer(ctx, caller, entry.row.id, isRunning ? 202 : 200)
    send(ctx, isRunning ? withLocation(answer, `${baseOf(ctx)}/reports/${id}`, true) : answer)
  })

  router.post('/reports/:id', async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'default', caller)
    const id = ctx.params.id ?? ''
    await requests.own(caller, id)
    const file = await uploads.read(ctx.req, caller.keyId, ctx.request as Parsed)
    await sendOnce(ctx, caller, file, async () => {
      await pictures.setPreview(caller, id, await images.toPreview(file, caller.partnerId), ifMatchOf(ctx))
      return itemAnswer(ctx, caller, id, 200)
    })
  })

  router.delete('/reports/:id', async (ctx) => {
    const caller = await callerOf(ctx, 'write')
    await count(ctx, 'default', caller)
    await requests.remove(caller, ctx.params.id ?? '', ifMatchOf(ctx))
    ctx.status = 204
  })

  router.all('/reports/:id', refuseMethod('GET, HEAD, POST, PATCH, DELETE'))
}

function refuseMethod(allow: string) {
  return (ctx: Context) => {
    ctx.set('Allow', allow)
    throw new MembershipError('ERR_METHOD', `${ctx.method} is not understood here.`, {
      action: `Use ${allow}.`,
    })
  }
}
