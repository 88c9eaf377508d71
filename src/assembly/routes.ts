import type { Middleware } from 'koa'
import { accountRouter } from '../account/index.ts'
import { actionsRouter, checkoutRouter } from '../checkout/index.ts'
import { isMembershipError } from '../errors.ts'
import type { FormTools } from '../http/form-router.ts'
import { loginRouter } from '../login/index.ts'
import { createCallers } from '../ratelimit/callers.ts'
import { createRateLimit } from '../ratelimit/index.ts'
import { fingerprint } from '../tokens/index.ts'
import { webhookRouter } from '../webhooks/router.ts'
import type { Ground } from './ground.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'

// A mailbox gets no more links than this in a minute, whoever asks.
const linksPerMinute = 3
// A page looks twenty times in its first minute; some are open in several tabs, or ask from a script.
const looksPerMinute = 120

/** Every route of the membership half, in parts that a host may mount alone. */
export const createRoutes = ({ config, now, log }: Ground, rooms: Rooms, people: People) => {
  const { inbox, ratelimit, providers, checkout, settling, actions, sessions, links, mailing } = rooms
  const { freshViewOf, formToken, checkForm, pageData } = people
  const render: typeof rooms.render = (template, data) =>
    rooms.render(template, {
      money: (amount: number, currency: string, provider?: string) =>
        rooms.money({ amount, currency, provider }),
      ...data,
    })

  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  const looks = createRateLimit({ limit: looksPerMinute, policy: 'waiting', who: 'one page' })
  // A page that waits for a payment is counted by its checkout; one that there is not, against whoever asks for it.
  const waiting: Middleware = async (ctx, next) => {
    await looks.consume(ctx.path)
    await next().catch(async (error: unknown) => {
      if (isMembershipError(error, 'ERR_INTENT_UNKNOWN'))
        ctx.set(await callers.count(callers.callerOf(ctx.req)))
      throw error
    })
  }
  const tools: FormTools = { limit, checkForm, log }
  const addresses = createRateLimit({ limit: linksPerMinute })
  const mayAsk = (email: string): Promise<boolean> =>
    addresses.consume(fingerprint(email)).then(
      () => true,
      () => false,
    )

  const webhooks = webhookRouter({
    inbox,
    callers,
    log,
    hasProvider: (key) => providers.has(key),
    providerKeys: () => [...providers.keys()],
    limitVerified: config.ratelimit.webhooks,
  }).routes() as unknown as Middleware
  const common = { ...tools, actions, checkout, viewOf: freshViewOf, render, pageData, publicUrl: config.url }
  const purchases = [
    checkoutRouter({ ...common, waiting, settling, sessions, now }),
    actionsRouter({ ...common, now, browserOf: (ctx) => fingerprint(sessions.browserId(ctx)) }),
  ]
  const login = loginRouter({
    ...tools,
    links,
    sessions,
    mayAsk,
    requireMails: mailing.requireMails,
    render,
    pageData,
  })
  const account = accountRouter({
    ...tools,
    selfService: rooms.selfService,
    emailChanges: rooms.emailChanges,
    exportOf: rooms.exportOf,
    deletions: rooms.deletions,
    sessions,
    viewOf: freshViewOf,
    pushCustomer: rooms.customers.pushAll,
    render,
    pageData,
  })
  const ofProviders = [...providers.values()].flatMap(
    (p) => (p.routes?.({ render, formToken, checkForm, log }).routes() as unknown as Middleware) ?? [],
  )
  return { webhooks, purchases, login, account, ofProviders }
}
