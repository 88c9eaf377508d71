import type { Context } from 'koa'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { localPath, wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { PageTools, Sessions } from '../members/index.ts'
import { emailOf, type Links } from './login-links.ts'

export interface LoginRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly links: Links
  readonly sessions: Sessions
  /** Counts a link request for its address; false, without an error, when there were too many. */
  readonly mayAsk: (email: string) => Promise<boolean>
  /** Ends the person's session at the site's own login. */
  readonly signOut: (ctx: Context) => Promise<void>
  /** The address of the site's own login page, which leads back; null where people log in by a link. */
  readonly loginPage: ((redirect: string) => string) | null
  /** @throws ERR_NO_MAIL where nothing sends mails */
  readonly requireMails: () => void
}

/** `POST /membership/login` sends a link, `POST /membership/login/{token}` uses it, `POST /membership/logout`. */
export function loginRouter(deps: LoginRouterDeps) {
  const { links, sessions } = deps
  const router = createFormRouter(deps.form)

  const show = async (ctx: Context, template: string, data: Record<string, unknown>): Promise<void> => {
    ctx.type = 'html'
    ctx.body = deps.page.render(template, { ...(await deps.page.pageData(ctx)), ...data })
  }

  router.get('/membership/login', access.anybody, async (ctx) => {
    if (deps.loginPage !== null)
      ctx.redirect(deps.loginPage(localPath(ctx.query.redirect, deps.page.accountPath)))
    else await show(ctx, 'login/ask', { redirect: localPath(ctx.query.redirect, deps.page.accountPath) })
  })

  router.post('/membership/login', access.anybody, async (request) => {
    const redirect = localPath(request.fields.redirect, deps.page.accountPath)
    if (deps.loginPage !== null) {
      const page = deps.loginPage(redirect)
      return { json: { login: page }, redirect: page }
    }
    deps.requireMails()
    const email = emailOf(request.text('email', 300) ?? '')
    const language = await deps.page.languageOf(request.ctx)
    if (await deps.mayAsk(email)) await links.ask(email, redirect, language)
    // The answer is the same for everybody, so that it does not reveal who is a member.
    const json = { status: 'sent' }
    if (!wantsJson(request.ctx)) await show(request.ctx, 'login/sent', { email })
    return { status: 202, json, redirect: null }
  })

  // Mail scanners open links, too, so the link is used only when the button is pressed.
  router.get('/membership/login/:token', access.holder, async (ctx) => {
    const { email } = await links.look(paramOf(ctx, 'token'))
    // The link must stay within this site. With `no-referrer`, browsers would send the form with a null origin.
    ctx.set('Referrer-Policy', 'same-origin')
    await show(ctx, 'login/confirm', { email, action: ctx.path })
  })

  router.post('/membership/login/:token', access.holder, async (request) => {
    const { ctx } = request
    // The login opens a new session and ends the browser's earlier one.
    const { memberId, redirect } = await links.use(
      request.param('token'),
      (id) => sessions.opening(ctx, { memberId: id, verified: true }),
      await deps.page.languageOf(ctx),
    )
    await deps.page.say(ctx, { code: 'logged_in' })
    return { json: { member_id: memberId, redirect }, redirect }
  })

  router.post('/membership/logout', access.anybody, async (request) => {
    const { ctx } = request
    const redirect = localPath(request.fields.redirect, '/')
    const session = await sessions.find(ctx)
    const isEverywhere = request.text('everywhere') === '1' && session !== null
    if (isEverywhere) await sessions.endAll(ctx, session.memberId)
    else await sessions.end(ctx)
    await deps.signOut(ctx)
    await deps.page.say(ctx, { code: isEverywhere ? 'logged_out_everywhere' : 'logged_out' })
    return { json: { status: 'logged out' }, redirect }
  })
  return router.routes()
}
