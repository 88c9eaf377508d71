import type { Context } from 'koa'
import { isMembershipError } from '../../core/errors.ts'
import { wantsJson } from '../../core/http/forms.ts'
import type { Render } from '../../core/pages/index.ts'
import { memberIn, type User, type View } from '../members/index.ts'
import type { Asks } from './email-change.ts'

/** Whoever asks, and the page that they are shown. */
export interface Asking {
  /** @throws ERR_LOGIN_REQUIRED */
  readonly memberOf: (ctx: Context) => Promise<User>
  readonly asksOf: (ctx: Context) => Promise<Asks>
  readonly show: (ctx: Context, template: string, data: Record<string, unknown>) => Promise<void>
}

/** The same for every route of accounts. */
export const askingOf = ({
  viewOf,
  render,
  pageData,
}: {
  viewOf: (ctx: Context) => Promise<View>
  render: Render
  pageData: (ctx: Context) => Promise<Record<string, unknown>>
}): Asking => ({
  memberOf: (ctx) => memberIn(viewOf, ctx),
  asksOf: async (ctx) => {
    const view = await viewOf(ctx)
    return { memberId: view.user()?.id ?? null, isVerified: view.standing() === 'verified' }
  },
  show: async (ctx, template, data) => {
    // The link stays on this site; with `no-referrer`, browsers would send its form as if from nowhere.
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.type = 'html'
    ctx.body = render(template, { ...(await pageData(ctx)), action: ctx.path, ...data })
  },
})

/**
 * Finds something for whoever asks. People who are not logged in as them are led to the login, and come back: then
 * it is null.
 */
export const orLogin = async <T extends object>(ctx: Context, find: () => Promise<T>): Promise<T | null> => {
  try {
    return await find()
  } catch (error) {
    if (!isMembershipError(error, 'ERR_LOGIN_REQUIRED') || wantsJson(ctx)) throw error
    ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.path })}`)
    return null
  }
}
