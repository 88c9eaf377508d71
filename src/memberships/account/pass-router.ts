import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools } from '../../core/http/form-router.ts'
import { localPath, wantsPage } from '../../core/http/forms.ts'
import type { Passes } from '../../core/http/passes.ts'
import { access, loginRequired } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import type { Sessions, User, View } from '../members/index.ts'

export interface PassRouterDeps extends FormTools {
  readonly passes: Passes
  readonly sessions: Sessions
  readonly viewOf: (ctx: Context) => Promise<View>
  /** The address of the site: the issuer of every pass. */
  readonly siteUrl: () => string
  /** The audience of passes; null stands for the site itself. */
  readonly audience: string | null
  /** The longest lifetime of a pass. */
  readonly seconds: number
  readonly now: () => Date
}

/**
 * `GET /membership/pass` gives the member of this browser a pass, as a cookie and as JSON. A browser that comes with
 * `?redirect=` goes on to that path. `GET /membership/jwks.json` publishes the keys that check passes.
 */
export function passRouter(deps: PassRouterDeps) {
  const { passes, sessions, now } = deps
  const router = createFormRouter(deps)

  router.page('/membership/pass', access.pass, async (ctx) => {
    const user = (await deps.viewOf(ctx)).user()
    if (user === null) throw loginRequired()
    const redirect = ctx.query.redirect === undefined ? null : localPath(ctx.query.redirect, '/')
    const issuedAt = now()
    if (redirect !== null && wantsPage(ctx)) refuseLoop(sessions.pass(ctx), issuedAt)
    const expiresAt = endOf(user, new Date(issuedAt.getTime() + deps.seconds * 1000), issuedAt)
    const session = await sessions.idOf(ctx)
    const pass = await passes.sign({
      issuer: deps.siteUrl(),
      audience: deps.audience ?? deps.siteUrl(),
      memberId: user.id,
      gates: openGates(user),
      features: user.features(),
      sessionId: session === null ? null : fingerprint(session),
      expiresAt,
    })
    sessions.setPass(ctx, pass, Math.ceil((expiresAt.getTime() - issuedAt.getTime()) / 1000))
    if (redirect !== null && wantsPage(ctx)) {
      ctx.redirect(redirect)
      ctx.status = 303
      return
    }
    ctx.body = { pass, expires_at: expiresAt.toISOString() }
  })

  router.get(
    '/membership/jwks.json',
    access.anybody,
    async (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=300')
      ctx.body = { keys: await passes.keys() }
    },
    (_, next) => next(),
  )
  return router.routes()
}

/** Names that are open to the member: the site's plans, and names granted by hand. */
function openGates(user: User): string[] {
  const granted = user.grants().map(({ gate }) => gate)
  return [...new Set([...user.gates(), ...granted.filter((gate) => user.explain(gate).open)])]
}

/** The end of a pass: no later than the first end of what it opens, in whole seconds. */
function endOf(user: User, latest: Date, now: Date): Date {
  const ends = [...openGates(user), ...user.features()].flatMap((gate) => user.explain(gate).until ?? [])
  const first = Math.min(latest.getTime(), ...ends.map((end) => Date.parse(end)))
  return new Date(Math.max(Math.floor(first / 1000), Math.floor(now.getTime() / 1000) + 1) * 1000)
}

const loopSeconds = 3

/**
 * Ends a circle of redirects: this browser got its pass a moment ago, and the worker sent it back for another.
 * @throws ERR_USAGE
 */
function refuseLoop(pass: string | null, now: Date): void {
  const issuedAt = pass === null ? null : issuedAtOf(pass)
  if (issuedAt === null || now.getTime() / 1000 - issuedAt >= loopSeconds) return
  throw new MembershipError('ERR_USAGE', 'This browser has a pass, and the page does not accept it.', {
    action:
      'Compare the issuer and the audience that the page’s worker was given with membership.url and membership.pass.audience.',
  })
}

/** Seconds since 1970. The signature does not matter: the worst that a forged value does is to show an error. */
function issuedAtOf(pass: string): number | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(pass.split('.')[1] ?? '', 'base64url').toString())
    const { iat } = claims as { iat?: unknown }
    return typeof iat === 'number' ? iat : null
  } catch {
    return null
  }
}
