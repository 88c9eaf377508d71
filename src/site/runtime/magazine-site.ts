import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import { limitNames } from '../../core/access/index.ts'
import { isInEurope, taxOf } from '../../core/config/europe.ts'
import { isMembershipError, MembershipError, toProblem } from '../../core/errors.ts'
import { formBody } from '../../core/http/form-body.ts'
import type { Log } from '../../core/log.ts'
import { assets } from '../../core/pages/assets.ts'
import { errorIn, plainVoice } from '../../core/words/index.ts'
import { fieldProblemsIn } from '../../memberships/account/index.ts'
import { markPrivate, type View } from '../../memberships/members/index.ts'
import type { Membership } from '../membership.ts'
import { accountForPage } from '../pages/account-words.ts'
import { featureTable } from '../pages/feature-table.ts'
import { limitSentence, limitsForPage, termsForPage, wallSentence } from '../pages/limit-words.ts'
import { inRhythm, plansForPage } from '../pages/page-forms.ts'
import { profileForPage } from '../pages/profile.ts'
import type { Demo } from './demo.ts'
import { demoRoutes } from './demo-routes.ts'
import type { Article, Magazine } from './magazine.ts'
import type { Mailbox } from './mailbox.ts'

export interface SiteDeps {
  readonly membership: Membership
  readonly magazine: Magazine
  readonly demo: Demo
  /** The demo's mailbox; null for a site that sends its mails elsewhere. */
  readonly mailbox: Mailbox | null
  readonly pageData: (ctx: Context, view: View) => Promise<Record<string, unknown>>
  readonly now: () => Date
  readonly log: Log
}

/** Pages of the magazine, and the links of its header. */
export const magazinePages = {
  home: '/',
  account: '/account',
  prices: '/pricing',
  links: [
    { says: 'magazine.articles', url: '/' },
    { says: 'page.prices', url: '/pricing' },
    { says: 'page.account', url: '/account' },
  ],
} as const

/** The demo magazine as a Koa application: an example of a host site that embeds this package. */
export function createSite(deps: SiteDeps): Koa {
  const { membership: m, log } = deps
  const app = new Koa()
  app.silent = true
  app.use(errorPages(deps))
  app.use(securityHeaders)
  app.use(assets('/assets'))
  app.use(m.koa())
  app.use(pages(deps).routes() as unknown as Middleware)
  app.use(() => {
    throw new MembershipError('ERR_NOT_FOUND', 'There is no page at this address.')
  })
  app.on('error', (error) => log('unexpected error', { error: String(error) }))
  return app
}

function pages({ membership: m, magazine, demo, mailbox, pageData, now }: SiteDeps): Router {
  const router = new Router()
  const viewOf = (ctx: Context) => (ctx as Context & { membership: View }).membership
  const named = Object.keys(m.operator.config.features)

  const show = async (ctx: Context, template: string, data: Record<string, unknown>) => {
    const view = viewOf(ctx)
    const voice = await m.pages.voice(ctx)
    const common = {
      path: ctx.path,
      here: ctx.url,
      token: m.pages.formToken(ctx),
      user: view.user(),
      arrears: view.arrears(voice),
      shop: shopOf(m),
      plans: plansForPage(view, { voice, now: now(), tax: taxOf(m.operator.config.shop) }),
      ...voice,
      flash: await m.pages.flash(ctx),
      ...(await pageData(ctx, view)),
    }
    markPrivate(ctx)
    ctx.type = 'html'
    ctx.body = m.pages.render(template, { ...common, ...data })
  }
  const card = (article: Article, view: View) => ({
    ...article,
    locked: article.gates.length > 0,
    open: article.gates.length === 0 || view.allows(article.gates as never),
  })

  router.get('/', async (ctx) => {
    const view = viewOf(ctx)
    const wall = view.wall(wallOfIssues as never)
    await show(ctx, 'home', {
      articles: magazine.articles.map((a) => card(a, view)),
      issues: magazine.issues,
      free_pages: wall === null ? null : wallSentence(wall, { voice: await m.pages.voice(ctx), now: now() }),
    })
  })
  const prices = async (ctx: Context): Promise<void> => {
    const view = viewOf(ctx)
    const voice = await m.pages.voice(ctx)
    const all = plansForPage(view, { voice, now: now(), tax: taxOf(m.operator.config.shop), named })
    await show(ctx, 'pricing', {
      redirect: magazinePages.account,
      ...inRhythm(all, { every: ctx.query.every, path: '/pricing' }),
      feature_table: featureTable(view.plans(), named, voice),
    })
  }
  router.get('/pricing', (ctx) => prices(ctx as unknown as Context))

  const account = async (ctx: Context): Promise<void> => {
    const view = viewOf(ctx)
    const user = view.user()
    const voice = await m.pages.voice(ctx)
    const isVerified = view.authentication() === 'verified'
    const profile = user === null ? null : profileForPage(m.users, user, { isVerified, voice })
    const page = /^[1-9]\d{0,3}$/.test(String(ctx.query.history ?? '')) ? Number(ctx.query.history) : null
    const firstPrice = user === null ? undefined : await m.users.firstPrice(user.id)
    const gifts = user === null ? [] : (await m.gifts.of(user)).bought
    const groups = user === null ? undefined : await m.teams.of(user)
    await show(ctx, 'account', {
      ...accountForPage(view, {
        voice,
        now: now(),
        page,
        firstPrice,
        pricesPath: magazinePages.prices,
        gifts,
        groups,
        tax: taxOf(m.operator.config.shop),
      }),
      profile,
      limits: limitsForPage(view, { voice, now: now() }),
      terms: termsForPage(view, { voice, now: now() }),
    })
  }
  router.get('/account', (ctx) => account(ctx as unknown as Context))

  router.get('/articles/:slug', async (ctx) => {
    const article = magazine.articles.find(({ slug }) => slug === ctx.params.slug)
    if (!article) throw new MembershipError('ERR_NOT_FOUND', 'There is no such article.')
    const view = viewOf(ctx)
    const { open, ...shown } = card(article, view)
    const prints = view.limit(limitOfPrints as never)
    await show(ctx, 'article', {
      prints:
        view.user() === null || !isLimited(view)
          ? null
          : limitSentence(prints, { voice: await m.pages.voice(ctx), now: now() }),
      article: {
        ...shown,
        html: open ? article.body : '',
        teaser_html: article.body.split('<!--more-->')[0],
      },
      allowed: open,
      redirect: ctx.path,
    })
  })

  // A limited feature: an article set for paper. The same article is counted once.
  const form = formBody({ json: false, text: false, formLimit: '4kb' })
  const print = async (ctx: Context, slug: string | undefined): Promise<void> => {
    m.pages.checkForm(ctx, ((ctx.request.body ?? {}) as Record<string, unknown>).token)
    const article = magazine.articles.find(({ slug: item }) => item === slug)
    if (!article) throw new MembershipError('ERR_NOT_FOUND', 'There is no such article.')
    const view = viewOf(ctx)
    const user = view.user()
    if (!card(article, view).open) return locked(ctx, article.gates)
    if (user === null) throw new MembershipError('ERR_LOGIN_REQUIRED', 'Printing is for members.')
    const limit = await m.limits.use(user, limitOfPrints as never, 1, { key: `print:${article.slug}` })
    await show(ctx, 'print', {
      article,
      prints: limitSentence(limit, { voice: await m.pages.voice(ctx), now: now() }),
    })
  }
  router.post('/articles/:slug/print', form, (ctx) => print(ctx as unknown as Context, ctx.params.slug))

  // A visitor comes back to the address after buying more.
  router.get('/articles/:slug/print', (ctx) =>
    ctx.redirect(`/articles/${encodeURIComponent(ctx.params.slug ?? '')}`),
  )

  const locked = (ctx: Context, gates: readonly string[]) => {
    ctx.status = 403
    return show(ctx, 'locked', { gates, redirect: ctx.path })
  }
  router.get('/archive', m.gate('archive', { onDenied: locked }), (ctx) =>
    show(ctx, 'archive', { issues: magazine.issues }),
  )

  // A metered wall: two of the issues are free for strangers in 30 days, three for members.
  const metered = m.gate(wallOfIssues as never, {
    free: 2,
    every: '30d',
    loggedIn: 3,
    jsonLd: { hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.metered' } },
  })
  router.get('/issues/:number', metered, async (ctx) => {
    const issue = magazine.issues.find(({ number }) => String(number) === ctx.params.number)
    if (!issue) throw new MembershipError('ERR_NOT_FOUND', 'There is no such issue.')
    const wall = viewOf(ctx).wall(wallOfIssues as never)
    await show(ctx, 'issue', {
      issue,
      free_pages: wall === null ? null : wallSentence(wall, { voice: await m.pages.voice(ctx), now: now() }),
    })
  })

  // Browsers ask for it on pages that name no icon, such as a mail.
  router.get('/favicon.ico', (ctx) => ctx.redirect('/membership/assets/icon.svg'))
  mailbox?.routes(router, show)
  demoRoutes(router, { membership: m, demo })
  return router
}

/** The gate of past issues. */
const wallOfIssues = 'archive'

/** The limit that counts printed articles. A site with its own plans may have none. */
const limitOfPrints = 'prints'
function isLimited(view: View): boolean {
  return limitNames(view.plans()).includes(limitOfPrints)
}

// Browsers get a page, programs a problem document.
function errorPages({ membership: m, magazine, log }: SiteDeps): Middleware {
  return async (ctx, next) => {
    try {
      await next()
      if (ctx.type !== 'application/problem+json' || !ctx.accepts('html') || typeof ctx.body !== 'string')
        return
      if (
        ctx.path.startsWith('/membership/webhooks/') ||
        ctx.get('Accept').includes('json') ||
        !ctx.get('Accept').includes('html')
      )
        return
      const problem = JSON.parse(ctx.body) as Record<string, unknown>
      await render(ctx, problem)
    } catch (error) {
      if (!isMembershipError(error))
        log('unexpected error', { error: error instanceof Error ? error.stack : String(error) })
      const { status, body, retryAfterSeconds } = toProblem(error)
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(Math.ceil(retryAfterSeconds)))
      ctx.status = status
      await render(ctx, body)
    }

    async function render(context: Context, problem: Record<string, unknown>) {
      const { status } = context
      context.type = 'html'
      // The lookup may fail for the same reason as the request.
      const voice = await m.pages.voice(context).catch(plainVoice)
      const again = context.method === 'GET' ? context.url : magazinePages.account
      context.body = m.pages.render('error', {
        status,
        ...voice,
        error: errorIn(voice, { ...problem, status }, { ...magazinePages, again }),
        fields: fieldProblemsIn(voice, problem),
        reference: problem.code,
        here: again,
        magazine: magazine.magazine,
        pages: magazinePages,
        shop: shopOf(m),
        path: context.path,
        token: m.pages.formToken(context),
        arrears: (context as Partial<{ membership: View }>).membership?.arrears(voice),
        user: null,
      })
      context.status = status
    }
  }
}

/** Country of the shop, if its law requires a link to cancel on every page. */
function shopOf({ operator: { config } }: Membership) {
  return isInEurope(config.shop.country) ? { country: config.shop.country } : null
}

const securityHeaders: Middleware = (ctx, next) => {
  ctx.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
  })
  return next()
}
