import type { ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import { isKnownGate, limitNames, withPaywallScript } from '../../core/access/index.ts'
import { findNearest } from '../../core/config/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { wantsPage } from '../../core/http/forms.ts'
import { onKoa } from '../../core/http/on-koa.ts'
import { problems } from '../../core/http/problems.ts'
import { loginRequired } from '../../core/http/route-access.ts'
import type { Log } from '../../core/log.ts'
import type { GateId } from '../../core/register.ts'
import type { OpensAfter, User } from './user.ts'
import { requireOwnView, type View, type ViewRules, wallsOf } from './view.ts'
import type { GateAnswer, WallOptions, Walls } from './walls.ts'

/**
 * Terms of a gate, the same on every host. With `free`, some pages behind it are free in each period. With `after`, it
 * opens once its plan was paid or given for so long.
 */
export interface GateTerms extends Partial<WallOptions>, OpensAfter {}

/** Options of a route's gate. */
export interface GateOptions extends GateTerms {
  /**
   * Answers a visitor who may not pass. By default browsers get a page that shows what opens the gate, and programs a
   * problem document. Both are 403.
   */
  onDenied?: (ctx: Context, gates: readonly string[]) => unknown
}

/** Dependencies of gates. */
export interface GateDeps {
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly checkGate: CheckGate
  readonly walls: Pick<Walls, 'declare' | 'declareTimed' | 'enter'>
}

/**
 * Middleware that passes members with any of the gates. Its answers are private to the visitor: `Cache-Control:
 * private, no-store`; only the closed page of a metered gate may be cached for visitors without cookies. The gate's name
 * is checked when the middleware is created.
 */
export function gateMiddleware(
  deps: GateDeps,
  log: Log,
  page: (ctx: Context, gates: readonly string[]) => Promise<string>,
) {
  return (gate: GateId | readonly GateId[], { onDenied, ...terms }: GateOptions = {}): Middleware => {
    const admission = admissionOf(deps, gate, terms)
    const { gates } = admission
    const guard: Middleware = async (ctx, next) => {
      const view = await deps.viewOf(ctx)
      let result: GuardResult | undefined
      try {
        result = await admission.admit(view, ctx)
        if (result.allowed) {
          await next()
          if (!isSuccess(ctx.status)) await result.giveBack?.()
        } else if (result.answer) answerOnKoa(ctx, result.answer)
        else if (onDenied) await onDenied(ctx, gates)
        else if (!wantsPage(ctx)) throw result.error
        else {
          ctx.status = 403
          ctx.type = 'html'
          ctx.body = await page(ctx, gates)
        }
        if (typeof ctx.body === 'string' && ctx.response.is('html')) ctx.body = admission.mark(ctx.body)
      } catch (error) {
        if (result?.allowed) await result.giveBack?.()
        throw error
      } finally {
        // This overrides the handler's own header, because a gated answer in a shared cache is a leak.
        if (result?.allowed === false && result.isShared && !ctx.res.hasHeader('Set-Cookie'))
          markShared(ctx.res)
        else markPrivate(ctx)
      }
    }
    const answer = problems(log)
    return onKoa('m.gate()', (ctx, next) => answer(ctx as Context, () => guard(ctx as Context, next)))
  }
}

function answerOnKoa(ctx: Context, { status, location }: GateAnswer): void {
  if (location !== null) ctx.set('Location', location)
  ctx.status = status
  ctx.body = ''
}

/** True if an answer shows the page: an error or a redirect takes no free page. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/**
 * The answer about one visitor. `error` says what is missing and carries the HTTP `status`. `giveBack`: the page was
 * counted, and nothing of it was shown. `answer` is to be sent as it is. `isShared`: the closed page is the same for
 * every visitor without cookies.
 */
export type GuardResult = {
  /** Cookies that a metered gate sets; a web-standard answer has to carry them. */
  readonly cookies?: readonly string[]
} & (
  | { readonly allowed: true; readonly error?: undefined; readonly giveBack?: () => Promise<void> }
  | {
      readonly allowed: false
      readonly error: MembershipError<'ERR_GATED'>
      readonly answer?: GateAnswer
      readonly isShared?: boolean
    }
)

/** Decides whether a view or a request may pass. Node's response is where a metered gate sets its cookie. */
export interface Guard<Subject> {
  (subject: Subject, response?: ServerResponse): Promise<GuardResult>
  /** Adds the data for search engines to a page of a metered gate; other pages stay as they are. */
  mark(html: string): string
}

/**
 * Guards for hosts that answer by themselves. The gate's name is checked when the guard is created.
 * @throws ERR_USAGE for a view of another instance
 */
export function createGuard<Subject extends object>(
  deps: Omit<GateDeps, 'viewOf'> & {
    readonly viewOf: (subject: Subject) => Promise<View>
    readonly contextOf: (subject: Subject, response?: ServerResponse) => Context
  },
  rules: Pick<ViewRules, 'instance'>,
) {
  return (gate: GateId | readonly GateId[], terms: GateTerms = {}): Guard<Subject | View> => {
    const admission = admissionOf(deps, gate, terms)
    const guard = async (subject: Subject | View, response?: ServerResponse): Promise<GuardResult> => {
      if (isView(subject)) {
        requireOwnView(subject, rules)
        return admission.admit(subject, null)
      }
      // Its response is known from here on, so that cookies reach it.
      if (!admission.needsContext) return admission.admit(await deps.viewOf(subject), null)
      const ctx = deps.contextOf(subject, response)
      const result = await admission.admit(await deps.viewOf(subject), ctx)
      return { ...result, cookies: [ctx.res.getHeader('set-cookie') ?? []].flat().map(String) }
    }
    return Object.assign(guard, { mark: admission.mark })
  }
}

/** The decision of one gate: by the visitor's plans, then by its free pages. */
function admissionOf(
  { checkGate, walls }: Pick<GateDeps, 'checkGate' | 'walls'>,
  gate: GateId | readonly GateId[],
  { free, after, ...more }: GateTerms,
) {
  const when: OpensAfter = { after }
  const gates = namesOf(gate)
  for (const name of gates) checkGate(name)
  const wall = free === undefined ? null : walls.declare(gates[0]!, { free, ...more })
  if (after !== undefined) walls.declareTimed(gates)
  const admit = async (view: View, ctx: Context | null): Promise<GuardResult> => {
    if (view.allows(gates as readonly GateId[], when)) return { allowed: true }
    const opens = opensAt(view, gates, when)
    if (opens !== undefined && ctx !== null) ctx.state.membershipOpensAt = opens
    if (wall === null || ctx === null) return { allowed: false, error: denied(view, gates, opens) }
    const entry = await walls.enter(wall, ctx, view.user()?.id ?? null, wallsOf(view))
    switch (entry.kind) {
      case 'open':
        return { allowed: true, giveBack: entry.giveBack }
      case 'answer':
        return { allowed: false, error: denied(view, gates), answer: entry.answer }
      case 'closed':
        if (entry.isShared) ctx.state.membershipIsShared = true
        return { allowed: false, error: denied(view, gates), isShared: entry.isShared }
      default:
        throw new TypeError(`unhandled ${entry satisfies never}`)
    }
  }
  const { jsonLd } = more
  const mark = (html: string): string =>
    wall === null || jsonLd === false ? html : withPaywallScript(html, jsonLd)
  return { gates, needsContext: wall !== null || after !== undefined, admit, mark }
}

function isView(subject: object): subject is View {
  return 'allows' in subject
}

function namesOf(gate: GateId | readonly GateId[]): readonly string[] {
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

/**
 * Finds mistyped names of gates: in development one throws ERR_GATE_UNKNOWN, elsewhere it is logged once.
 * Where the site has no plans yet, every name is fine. `features`: names that the configuration declares
 * beside those of plans.
 */
export function createGateCheck(deps: {
  readonly plans: () => readonly Plan[]
  readonly features: readonly string[]
  readonly isDevelopment: boolean
  readonly log: Log
  /** Remembers it for the doctor and for comparisons. */
  readonly note?: (gate: string) => void
}): CheckGate {
  const { plans, features, isDevelopment, log, note } = deps
  const logged = new Set<string>()
  return (gate) => {
    const all = plans()
    if (all.length === 0 || isKnownGate(gate, all) || features.includes(gate)) return
    if (!isDevelopment) note?.(gate)
    if (logged.has(gate) || logged.size >= mostLogged) return
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

// A name may come from a visitor's address.
const mostLogged = 1000

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
export async function memberIn(viewOf: (ctx: Context) => Promise<View>, ctx: Context): Promise<User> {
  const user = (await viewOf(ctx)).user()
  if (user) return user
  throw loginRequired()
}

export const sharedControl = 'public, max-age=0, s-maxage=60'

/**
 * Lets caches keep a closed page for visitors without cookies. Browsers ask each time, because a login or a purchase
 * opens the page at once.
 */
export function markShared(response: {
  hasHeader(name: string): boolean
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: string): unknown
}): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', sharedControl)
  const vary = String(response.getHeader('Vary') ?? '')
  if (!/\bcookie\b/i.test(vary)) response.setHeader('Vary', vary === '' ? 'Cookie' : `${vary}, Cookie`)
}

/** Keeps an answer that depends on the member out of every shared cache. */
export function markPrivate(ctx: Context): void {
  ctx.set('Cache-Control', 'private, no-store')
  ctx.vary('Cookie')
}

/** When the first of the gates opens for a member who has its plan; undefined where none waits for paid time. */
function opensAt(view: View, gates: readonly string[], when: OpensAfter): string | null | undefined {
  const user = view.user()
  if (user === null || !when.after) return undefined
  const waiting = gates.map((gate) => user.explain(gate as GateId, when).opens_at)
  const [soonest] = waiting.filter((at) => typeof at === 'string').sort()
  return soonest ?? waiting.find((at) => at === null)
}

function denied(view: View, gates: readonly string[], opens?: string | null): MembershipError<'ERR_GATED'> {
  if (opens === undefined)
    return new MembershipError('ERR_GATED', `This needs ${gates.join(' or ')}.`, {
      action: view.user() === null ? 'Log in, or see the prices.' : 'See the prices.',
    })
  return new MembershipError(
    'ERR_GATED',
    opens === null ? 'This opens once it was paid for long enough.' : `This opens on ${opens}.`,
    { action: 'Come back then.', extensions: { opens_at: opens } },
  )
}
