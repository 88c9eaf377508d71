import type { Context, Middleware } from 'koa'
import { isKnownGate, limitNames } from '../../core/access/index.ts'
import { findNearest } from '../../core/config/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { wantsPage } from '../../core/http/forms.ts'
import { onKoa } from '../../core/http/on-koa.ts'
import { problems } from '../../core/http/problems.ts'
import { loginRequired } from '../../core/http/route-access.ts'
import type { Log } from '../../core/log.ts'
import type { GateId } from '../../core/register.ts'
import type { User } from './user.ts'
import { requireOwnView, type View, type ViewRules } from './view.ts'

/** Options of a route's gate. */
export interface GateOptions {
  /**
   * Answers a visitor who may not pass. By default browsers get a page that shows what opens the gate, and programs a
   * problem document. Both are 403.
   */
  onDenied?: (ctx: Context, gates: readonly string[]) => unknown
}

/**
 * Middleware that passes members with any of the gates. Every answer, open or closed, is private to the visitor:
 * `Cache-Control: private, no-store`. The gate's name is checked when the middleware is created.
 */
export const gateMiddleware =
  (
    viewOf: (ctx: Context) => Promise<View>,
    log: Log,
    checkGate: CheckGate,
    page: (ctx: Context, gates: readonly string[]) => Promise<string>,
  ) =>
  (gate: GateId | readonly GateId[], options: GateOptions = {}): Middleware => {
    const gates = namesOf(gate)
    for (const name of gates) checkGate(name)
    const guard: Middleware = async (ctx, next) => {
      const view = await viewOf(ctx)
      try {
        if (view.allows(gates as readonly GateId[])) return await next()
        if (options.onDenied) return await options.onDenied(ctx, gates)
        if (!wantsPage(ctx)) throw denied(view, gates)
        ctx.status = 403
        ctx.type = 'html'
        ctx.body = await page(ctx, gates)
      } finally {
        // This overrides the handler's own header, because a gated answer in a shared cache is a leak.
        markPrivate(ctx)
      }
    }
    const answer = problems(log)
    return onKoa('m.gate()', (ctx, next) => answer(ctx as Context, () => guard(ctx as Context, next)))
  }

/** The answer about one visitor. `error` says what is missing and carries the HTTP `status`. */
export type GuardResult =
  | { readonly allowed: true; readonly error?: undefined }
  | { readonly allowed: false; readonly error: MembershipError<'ERR_GATED'> }

/** Decides whether a view or a request may pass. */
export type Guard<Subject> = (subject: Subject) => Promise<GuardResult>

/**
 * Guards for hosts that answer by themselves. The gate's name is checked when the guard is created.
 * @throws ERR_USAGE for a view of another instance
 */
export const createGuard =
  <Subject extends object>(
    viewOf: (subject: Subject) => Promise<View>,
    checkGate: CheckGate,
    rules: Pick<ViewRules, 'instance'>,
  ) =>
  (gate: GateId | readonly GateId[]): Guard<Subject | View> => {
    const gates = namesOf(gate)
    for (const name of gates) checkGate(name)
    return async (subject) => {
      if (isView(subject)) requireOwnView(subject, rules)
      const view = isView(subject) ? subject : await viewOf(subject)
      return view.allows(gates as readonly GateId[])
        ? { allowed: true }
        : { allowed: false, error: denied(view, gates) }
    }
  }

const isView = (subject: object): subject is View => 'allows' in subject

const namesOf = (gate: GateId | readonly GateId[]): readonly string[] => {
  if (typeof gate === 'string') return [gate]
  if (Array.isArray(gate)) return gate
  throw new MembershipError(
    'ERR_USAGE',
    'A gate is named by a plan, a feature or a price, and what was given is no name.',
    {
      action: "Write m.gate('pro'), which gives the middleware.",
    },
  )
}

/** Checks the name of a gate before it is decided. */
export type CheckGate = (gate: string) => void

/** Finds mistyped names of gates: in development one throws ERR_GATE_UNKNOWN, elsewhere it is logged once. Where the
 *  site has no plans yet, every name is fine. `features`: names that the configuration declares beside those of plans. */
export function createGateCheck(deps: {
  readonly plans: () => readonly Plan[]
  readonly features: readonly string[]
  readonly isDevelopment: boolean
  readonly log: Log
}): CheckGate {
  const { plans, features, isDevelopment, log } = deps
  const logged = new Set<string>()
  return (gate) => {
    const all = plans()
    if (all.length === 0 || isKnownGate(gate, all) || features.includes(gate) || logged.has(gate)) return
    const names = [...new Set([...all.flatMap(({ id, opens = [] }) => [id, ...opens]), ...features])]
    const closest = findNearest(gate, names)
    const message = `No plan, feature or price is called "${gate}": only a grant opens that gate.`
    const action = closest
      ? `Did you mean "${closest}"?`
      : `Plans and features: ${names.join(', ')}. Name a price under "prices" or "retired" of its plan.`
    if (isDevelopment) throw new MembershipError('ERR_GATE_UNKNOWN', message, { action })
    logged.add(gate)
    log(`${message} ${action}`)
  }
}

/** The same for names of limits. */
export function createLimitCheck(deps: {
  readonly plans: () => readonly Plan[]
  readonly isDevelopment: boolean
  readonly log: Log
}): CheckGate {
  const { plans, isDevelopment, log } = deps
  const logged = new Set<string>()
  return (name) => {
    const names = limitNames(plans())
    if (names.length === 0 || names.includes(name) || logged.has(name)) return
    const closest = findNearest(name, names)
    const message = `No plan and no top-up counts "${name}".`
    const action = closest ? `Did you mean "${closest}"?` : `Limits: ${names.join(', ')}.`
    if (isDevelopment) throw new MembershipError('ERR_GATE_UNKNOWN', message, { action })
    logged.add(name)
    log(`${message} ${action}`)
  }
}

/**
 * Returns the logged-in member.
 * @throws ERR_LOGIN_REQUIRED when nobody is logged in
 */
export const memberIn = async (viewOf: (ctx: Context) => Promise<View>, ctx: Context): Promise<User> => {
  const user = (await viewOf(ctx)).user()
  if (user) return user
  throw loginRequired()
}

/** Keeps an answer that depends on the member out of every shared cache. */
export const markPrivate = (ctx: Context): void => {
  ctx.set('Cache-Control', 'private, no-store')
  ctx.vary('Cookie')
}

const denied = (view: View, gates: readonly string[]): MembershipError<'ERR_GATED'> =>
  new MembershipError('ERR_GATED', `This needs ${gates.join(' or ')}.`, {
    action: view.user() === null ? 'Log in, or see the prices.' : 'See the prices.',
  })
