import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { localPath } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { PageTools } from '../members/index.ts'
import { mergeDays } from '../merging/index.ts'
import { emailOf } from './login-links.ts'
import type { MergeRequests } from './merge-request.ts'
import { askingOf, orLogin } from './router.ts'

export interface MergeRequestRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly mergeRequests: MergeRequests
  /** Counts a mail to the member's own address. @throws ERR_RATE_LIMIT */
  readonly countOwn: (email: string) => Promise<void>
  /** Counts a mail to the other address; false, without an error, when there were too many. */
  readonly mayAskOther: (email: string) => Promise<boolean>
}

/** `POST /membership/account/merge`, the links that confirm it, and the one that undoes it. */
export function mergeRequestRouter(deps: MergeRequestRouterDeps) {
  const { mergeRequests, countOwn, mayAskOther } = deps
  const { say } = deps.page
  const router = createFormRouter(deps.form)
  const { memberOf, asksOf, show } = askingOf(deps.page)

  router.post('/membership/account/merge', access.verified, async (request) => {
    const { ctx } = request
    const user = await memberOf(ctx)
    const email = emailOf(request.text('email', 300) ?? '')
    if (user.email !== null) await countOwn(user.email)
    await mergeRequests.ask(user, email)
    await say(ctx, { code: 'merge_asked', email: user.email ?? undefined })
    // The answer is the same for every address, so that it does not reveal who is a member.
    const redirect = localPath(request.fields.redirect, deps.page.accountPath)
    return { status: 202, json: { status: 'sent' }, redirect }
  })

  router.page('/membership/account/merge/:token', access.joining, async (ctx) => {
    // If another member is logged in, the requesting member logs in first. Then this page asks.
    const findOpen = async () => mergeRequests.look(paramOf(ctx, 'token'), await asksOf(ctx))
    const page = await orLogin(ctx, findOpen)
    if (page !== null) await show(ctx, 'login/merge', { ...page, days: mergeDays })
  })

  router.post('/membership/account/merge/:token', access.joining, async (request) => {
    const { ctx } = request
    const { step, otherEmail } = await mergeRequests.confirm(
      request.param('token'),
      await asksOf(ctx),
      mayAskOther,
    )
    await say(ctx, step === 'own' ? { code: 'merge_other_asked', email: otherEmail } : { code: 'merged' })
    return { json: { status: step === 'own' ? 'asked' : 'merged' }, redirect: deps.page.accountPath }
  })

  router.get('/membership/account/merge-back/:token', access.holder, async (ctx) => {
    const { email, other_email: otherEmail } = await mergeRequests.lookBack(paramOf(ctx, 'token'))
    await show(ctx, 'login/merge-back', { email, otherEmail })
  })

  router.post('/membership/account/merge-back/:token', access.holder, async (request) => {
    const json = await mergeRequests.takeBack(request.param('token'))
    await say(request.ctx, { code: 'merged_back' })
    return { json, redirect: '/membership/login' }
  })
  return router.routes()
}
