import type { Middleware } from 'koa'
import { accountRouter } from '../account/index.ts'
import { actionsRouter, checkoutRouter } from '../checkout/index.ts'
import { clientAddress } from '../http/client-address.ts'
import type { FormTools } from '../http/form-router.ts'
import { loginRouter } from '../login/index.ts'
import { createRateLimit, rateLimitFields } from '../ratelimit/index.ts'
import { fingerprint } from '../tokens/index.ts'
import { webhookRouter } from '../webhooks/router.ts'
import type { Ground } from './ground.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'

// A mailbox gets no more links than this in a minute, whoever asks.
const linksPerMinute = 3

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

  const limit: Middleware = async (ctx, next) => {
    const address = clientAddress(ctx.req, config.ratelimit.trust_proxy)
    ctx.set(rateLimitFields(await ratelimit.consume(address)))
    await next()
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
    ratelimit,
    log,
    hasProvider: (key) => providers.has(key),
    providerKeys: () => [...providers.keys()],
    trustProxy: config.ratelimit.trust_proxy,
    limitVerified: config.ratelimit.webhooks,
  }).routes() as unknown as Middleware
  const common = { ...tools, actions, checkout, viewOf: freshViewOf, render, pageData, publicUrl: config.url }
  const purchases = [
    checkoutRouter({ ...common, settling, sessions, now }),
    actionsRouter({ ...common, browserOf: (ctx) => fingerprint(sessions.browserId(ctx)) }),
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
