import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { createPasses } from '../../core/http/passes.ts'
import { access } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { auditMemberId, toUser, type User, type UserRules } from '../../memberships/members/index.ts'
import type { LeakKeys } from '../doctor/leaks.ts'
import type { Environment } from './environment.ts'
import type { Services } from './services.ts'

const auditHeader = 'membership-audit'
const auditSeconds = 300

/** Answers the question of the leak audit if this site has the secret that signed it. */
export function auditRouter(deps: FormTools & { tokens: Pick<Tokens, 'verify' | 'mark'> }) {
  const router = createFormRouter(deps)
  router.get('/membership/audit/:token', access.signed, async (ctx) => {
    const claims = await deps.tokens.verify('audit-challenge', paramOf(ctx, 'token'))
    if (typeof claims?.nonce !== 'string')
      throw new MembershipError('ERR_NOT_FOUND', 'This is no question of an audit.')
    ctx.body = { proof: deps.tokens.mark(`audit ${claims.nonce}`) }
  })
  return router.routes()
}

/** True for a request that says it is the leak audit's. */
export function isAudit(ctx: Context): boolean {
  return ctx.get(auditHeader) !== ''
}

/** Finds the plan that a request of the leak audit shows; null for every other request. */
export async function auditedPlan(ctx: Context, tokens: Pick<Tokens, 'verify'>): Promise<string | null> {
  // The audit only reads, so its key opens nothing that acts.
  if (!isAudit(ctx) || !['GET', 'HEAD'].includes(ctx.method)) return null
  const claims = await tokens.verify('audit', ctx.get(auditHeader))
  return typeof claims?.plan === 'string' ? claims.plan : null
}

/** A member of one plan who is stored nowhere, for the minutes of an audit. */
export function auditMember(plan: string, rules: UserRules, now: Date): User {
  const grant = { id: auditMemberId, gate: plan, source: 'manual', reason: 'leak audit', starts_at: null }
  return toUser(
    {
      id: auditMemberId,
      email: null,
      email_verified: false,
      name: null,
      roles: [],
      language: null,
      content: {},
      created_at: now.toISOString(),
      subscriptions: () => [],
      payments: () => [],
      customers: [],
      grants: [{ ...grant, expires_at: new Date(now.getTime() + auditSeconds * 1000).toISOString() }],
    },
    rules,
  )
}

/** The keys with which an audit reads this site as a member of each plan: for its own pages, and for workers in front. */
export function createLeakKeys(
  { config, addresses, secrets, now }: Environment,
  { tokens, catalogue }: Services,
): LeakKeys {
  const passes = createPasses(secrets, now)
  const passOf = async (plan: string, issuer: string): Promise<string> => {
    const features = catalogue.all().find(({ id }) => id === plan)?.opens ?? []
    const pass = await passes.sign({
      issuer,
      audience: config.pass.audience ?? issuer,
      memberId: auditMemberId,
      gates: [plan],
      features,
      sessionId: null,
      expiresAt: new Date(now().getTime() + auditSeconds * 1000),
    })
    return `${issuer.startsWith('https:') ? addresses.cookiePrefix : ''}membership_pass=${pass}`
  }
  return {
    isOwn: (path) => addresses.inner(path) !== null,
    plans: [...new Set(catalogue.all().map(({ id }) => id))],
    headersFor: async (plan) => ({
      [auditHeader]: await tokens.sign('audit', { plan }, auditSeconds),
      ...(config.url === null ? {} : { cookie: await passOf(plan, config.url) }),
    }),
    challenge: async () => {
      const nonce = randomBytes(16).toString('base64url')
      const token = await tokens.sign('audit-challenge', { nonce }, 60)
      return { path: addresses.of(`/membership/audit/${token}`), proof: tokens.mark(`audit ${nonce}`) }
    },
  }
}
