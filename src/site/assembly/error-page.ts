import type { Context } from 'koa'
import type { ErrorPage } from '../../core/http/problems.ts'
import type { PagePaths, Render } from '../../core/pages/index.ts'
import { errorIn, offersLogin, plainVoice, type Voice } from '../../core/words/index.ts'
import { fieldProblemsIn } from '../../memberships/account/index.ts'

/**
 * The page of an error on our own routes: what happened in people's words, what they can do, and where logging in is what
 * helps, the form for it, which leads back. The code stands small below, for whoever helps them.
 */
export const createErrorPage =
  (deps: {
    render: Render
    pageData: (ctx: Context) => Promise<Record<string, unknown>>
    voiceOf: (ctx: Context) => Promise<Voice>
    site: string
    pages: PagePaths
  }): ErrorPage =>
  async (ctx, problem) => {
    const { status } = ctx
    // Whatever failed may fail again.
    const voice = await deps.voiceOf(ctx).catch(plainVoice)
    const data = await deps
      .pageData(ctx)
      .catch(() => ({ ...bare, magazine: { name: deps.site, tagline: '' } }))
    const again = ctx.method === 'GET' ? ctx.url : deps.pages.account
    const redirect = typeof problem.redirect === 'string' ? problem.redirect : again
    ctx.type = 'html'
    // With `no-referrer`, browsers would send the form of this page as if from nowhere.
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.body = deps.render('error', {
      ...data,
      ...voice,
      status,
      error: errorIn(voice, { ...problem, status }, { ...deps.pages, again }),
      login: offersLogin(problem.code)
        ? { redirect: isPage(redirect) ? redirect : deps.pages.account }
        : null,
      fields: fieldProblemsIn(voice, problem),
      reference: problem.code,
    })
    ctx.status = status
  }

const bare = { path: '/', here: '/', token: '', user: null, arrears: [], said: null }

/** A link that is dead is nothing to come back to. */
const isPage = (path: string): boolean =>
  !/^\/membership\/(login|account\/email|account\/email-undo|pay|unsubscribe)\//.test(path)
