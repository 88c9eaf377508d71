import type { Context } from 'koa'
import type { PlanConfig } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Render } from '../../core/pages/index.ts'
import { planIn, type Voice } from '../../core/words/index.ts'
import { memberIn, type User, type View } from '../members/index.ts'
import type { GroupsService } from './groups.ts'

export interface GroupRouterDeps extends FormTools {
  readonly accountPath: string
  readonly groups: GroupsService
  readonly plans: () => readonly PlanConfig[]
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly render: Render
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  /** Counts an invitation to an address. @throws ERR_RATE_LIMIT */
  readonly countMail: (email: string) => Promise<void>
}

/** `/membership/group/{subscription}` and `/membership/join/{token}`. */
export const groupRouter = (deps: GroupRouterDeps) => {
  const { groups } = deps
  const router = createFormRouter(deps)
  const path = '/membership/group/:subscription'

  /** @throws ERR_NOT_FOUND, also for somebody else's group */
  const manager = async (ctx: Context, subscription: string): Promise<User> => {
    const user = await memberIn(deps.viewOf, ctx)
    if (await groups.mayManage(user, subscription)) return user
    throw new MembershipError('ERR_NOT_FOUND', 'You manage no such group.', { action: 'See your account.' })
  }

  router.page(path, access.verified, async (ctx) => {
    const subscription = paramOf(ctx, 'subscription')
    await manager(ctx, subscription)
    const group = await groups.show(subscription)
    if (wantsJson(ctx)) {
      ctx.body = group
      return
    }
    const voice = await deps.voiceOf(ctx)
    await show(deps, ctx, 'groups/group', {
      ...{ group, plan: titleOf(deps, voice, group.plan), action: ctx.path },
      day: (at: string) => voice.day(at),
    })
  })

  // One address, or a list: each line or cell of a CSV with an @ is one.
  router.post(path, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    const user = await manager(request.ctx, subscriptionId)
    const role = request.text('role') === 'manager' ? 'manager' : 'member'
    const emails = addressesIn(request.text('emails', 20_000) ?? request.text('email', 300) ?? '')
    if (emails.length === 0) throw new MembershipError('ERR_FORM', 'Say whom to invite.')
    for (const email of emails) {
      await deps.countMail(email)
      await groups.invite({ subscriptionId, email, role, language: user.language })
    }
    return { json: await groups.show(subscriptionId), redirect: request.ctx.path }
  })

  router.post(`${path}/remove`, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    await manager(request.ctx, subscriptionId)
    await groups.remove({ subscriptionId, seatId: request.text('seat') ?? '' })
    const redirect = `/membership/group/${encodeURIComponent(subscriptionId)}`
    return { json: await groups.show(subscriptionId), redirect }
  })

  router.post(`${path}/transfer`, access.verified, async (request) => {
    const subscriptionId = request.param('subscription')
    await manager(request.ctx, subscriptionId)
    await groups.transfer({ subscriptionId, to: request.text('member') ?? '' })
    const redirect = `/membership/group/${encodeURIComponent(subscriptionId)}`
    return { json: await groups.show(subscriptionId), redirect }
  })

  router.post(`${path}/leave`, access.verified, async (request) => {
    const user = await memberIn(deps.viewOf, request.ctx)
    await groups.leave({ subscriptionId: request.param('subscription'), user })
    return { json: { status: 'left' }, redirect: deps.accountPath }
  })

  joiningRoutes(router, deps)
  return router.routes()
}

/** Routes of whoever was invited. */
const joiningRoutes = (router: ReturnType<typeof createFormRouter>, deps: GroupRouterDeps): void => {
  const { groups } = deps

  // Opening the link takes no seat: mail programs open links, too.
  router.page('/membership/join/:token', access.moving, async (ctx) => {
    const { seat, group } = await groups.lookAtLink(paramOf(ctx, 'token'))
    const view = await deps.viewOf(ctx)
    if (wantsJson(ctx)) {
      ctx.body = { status: seat.status, plan: group.plan }
      return
    }
    const voice = await deps.voiceOf(ctx)
    const isVerified = view.standing() === 'verified'
    await show(deps, ctx, 'groups/join', {
      ...{
        plan: titleOf(deps, voice, group.plan),
        status: seat.status,
        action: ctx.path,
        is_verified: isVerified,
      },
    })
  })

  router.post('/membership/join/:token', access.verified, async (request) => {
    const user = await memberIn(deps.viewOf, request.ctx)
    const { plan } = await groups.join({ token: request.param('token'), user })
    return { json: { status: 'joined', plan }, redirect: deps.accountPath }
  })
}

/** The addresses of a text or a CSV, each once. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;"]+/)
      .map((word) => word.trim())
      .filter((word) => word.includes('@')),
  ),
]

const titleOf = ({ plans }: GroupRouterDeps, voice: Voice, id: string | null): string => {
  const plan = plans().find((known) => known.id === id)
  return plan === undefined ? (id ?? '') : planIn(voice, plan).name
}

const show = async (
  deps: GroupRouterDeps,
  ctx: Context,
  template: string,
  data: Record<string, unknown>,
): Promise<void> => {
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.type = 'html'
  ctx.body = deps.render(template, { ...(await deps.pageData(ctx)), ...data })
}
