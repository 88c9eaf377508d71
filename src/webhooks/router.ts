import Router from '@koa/router'
import { isMembershipError, MembershipError } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { problems } from '../http/problems.ts'
import { createBodyReader, type Parsed, webhookBodyLimits } from '../http/raw-body.ts'
import type { Log } from '../log.ts'
import { type RateLimit, rateLimitFields } from '../ratelimit/index.ts'
import type { Inbox } from './inbox.ts'

export interface WebhookRouterDeps {
  readonly inbox: Inbox
  readonly hasProvider: (key: string) => boolean
  readonly providerKeys: () => readonly string[]
  readonly ratelimit: RateLimit
  readonly trustProxy: number
  /** Count verified deliveries too. */
  readonly limitVerified: boolean
  readonly log: Log
}

/** `POST /membership/webhooks/{provider}`. The v1 provider's old address is the same path. */
export const webhookRouter = (deps: WebhookRouterDeps): Router => {
  const { inbox, ratelimit, trustProxy, limitVerified, log } = deps
  const bodies = createBodyReader(webhookBodyLimits)
  const router = new Router()

  router.all('/membership/webhooks/:provider', problems(log), async (ctx) => {
    const key = ctx.params.provider ?? ''
    if (!deps.hasProvider(key))
      throw new MembershipError(
        'ERR_PROVIDER_UNKNOWN',
        `No provider "${key.slice(0, 50)}"; configured: ${deps.providerKeys().join(', ') || 'none'}.`,
        {
          action: 'Correct the webhook address at the provider, or configure membership.providers.',
        },
      )
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      throw new MembershipError('ERR_METHOD', 'Webhooks are sent with POST.')
    }
    const count = async () =>
      ctx.set(rateLimitFields(await ratelimit.consume(clientAddress(ctx.req, trustProxy))))
    if (limitVerified) await count()
    let body: Buffer
    try {
      body = await bodies.read(ctx.req, ctx.request as Parsed)
    } catch (error) {
      // The rest of the body is not read: this connection cannot carry another request.
      ctx.set('Connection', 'close')
      throw error
    }
    try {
      const outcome = await inbox.receive(key, { body, headers: ctx.headers })
      ctx.status = outcome === 'kept' ? 202 : 200
      ctx.type = 'application/json'
      ctx.body = answers[outcome]
    } catch (error) {
      if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) {
        const address = clientAddress(ctx.req, trustProxy)
        log('a delivery was refused', { provider: key, address, reason: error.message })
        // Guessing is limited; a provider's burst is verified and never comes here.
        if (!limitVerified) await count()
      }
      throw error
    }
  })
  return router
}

const answers = {
  processed: '{"status":"processed"}',
  ignored: '{"status":"ignored"}',
  duplicate: '{"status":"duplicate"}',
  held: '{"status":"held"}',
  kept: '{"status":"kept"}',
}
