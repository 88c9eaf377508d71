import type { Context } from 'koa'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { costIn, titleIn } from '../../core/words/index.ts'
import type { Actions } from '../checkout/index.ts'
import type { PageTools } from '../members/index.ts'
import { firstCharge } from './decide.ts'
import { raisePurpose } from './raise-mails.ts'
import type { Raises } from './raises.ts'
import type { RaisedKey } from './statements.ts'

/**
 * `/membership/price/{token}`: the page behind the link in the notice of a new price. Its buttons cancel, or agree. The
 * link works for one subscription, opens no session, and a GET changes nothing, because mail programs check links.
 */
export function raiseRouter(deps: {
  readonly form: FormTools
  readonly page: PageTools
  readonly raises: Pick<Raises, 'lookUp' | 'agree'>
  readonly cancel: Actions['cancel']
  readonly tokens: Pick<Tokens, 'verify'>
  readonly plans: () => readonly Plan[]
  readonly now: () => Date
}) {
  const { raises, tokens, now } = deps
  const router = createFormRouter(deps.form)

  const found = async (token: string) => {
    const claims = (await tokens.verify(raisePurpose, token)) as Partial<RaisedKey> | null
    const { raise_id, provider, account, subscription_id } = claims ?? {}
    if (
      raise_id === undefined ||
      provider === undefined ||
      account === undefined ||
      subscription_id === undefined
    )
      throw spent()
    const key = { raise_id, provider, account, subscription_id }
    const known = await raises.lookUp(key)
    if (known === null || known.user === null || known.subscription === null) throw spent()
    return { ...known, key, user: known.user, subscription: known.subscription }
  }

  const show = async (ctx: Context, token: string): Promise<void> => {
    const { raise, row, subscription: s } = await found(token)
    const voice = await deps.page.voiceOf(ctx)
    const quantity = s.quantity ?? 1
    const cost = (amount: number | null) =>
      amount === null || s.currency === null || s.interval === null
        ? ''
        : (costIn(
            voice,
            {
              amount: amount * quantity,
              currency: s.currency,
              interval: s.interval,
              interval_count: s.interval_count ?? 1,
            },
            s.provider,
          ) ?? '')
    const isStopping = s.ended || s.cancel_at_period_end || s.cancel_at !== null
    const isOff = raise.status === 'undone' || row.state === 'undone'
    const at = row.applies_at ?? firstCharge(s, raise, new Date(row.noticed_at ?? now()))
    const isOver = s.price_id !== raise.from_price
    const state = isStopping
      ? 'cancelled'
      : isOff
        ? 'off'
        : isOver
          ? 'over'
          : row.agreed_at
            ? 'agreed'
            : 'open'
    ctx.type = 'html'
    ctx.body = deps.page.render('shop/raise', {
      ...(await deps.page.pageData(ctx)),
      state,
      needs_consent: raise.needs_consent === 1,
      action: ctx.path,
      words: {
        title: titleIn(voice, raise.from_price, deps.plans(), quantity),
        before: cost(row.from_amount),
        after: cost(row.to_amount),
        date: voice.day(at, now()),
        until: s.current_period_end === null ? '' : voice.day(s.current_period_end, now()),
      },
    })
  }

  router.get('/membership/price/:token', access.holder, async (ctx) => {
    // The address contains the key, so no linked page may receive it.
    ctx.set('Referrer-Policy', 'no-referrer')
    await show(ctx, paramOf(ctx, 'token'))
  })

  router.post('/membership/price/:token', access.holder, async (request) => {
    const { ctx } = request
    const token = request.param('token')
    const { key, user, subscription } = await found(token)
    const does = request.text('does')
    if (does === 'agree') await raises.agree(key)
    else if (does === 'cancel') {
      const isStopping = subscription.cancel_at_period_end || subscription.cancel_at !== null
      if (!isStopping) await deps.cancel({ user, subscriptionId: subscription.id, when: 'period_end' })
    } else
      throw new MembershipError('ERR_FORM', 'The field "does" must be cancel or agree.', {
        action: 'Send one of them.',
      })
    if (!wantsJson(ctx)) await show(ctx, token)
    return { json: { done: String(does) }, redirect: null }
  })
  return router.routes()
}

function spent(): MembershipError {
  return new MembershipError('ERR_LINK', 'This link is no longer good: it is too old, or incomplete.', {
    action: 'Log in at /membership/login: your account says what you pay, and lets you cancel.',
  })
}
