import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { type ErrorPage, problems } from '../../core/http/problems.ts'
import { access, type Route } from '../../core/http/route-access.ts'
import type { Log } from '../../core/log.ts'
import type { Render } from '../../core/pages/index.ts'
import type { CourtesyDeps } from './courtesy.ts'

/**
 * `/membership/unsubscribe/{token}`. A mail program sends the POST without cookies and origin
 * (https://www.rfc-editor.org/rfc/rfc8058#section-3.2), so the link alone authorises it. It only turns off optional
 * mails. A GET changes nothing, because mail programs check links beforehand.
 */
export function courtesyRouter(deps: {
  courtesy: CourtesyDeps
  limit: Middleware
  render: Render
  pageData: (ctx: Context) => Promise<Record<string, unknown>>
  errorPage?: ErrorPage
  log: Log
}) {
  const { courtesy, limit } = deps
  const router = new Router()
  const path = '/membership/unsubscribe/:token'
  const answer = problems(deps.log, deps.errorPage)

  const unshared: Middleware = async (ctx, next) => {
    ctx.set({ 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' })
    await next()
  }
  const tokenOf = (ctx: Context): string => String((ctx as { params?: { token?: string } }).params?.token)
  const show = async (ctx: Context, state: 'asked' | 'off' | 'on'): Promise<void> => {
    ctx.type = 'html'
    ctx.body = deps.render('shop/unsubscribe', { ...(await deps.pageData(ctx)), state, action: ctx.path })
  }

  router.get(path, answer, limit, unshared, async (ctx) => {
    if (!(await courtesy.isLink(tokenOf(ctx)))) throw spent()
    await show(ctx, 'asked')
  })
  router.post(path, answer, limit, unshared, async (ctx) => {
    // The body is the same for every sender, so it is not read.
    ctx.req.resume()
    // Only our own page adds `back`. A mail program uses the address as it is in the mail.
    const isBack = ctx.query.back === '1'
    const isDone = await (isBack ? courtesy.switchOn : courtesy.switchOff)(tokenOf(ctx))
    if (!isDone) throw spent()
    await show(ctx, isBack ? 'on' : 'off')
  })
  const listing: readonly Route[] = ['GET', 'POST'].map((method) => ({ method, path, access: access.holder }))
  return Object.assign(router.routes() as unknown as Middleware, { listing })
}

function spent(): MembershipError {
  return new MembershipError('ERR_LINK', 'This link is no longer good: it is too old, or incomplete.', {
    action: 'Open the link of a newer mail.',
  })
}
