import type { Context } from 'koa'
import type { Tax } from '../../core/config/europe.ts'
import type { InvoiceSheet, Payment } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import {
  createFormRouter,
  type FormRouter,
  type FormRoutes,
  type FormTools,
  paramOf,
} from '../../core/http/form-router.ts'
import { localPath, wantsJson } from '../../core/http/forms.ts'
import { access, unverified } from '../../core/http/route-access.ts'
import type { Step } from '../../core/storage/index.ts'
import { memberIn, type PageTools, type Sessions, type User } from '../members/index.ts'
import { type CompareMember, comparedStatus, compareOnce } from './compare-once.ts'
import type { Deletions } from './deletion.ts'
import type { Asks, EmailChanges, EmailUndo } from './email-change.ts'
import type { ExportOf } from './export.ts'
import { fieldName } from './fields.ts'
import { leavingOf } from './leaving.ts'
import { invoiceOf, receiptOf, type Seller } from './receipt.ts'
import type { SelfService, Updated } from './self-service.ts'

/** The requesting member, and the page shown. */
export interface Asking {
  /** @throws ERR_LOGIN_REQUIRED */
  readonly memberOf: (ctx: Context) => Promise<User>
  readonly asksOf: (ctx: Context) => Promise<Asks>
  readonly show: (ctx: Context, template: string, data: Record<string, unknown>) => Promise<void>
}

/** Helpers shared by all account routes. */
export function askingOf({ viewOf, render, pageData }: PageTools): Asking {
  return {
    memberOf: (ctx) => memberIn(viewOf, ctx),
    asksOf: async (ctx) => {
      const view = await viewOf(ctx)
      return { memberId: view.user()?.id ?? null, isVerified: view.authentication() === 'verified' }
    },
    show: async (ctx, template, data) => {
      // The link must stay within this site. With `no-referrer`, browsers would send the form with a null origin.
      ctx.set('Referrer-Policy', 'same-origin')
      ctx.type = 'html'
      ctx.body = render(template, { ...(await pageData(ctx)), action: ctx.path, ...data })
    },
  }
}

/**
 * Finds something for the requesting member. A person who is not logged in as that member is sent to the login and
 * returns; the result is then null.
 */
export async function orLogin<T extends object>(ctx: Context, find: () => Promise<T>): Promise<T | null> {
  try {
    return await find()
  } catch (error) {
    if (!isMembershipError(error, 'ERR_LOGIN_REQUIRED') || wantsJson(ctx)) throw error
    ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.path })}`)
    return null
  }
}

export interface AccountRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly selfService: SelfService
  readonly emailChanges: EmailChanges
  /** True where the site's own login identifies the member and owns the address. */
  readonly isHosts: (memberId: string) => Promise<boolean>
  /** @throws ERR_NO_MAIL where nothing sends mails */
  readonly requireMails: () => void
  /**
   * Counts a mail to an address that a member typed.
   * @throws ERR_RATE_LIMIT
   */
  readonly countMail: (email: string) => Promise<void>
  readonly compareMember: CompareMember
  /**
   * Counts a comparison of that member.
   * @throws ERR_RATE_LIMIT for a second one within a minute
   */
  readonly countCompared: (memberId: string) => Promise<unknown>
  /** Steps that send a changed name to the providers. */
  readonly updateProviders: (user: User, customer: Updated['customer']) => readonly Step[]
  /** Delivers the queued messages soon. */
  readonly nudge: () => void
}

// The form's own fields, whatever the blueprint says.
const ownFields = new Set(['token', 'redirect', 'shown'])

/** `POST /membership/account`, and the comparison with the providers. */
export function accountRouter(deps: AccountRouterDeps): FormRoutes {
  const router = createFormRouter(deps.form)
  const asking = askingOf(deps.page)
  profileRoute(router, deps, asking)
  compareRoute(router, deps, asking)
  return router.routes()
}

/** Updates the member's own profile. */
function profileRoute(router: FormRouter, deps: AccountRouterDeps, { memberOf, asksOf }: Asking): void {
  const { selfService, emailChanges } = deps

  router.post('/membership/account', access.profile, async ({ ctx, fields }) => {
    const redirect = localPath(fields.redirect, deps.page.accountPath)
    const user = await memberOf(ctx)
    const { isVerified } = await asksOf(ctx)
    const input = Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.has(name)))
    if (!isVerified && Object.keys(input).some((name) => fieldName(name) !== 'email')) throw unverified()
    const wanted = emailIn(input)
    if (wanted !== null && wanted !== user.email) {
      if (await deps.isHosts(user.id)) throw hostsAddress()
      // These checks run before anything in the form is saved.
      deps.requireMails()
      await deps.countMail(wanted)
    }
    const also = (customer: Updated['customer']) => deps.updateProviders(user, customer)
    const updated = await selfService.update(user, input, { shown: listOf(fields.shown), also })
    if (updated.customer.name !== undefined) deps.nudge()
    if (updated.emailChange) await emailChanges.ask(user, { ...updated.emailChange, isVerified })
    const { changed, emailChange } = updated
    await deps.page.say(ctx, emailChange ? { code: 'email_asked', email: emailChange.to } : { code: 'saved' })
    return {
      json: { changed, email_change: emailChange && { to: emailChange.to, status: 'sent' } },
      redirect,
    }
  })
}

/** Compares with the providers, for a member who misses a purchase. */
function compareRoute(router: FormRouter, deps: AccountRouterDeps, { memberOf, show }: Asking): void {
  router.post('/membership/account/compare', access.bought, async ({ ctx }) => {
    const user = await memberOf(ctx)
    const state = await compareOnce(user.id, { compare: deps.compareMember, count: deps.countCompared })
    if (state === 'waiting') ctx.set('Retry-After', '60')
    const status = comparedStatus[state]
    if (!wantsJson(ctx)) {
      await show(ctx, 'account/compared', { state })
      ctx.status = status
    }
    return { status, json: { status: state }, redirect: null }
  })
}

export interface LanguageRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly selfService: Pick<SelfService, 'setLanguage'>
  readonly sessions: Pick<Sessions, 'setLanguage'>
  /** Finds the nearest language that has texts. */
  readonly findLanguage: (tag: string) => string | undefined
}

/** `POST /membership/language` sets the language of this browser and of the logged-in account. Mails follow it. */
export function languageRouter(deps: LanguageRouterDeps): FormRoutes {
  const { form, page, selfService, sessions, findLanguage } = deps
  const router = createFormRouter(form)

  router.post('/membership/language', access.anybody, async (request) => {
    const { ctx } = request
    const redirect = localPath(request.fields.redirect, '/')
    const language = findLanguage(request.text('language', 35) ?? '')
    if (language === undefined)
      throw new MembershipError('ERR_FORM', 'There is no such language here.', {
        action: 'Send the field "language" with one of those that the page offers.',
      })
    sessions.setLanguage(ctx, language)
    const user = (await page.viewOf(ctx)).user()
    if (user !== null) await selfService.setLanguage(user.id, language)
    return { json: { language }, redirect }
  })
  return router.routes()
}

export interface AddressRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly emailChanges: EmailChanges
  readonly emailUndo: EmailUndo
  readonly sessions: Pick<Sessions, 'opening'>
}

/** The links that confirm and restore an address. */
export function addressRouter(deps: AddressRouterDeps): FormRoutes {
  const { emailChanges, emailUndo } = deps
  const router = createFormRouter(deps.form)
  const { asksOf, show } = askingOf(deps.page)

  router.get('/membership/account/email/:token', access.confirming, async (ctx) => {
    const change = await emailChanges.findOpen(paramOf(ctx, 'token'))
    // The member logs in with the old address; then this page asks.
    const own = await orLogin(ctx, async () => {
      emailChanges.requireOwner(change, await asksOf(ctx))
      return change
    })
    if (own !== null) await show(ctx, 'login/confirm-email', { email: own.email_to })
  })

  router.post('/membership/account/email/:token', access.confirming, async (request) => {
    const { ctx } = request
    const { email } = await emailChanges.confirm(request.param('token'), await asksOf(ctx), (input) =>
      deps.sessions.opening(ctx, input),
    )
    await deps.page.say(ctx, { code: 'email_changed', email: email ?? undefined })
    return { json: { email }, redirect: deps.page.accountPath }
  })

  router.get('/membership/account/email-undo/:token', access.holder, async (ctx) => {
    const { email_from: email } = await emailUndo.findOpen(paramOf(ctx, 'token'))
    await show(ctx, 'login/undo-email', { email })
  })

  router.post('/membership/account/email-undo/:token', access.holder, async (request) => {
    const { email } = await emailUndo.takeBack(request.param('token'))
    await deps.page.say(request.ctx, { code: 'email_back', email: email ?? undefined })
    return { json: { email }, redirect: '/membership/login' }
  })
  return router.routes()
}

export interface PaperRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly seller: Seller
  /** The address that members write to; null: they answer the mail. */
  readonly contact: string | null
  /** The tax note beside a price, or null. */
  readonly tax: Tax | null
  /** The seller of a provider's payments; null where only the invoice names it. */
  readonly sellerOf: (provider: string, site: Seller) => Seller | null
  /** The invoice of a payment whose provider runs within this site; null for others. */
  readonly sheetOf: (payment: Payment) => Promise<InvoiceSheet | null>
}

/** Shows printable pages of a payment. */
export function paperRouter(deps: PaperRouterDeps): FormRoutes {
  const { sheetOf, sellerOf, seller, contact, tax } = deps
  const { viewOf, voiceOf } = deps.page
  const router = createFormRouter(deps.form)
  const { show } = askingOf(deps.page)

  router.page('/membership/payments/:payment', access.verified, async (ctx) => {
    const voice = await voiceOf(ctx)
    const receipt = receiptOf(await viewOf(ctx), paramOf(ctx, 'payment'), voice)
    const paidTo = sellerOf(receipt.provider, seller)
    // Another seller's tax is on its invoice alone.
    const page = { ...receipt, seller: paidTo, contact, tax: paidTo === seller ? tax : null }
    if (wantsJson(ctx)) ctx.body = page
    else await show(ctx, 'account/receipt', page)
  })

  router.page('/membership/invoices/:payment', access.verified, async (ctx) => {
    const voice = await voiceOf(ctx)
    const page = await invoiceOf(await viewOf(ctx), paramOf(ctx, 'payment'), { voice, sheetOf })
    if (wantsJson(ctx)) ctx.body = { ...page, seller }
    else await show(ctx, 'account/invoice', { ...page, seller, tax })
  })
  return router.routes()
}

export interface LeavingRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly exportOf: ExportOf
  readonly deletions: Deletions
  readonly sessions: Pick<Sessions, 'end'>
  /** Ends the person's session at the site's own login. */
  readonly signOut: (ctx: Context) => Promise<void>
  readonly now: () => Date
}

/** Routes that export and delete an account. */
export function leavingRouter(deps: LeavingRouterDeps): FormRoutes {
  const { exportOf, deletions, sessions, now } = deps
  const { viewOf, voiceOf } = deps.page
  const router = createFormRouter(deps.form)
  const { memberOf, show } = askingOf(deps.page)

  router.get('/membership/account/export', access.verified, async (ctx) => {
    const user = await memberOf(ctx)
    const exported = await exportOf(user)
    ctx.set('Content-Disposition', 'attachment; filename="account.json"')
    ctx.body = JSON.stringify(exported, null, 2)
    ctx.type = 'json'
  })

  /** The page that asks for confirmation. */
  router.page('/membership/account/delete', access.verified, async (ctx) => {
    const leaving = leavingOf(await viewOf(ctx), { voice: await voiceOf(ctx), now: now() })
    if (wantsJson(ctx)) ctx.body = leaving
    else await show(ctx, 'account/delete', { leaving })
  })

  router.post('/membership/account/delete', access.verified, async (request) => {
    const { ctx } = request
    const redirect = localPath(request.fields.redirect, '/')
    const user = await memberOf(ctx)
    if (request.text('confirm') !== 'delete')
      throw new MembershipError('ERR_FORM', 'An account is deleted only when that is said twice.', {
        action: 'Send the field "confirm" with the value "delete".',
      })
    const { done_at, error } = await deletions.request(user.id)
    await sessions.end(ctx)
    await deps.signOut(ctx)
    const status = done_at === null ? 'begun' : 'deleted'
    await deps.page.say(ctx, { code: done_at === null ? 'deleting' : 'deleted' })
    return { status: done_at === null ? 202 : 200, json: { status, waits_for: error }, redirect }
  })
  return router.routes()
}

function hostsAddress(): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', 'This is the address that you log in to the site with.', {
    reason: 'managed_elsewhere',
    extensions: { field: 'email' },
    action: 'Change it in the settings of your login to this site.',
  })
}

function emailIn(input: Readonly<Record<string, unknown>>): string | null {
  const given = Object.entries(input).find(([name]) => fieldName(name) === 'email')?.[1]
  return typeof given === 'string' ? normalEmail(given) : null
}

function listOf(given: unknown): string[] {
  return (Array.isArray(given) ? given : [given]).filter((item): item is string => typeof item === 'string')
}
