import { type Examples, equal } from './site.ts'

/** Examples of `m.pages`. */
export const pages: Examples = {
  async koa({ m, app, open }) {
    app.use(m.pages.koa()) // the account of members, and the prices
    equal((await open('/membership/prices')).status, 200)
  },

  async form({ m, app, open }) {
    app.use(m.koaView())
    app.use((ctx) => {
      ctx.type = 'html'
      ctx.body = m.pages.form(ctx, { ...m.provider().subscriptionAction('price_month'), label: 'Join' })
    })
    equal((await open('/')).text.includes('action="/membership/subscribe/pro"'), true)
  },

  async formToken({ m, app, open }) {
    app.use(m.koaView())
    app.use((ctx) => {
      ctx.body = `<input type="hidden" name="token" value="${m.pages.formToken(ctx)}">`
    })
    equal((await open('/')).text.length > 60, true)
  },

  async checkForm({ m, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      if (ctx.method === 'GET') ctx.body = m.pages.formToken(ctx)
      else m.pages.checkForm(ctx, ctx.get('x-token'))
    })
    equal((await open('/', {})).status, 403) // ERR_CSRF
  },

  async locked({ m }) {
    const request = new Request('https://example.com/archive')
    const { html } = await m.pages.locked(request, ['pro'])
    equal(html.includes('Pro'), true)
  },

  async visitor({ m }) {
    const visitor = await m.pages.visitor(new Request('https://example.com/'))
    equal(visitor.member, null)
  },

  async voice({ m, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      const voice = await m.pages.voice(ctx)
      ctx.body = voice.say('account.your')
    })
    equal((await open('/')).text, 'Your account')
  },

  async render({ m, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      // templates/parts/date.eta of this package, or your own file of that name
      ctx.body = m.pages.render('parts/date', { ...(await m.pages.voice(ctx)), date: '2026-03-01' })
    })
    equal((await open('/')).text.includes('1 March 2026'), true)
  },

  async flash({ m, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      const spoken = await m.pages.flash(ctx)
      ctx.body = spoken?.sentence ?? 'nothing to say'
    })
    equal((await open('/')).text, 'nothing to say')
  },
}
