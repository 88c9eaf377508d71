import type { Plan } from '../../core/dto/index.ts'
import { createFormRouter, type FormTools } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import { titleIn } from '../../core/words/index.ts'
import type { PageTools } from '../members/index.ts'
import type { Left, SwitchedMembers } from './switched-members.ts'

/**
 * `GET /membership/switch`: the memberships that a member has to buy again after a provider switch, with their dates.
 */
export function switchRouter(deps: {
  readonly form: FormTools
  readonly page: PageTools
  readonly switchedMembers: SwitchedMembers
  readonly plans: () => readonly Plan[]
}) {
  const router = createFormRouter(deps.form)

  router.get('/membership/switch', access.moving, async (ctx) => {
    const user = (await deps.page.viewOf(ctx)).user()
    if (user === null || (await deps.form.authenticationOf(ctx)) !== 'verified') {
      // The link came by mail, so the visitor proves the address first.
      ctx.redirect(`/membership/login?${new URLSearchParams({ redirect: ctx.path })}`)
      return
    }
    const left = await deps.switchedMembers.ofMember(user)
    if (wantsJson(ctx)) {
      ctx.body = { memberships: left.map(toJson) }
      return
    }
    const voice = await deps.page.voiceOf(ctx)
    ctx.type = 'html'
    ctx.body = deps.page.render('checkout/switch', {
      ...(await deps.page.pageData(ctx)),
      memberships: left.map((item) => ({
        ...toJson(item),
        title: titleIn(voice, item.subscription.price_id, deps.plans()),
        quantity: item.subscription.quantity ?? 1,
      })),
    })
  })
  return router.routes()
}

function toJson({ subscription, to, until, target, isSoldNow, isBought }: Left) {
  return {
    subscription_id: subscription.id,
    provider: to,
    ...target,
    until,
    sold_now: isSoldNow,
    bought: isBought,
  }
}
