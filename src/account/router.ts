import type { Context } from 'koa'
import { MembershipError } from '../errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../http/form-router.ts'
import { localPath } from '../http/forms.ts'
import type { Sessions, User, View } from '../members/index.ts'
import type { Render } from '../pages/index.ts'
import type { Deletions } from './deletion.ts'
import type { EmailChanges } from './email-change.ts'
import type { ExportOf } from './export.ts'
import type { SelfService } from './self-service.ts'

export interface AccountRouterDeps extends FormTools {
  readonly selfService: SelfService
  readonly emailChanges: EmailChanges
  readonly exportOf: ExportOf
  readonly deletions: Deletions
  readonly sessions: Sessions
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly pushCustomer: (user: User, data: { name?: string | null; email?: string }) => Promise<void>
  readonly render: Render
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
}

// Fields of the form itself, whatever the blueprint says.
const ownFields = new Set(['token', 'redirect', 'shown'])

/** `POST /membership/account`, its export and its deletion, and the link that confirms another address. */
export const accountRouter = (deps: AccountRouterDeps) => {
  const { selfService, emailChanges, exportOf, deletions, sessions, viewOf } = deps
  const router = createFormRouter(deps)

  const memberOf = async (ctx: Context): Promise<User> => {
    const user = (await viewOf(ctx)).user()
    if (user) return user
    throw new MembershipError('ERR_LOGIN_REQUIRED', 'Please log in first.', {
      action: 'POST /membership/login with your e-mail address.',
    })
  }

  router.post('/membership/account', async ({ ctx, fields }) => {
    const redirect = localPath(fields.redirect, '/account')
    const user = await memberOf(ctx)
    const input = Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.has(name)))
    const updated = await selfService.update(user, input, { shown: listOf(fields.shown) })
    if (updated.customer.name !== undefined) await deps.pushCustomer(user, updated.customer)
    if (updated.emailChange) await emailChanges.ask(user, updated.emailChange)
    const { changed, emailChange } = updated
    return {
      json: { changed, email_change: emailChange && { to: emailChange.to, status: 'sent' } },
      redirect,
    }
  })

  router.get('/membership/account/email/:token', async (ctx) => {
    const { to } = await emailChanges.look(paramOf(ctx, 'token'))
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.type = 'html'
    ctx.body = deps.render('login/confirm-email', {
      ...(await deps.pageData(ctx)),
      email: to,
      action: ctx.path,
    })
  })

  router.post('/membership/account/email/:token', async (request) => {
    const { user, customer } = await emailChanges.confirm(request.param('token'))
    if (customer.email !== undefined) await deps.pushCustomer(user, customer)
    return { json: { email: user.email }, redirect: '/account' }
  })

  router.get('/membership/account/export', async (ctx) => {
    const user = await memberOf(ctx)
    const exported = await exportOf(user)
    ctx.set('Content-Disposition', 'attachment; filename="account.json"')
    ctx.body = JSON.stringify(exported, null, 2)
    ctx.type = 'json'
  })

  router.post('/membership/account/delete', async (request) => {
    const { ctx } = request
    const redirect = localPath(request.fields.redirect, '/')
    const user = await memberOf(ctx)
    if (request.text('confirm') !== 'delete')
      throw new MembershipError('ERR_FORM', 'An account is deleted only when that is said twice.', {
        action: 'Send the field "confirm" with the value "delete".',
      })
    const { done_at, error } = await deletions.request(user.id)
    await sessions.end(ctx)
    const status = done_at === null ? 'begun' : 'deleted'
    return { status: done_at === null ? 202 : 200, json: { status, waits_for: error }, redirect }
  })
  return router.routes()
}

const listOf = (given: unknown): string[] =>
  (Array.isArray(given) ? given : [given]).filter((one): one is string => typeof one === 'string')
