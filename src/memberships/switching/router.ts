import type { Context } from 'koa'
import type { Plan } from '../../core/dto/index.ts'
import { createFormRouter, type FormTools } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Render } from '../../core/pages/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { View } from '../members/index.ts'
import type { Left, SwitchedMembers } from './switched-members.ts'

/**
 * `GET /membership/switch`: the memberships that a member has to buy again after a provider switch, with their dates.
 */
export const switchRouter = (
  deps: FormTools & {
    readonly switchedMembers: SwitchedMembers
    readonly viewOf: (ctx: Context) => Promise<View>
    readonly plans: () => readonly Plan[]
    /** The voice in the visitor's language. */
    readonly voiceOf: (ctx: Context) => Promise<Voice>
    readonly render: Render
    readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  },
) => {
  const router = createFormRouter(deps)

  router.get('/membership/switch', access.moving, async (ctx) => {
    const user = (await deps.viewOf(ctx)).user()
    if (user === null || (await deps.authenticationOf(ctx)) !== 'verified') {
      // The link came by mail, so the visitor proves the address first.
      ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.path })}`)
      return
    }
    const left = await deps.switchedMembers.ofMember(user)
    if (wantsJson(ctx)) {
      ctx.body = { memberships: left.map(toJson) }
      return
    }
    const voice = await deps.voiceOf(ctx)
    ctx.type = 'html'
    ctx.body = deps.render('checkout/switch', {
      ...(await deps.pageData(ctx)),
      memberships: left.map((item) => ({
        ...toJson(item),
        title: titleIn(voice, item.subscription.price_id, deps.plans()),
        quantity: item.subscription.quantity ?? 1,
      })),
    })
  })
  return router.routes()
}

const toJson = ({ subscription, to, until, target, isSoldNow, isBought }: Left) => ({
  subscription_id: subscription.id,
  provider: to,
  ...target,
  until,
  sold_now: isSoldNow,
  bought: isBought,
})
