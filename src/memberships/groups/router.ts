import type { Context } from 'koa'
import type { PlanConfig } from '../../core/config/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import { planIn, type Voice } from '../../core/words/index.ts'
import { memberIn, type PageTools, type User } from '../members/index.ts'
import type { Group, GroupsService } from './groups.ts'

export interface GroupRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly groups: GroupsService
  readonly plans: () => readonly PlanConfig[]
  /** Counts an invitation to an address. @throws ERR_RATE_LIMIT */
  readonly countMail: (email: string) => Promise<void>
  readonly now: () => Date
}

/** `/membership/group/{subscription}` and `/membership/join/{token}`. */
export function groupRouter(deps: GroupRouterDeps) {
  const { groups } = deps
  const router = createFormRouter(deps.form)
  const path = '/membership/group/:subscription'

  /** @throws ERR_NOT_FOUND, also for somebody else's group */
  const manager = async (ctx: Context, subscription: string): Promise<User> => {
    const user = await memberIn(deps.page.viewOf, ctx)
    if (await groups.mayManage(user, subscription)) return user
    throw new MembershipError('ERR_NOT_FOUND', 'You manage no such group.', { action: 'See your account.' })
  }

  router.page(path, access.verified, async (ctx) => {
    const subscription = paramOf(ctx, 'subscription')
    const user = await manager(ctx, subscription)
    const group = await groups.show(subscription)
    if (wantsJson(ctx)) {
      ctx.body = group
      return
    }
    await showGroup(deps, ctx, { user, group })
  })

  // One address, or a list: each line or cell of a CSV with an @ is one.
  router.post(path, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    const user = await manager(request.ctx, subscriptionId)
    const role = request.text('role') === 'manager' ? 'manager' : 'member'
    const typed = request.text('emails', 20_000) ?? request.text('email', 300) ?? ''
    const { emails, left } = addressesIn(typed)
    const isPage = !wantsJson(request.ctx)
    if (emails.length === 0 && (!isPage || left.length === 0))
      throw new MembershipError('ERR_FORM', 'Say whom to invite.')
    const invited: string[] = []
    for (const email of emails) {
      await deps.countMail(email)
      try {
        await groups.invite({ subscriptionId, email, role, language: user.language })
        invited.push(email)
      } catch (error) {
        // The group's page says it, and shows who was invited before.
        if (!isFull(error) || !isPage) throw error
        await deps.page.say(request.ctx, { code: 'group_full', email })
        return { json: null, redirect: request.ctx.path }
      }
    }
    if (isPage && left.length > 0) {
      request.ctx.status = 422
      await showGroup(deps, request.ctx, { user, group: await groups.show(subscriptionId), left, invited })
      return { json: null, redirect: null }
    }
    await deps.page.say(request.ctx, { code: 'group_invited', email: invited.join(', ').slice(0, 300) })
    return { json: await groups.show(subscriptionId), redirect: request.ctx.path }
  })

  router.post(`${path}/remove`, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    await manager(request.ctx, subscriptionId)
    const seatId = request.text('seat') ?? ''
    const seat = (await groups.show(subscriptionId)).members.find(({ id }) => id === seatId)
    await groups.remove({ subscriptionId, seatId })
    if (seat?.email) await deps.page.say(request.ctx, { code: 'group_removed', email: seat.email })
    const redirect = `/membership/group/${encodeURIComponent(subscriptionId)}`
    return { json: await groups.show(subscriptionId), redirect }
  })

  router.post(`${path}/transfer`, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    await manager(request.ctx, subscriptionId)
    const to = request.text('member') ?? ''
    await groups.transfer({ subscriptionId, to })
    const group = await groups.show(subscriptionId)
    const email = group.members.find(({ member_id }) => member_id === to)?.email
    if (email) await deps.page.say(request.ctx, { code: 'group_handed_over', email })
    const redirect = `/membership/group/${encodeURIComponent(subscriptionId)}`
    return { json: await groups.show(subscriptionId), redirect }
  })

  seatRoutes(router, deps)
  return router.routes()
}

/** `left`: the lines of a form that named nobody, to be corrected where they were typed. */
async function showGroup(
  deps: GroupRouterDeps,
  ctx: Context,
  {
    user,
    group,
    left = [],
    invited = [],
  }: {
    readonly user: User
    readonly group: Group
    readonly left?: readonly string[]
    readonly invited?: readonly string[]
  },
): Promise<void> {
  const voice = await deps.page.voiceOf(ctx)
  await show(deps, ctx, 'groups/group', {
    group,
    plan: titleOf(deps, voice, group.plan),
    action: ctx.path,
    is_owner: group.owner_id === user.id,
    member_id: user.id,
    more: moreSeats(deps, user, group),
    left,
    invited,
    day: (at: string) => voice.day(at, deps.now()),
  })
}

/** Routes of whoever was invited, and of whoever leaves. */
function seatRoutes(router: FormRouter, deps: GroupRouterDeps): void {
  const { groups } = deps

  // Opening the link takes no seat: mail programs open links, too.
  router.page('/membership/join/:token', access.moving, async (ctx) => {
    const { seat, group } = await groups.lookAtLink(paramOf(ctx, 'token'))
    const view = await deps.page.viewOf(ctx)
    if (wantsJson(ctx)) {
      ctx.body = { status: seat.status, plan: group.plan }
      return
    }
    const voice = await deps.page.voiceOf(ctx)
    const isVerified = view.authentication() === 'verified'
    await show(deps, ctx, 'groups/join', {
      plan: titleOf(deps, voice, group.plan),
      status: seat.status,
      action: ctx.path,
      is_verified: isVerified,
    })
  })

  router.post('/membership/group/:subscription/leave', access.verified, async (request) => {
    const user = await memberIn(deps.page.viewOf, request.ctx)
    await groups.leave({ subscriptionId: request.param('subscription'), user })
    await deps.page.say(request.ctx, { code: 'group_left' })
    return { json: { status: 'left' }, redirect: deps.page.accountPath }
  })

  router.post('/membership/join/:token', access.verified, async (request) => {
    const user = await memberIn(deps.page.viewOf, request.ctx)
    const { plan } = await groups.join({ token: request.param('token'), user })
    await deps.page.say(request.ctx, { code: 'group_joined' })
    return { json: { status: 'joined', plan }, redirect: deps.page.accountPath }
  })
}

/** The addresses of a text or a CSV, each once, and the lines that hold none. Names beside an address are no mistake. */
export function addressesIn(text: string): { readonly emails: string[]; readonly left: string[] } {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({ line, emails: line.split(/[\s,;"<>]+/).filter((word) => isEmail(normalEmail(word))) }))
  return {
    emails: [...new Set(lines.flatMap(({ emails }) => emails))],
    left: lines
      .filter(
        ({ line, emails }, i) =>
          (emails.length === 0 || hasMore(line, emails)) && !(i === 0 && isHeader(line)),
      )
      .map(({ line }) => line),
  }
}

// A CSV may begin with the names of its columns.
function isHeader(line: string): boolean {
  return /[,;]/.test(line) && !line.includes('@')
}

// Of several addresses in a line, one that is mistyped must not vanish.
function hasMore(line: string, emails: readonly string[]): boolean {
  return line.split('@').length - 1 > emails.length
}

function isFull(error: unknown): boolean {
  return isMembershipError(error, 'ERR_ACTION_REFUSED') && error.extensions.reason === 'no_seat'
}

/** The form that changes the number of paid seats; null for somebody else's group, and where it never changes. */
function moreSeats({ plans }: GroupRouterDeps, user: User, group: Group) {
  const s = user.subscriptions().find(({ id }) => id === group.subscription_id)
  const plan = plans().find(({ id, provider }) => id === group.plan && provider === group.provider)
  if (s === undefined || s.price_id === null || plan?.seats !== 'quantity' || s.past_due) return null
  const { min, max } = plan.quantity
  if (min === max) return null
  return { url: `/membership/change/${encodeURIComponent(s.id)}`, price: s.price_id, min, max }
}

function titleOf({ plans }: GroupRouterDeps, voice: Voice, id: string | null): string {
  const plan = plans().find((known) => known.id === id)
  return plan === undefined ? (id ?? '') : planIn(voice, plan).name
}

async function show(
  deps: GroupRouterDeps,
  ctx: Context,
  template: string,
  data: Record<string, unknown>,
): Promise<void> {
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.type = 'html'
  ctx.body = deps.page.render(template, { ...(await deps.page.pageData(ctx)), ...data })
}
