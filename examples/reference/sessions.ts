import { type Examples, equal } from './site.ts'

/** Examples of `m.sessions`. */
export const sessions: Examples = {
  async open({ m, ann, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      if (ctx.path === '/in') await m.sessions.open(ctx, ann.id, true)
      ctx.body = m.user()?.email ?? 'nobody'
    })
    equal((await open('/')).text, 'nobody')
    await open('/in')
    equal((await open('/')).text, 'ann@example.com')
  },

  async end({ m, ann, app, open }) {
    app.use(m.koaView())
    app.use(async (ctx) => {
      if (ctx.path === '/in') await m.sessions.open(ctx, ann.id, true)
      if (ctx.path === '/out') await m.sessions.end(ctx)
      ctx.body = m.user()?.email ?? 'nobody'
    })
    await open('/in')
    await open('/out')
    equal((await open('/')).text, 'nobody')
  },

  async koa({ m, app, open }) {
    app.use(m.sessions.koa()) // the routes of login and logout
    equal((await open('/membership/login')).status, 200)
  },
}
