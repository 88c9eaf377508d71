// server.ts
import Koa from 'koa'
import { createMembership, membership } from 'membership'
import options from './membership.config.ts'

const m = await createMembership(options)
const app = new Koa()
app.use(m.koa()) // the visitor of each request, and every page below /membership/
app.use((ctx) => {
  const { allows, user } = membership()
  ctx.type = 'html'
  ctx.body = allows('pro')
    ? `Welcome back, ${user()?.email}. <a href="/membership/account">Your account</a>`
    : 'This page is for members. <a href="/membership/prices">Join</a>'
})
app.listen(Number(process.env.PORT ?? 3000))
