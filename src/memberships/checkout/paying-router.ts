import type { Context } from 'koa'
import type { Plan } from '../../core/dto/index.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Render } from '../../core/pages/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { Arrears } from '../members/index.ts'
import type { Owed, Paying } from './paying.ts'

/** `/membership/pay/{token}`: what a mail about a failed payment leads to. A GET asks no provider, so that a mail program
 *  which looks at links beforehand does nothing. */
export const payingRouter = (
  deps: FormTools & {
    readonly paying: Paying
    readonly plans: () => readonly Plan[]
    /** The voice for whoever asks. */
    readonly voiceOf: (ctx: Context) => Promise<Voice>
    readonly render: Render
    readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  },
) => {
  const { paying } = deps
  const router = createFormRouter(deps)

  const toWords = ({ price_id, amount, currency, provider }: Owed, voice: Voice) => ({
    title: titleIn(voice, price_id, deps.plans()),
    amount: amount === null || currency === null ? null : voice.amount({ amount, currency, provider }),
  })
  const show = async (ctx: Context, owed: Owed | null): Promise<void> => {
    ctx.type = 'html'
    const data = await deps.pageData(ctx)
    const arrears = (data.arrears ?? []) as readonly Arrears[]
    // A member who is logged in reads it here as on every page, but has one button for it.
    const known = arrears.find(({ subscription_id }) => subscription_id === owed?.subscription_id)
    ctx.body = deps.render('shop/pay', {
      ...data,
      arrears: arrears.filter((arrear) => arrear !== known),
      owed: owed === null ? null : { ...toWords(owed, await deps.voiceOf(ctx)), sentence: known?.sentence },
      action: ctx.path,
    })
  }

  router.get('/membership/pay/:token', access.holder, async (ctx) => {
    // The address is the key: no page that it leads to may be told it.
    ctx.set('Referrer-Policy', 'no-referrer')
    await show(ctx, await paying.look(paramOf(ctx, 'token')))
  })

  router.post('/membership/pay/:token', access.holder, async (request) => {
    const { ctx } = request
    const url = await paying.open(request.param('token'))
    if (url === null && !wantsJson(ctx)) await show(ctx, null)
    return { json: { url }, redirect: url }
  })
  return router.routes()
}
