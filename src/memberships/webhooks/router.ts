import Router from '@koa/router'
import { isMembershipError, MembershipError, toProblem } from '../../core/errors.ts'
import type { Callers } from '../../core/http/callers.ts'
import { problems } from '../../core/http/problems.ts'
import { createBodyReader, isSendersFault, type Parsed, webhookBodyLimits } from '../../core/http/raw-body.ts'
import { createWaiting, type Patience, type Waiting } from '../../core/http/waiting.ts'
import type { Log } from '../../core/log.ts'
import type { Delivery } from '../../providers/contract.ts'
import type { Receive } from './receive.ts'

export interface WebhookRouterDeps {
  readonly receive: Receive
  /** True if this delivery proves nothing by itself. */
  readonly isPing: (key: string, delivery: Pick<Delivery, 'headers'>) => boolean
  readonly hasProvider: (key: string) => boolean
  readonly providerKeys: () => readonly string[]
  readonly callers: Callers
  /** True to count verified deliveries, too. */
  readonly limitVerified: boolean
  readonly log: Log
  readonly patience?: Patience
}

/** `POST /membership/webhooks/{provider}`. The v1 provider's old address is the same path. */
export function webhookRouter(deps: WebhookRouterDeps): Router {
  const { receive, callers, limitVerified, log } = deps
  const bodies = createBodyReader(webhookBodyLimits)
  // Each provider has its own queue, so that a flood in its name does not reject another provider's deliveries.
  const crowds = new Map<string, Waiting>()
  const crowdOf = (key: string): Waiting => {
    const known = crowds.get(key) ?? createWaiting(deps.patience)
    crowds.set(key, known)
    return known
  }
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
    const waiting = crowdOf(key)
    await waiting.enter(ctx.req)
    const caller = callers.callerOf(ctx.req)
    const count = async () => ctx.set(await callers.count(caller))
    if (limitVerified) await count()
    let isWhole = false
    try {
      // Verifying can take time. Meanwhile the body counts towards the limit of all bodies.
      const outcome = await waiting.wait((begin) =>
        bodies.hold(ctx.req, caller.address, ctx.request as Parsed, async (body) => {
          isWhole = true
          begin()
          return receive(key, { body, headers: ctx.headers }, caller.address)
        }),
      )
      ctx.status = outcome === 'kept' ? 202 : 200
      ctx.type = 'application/json'
      ctx.body = answers[outcome]
    } catch (error) {
      const isGuess = isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')
      if (isGuess)
        log('a delivery was refused', { provider: key, address: caller.address, reason: error.message })
      const isNoPing = deps.isPing(key, ctx) && isMembershipError(error, 'ERR_BODY_UNREADABLE')
      // Only guesses are limited. A provider's burst is verified and does not reach this line.
      if (!limitVerified && (isWhole ? isGuess || isNoPing : isSendersFault(error))) await count()
      // Our own failure counts against nobody.
      if (limitVerified && toProblem(error).status >= 500) await callers.giveBack(caller)
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
  queued: '{"status":"queued"}',
}
