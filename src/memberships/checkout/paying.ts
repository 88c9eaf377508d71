import type { Context } from 'koa'
import type { Payment, Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Render } from '../../core/pages/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Arrears, User } from '../members/index.ts'
import { providerAt } from '../verification/provider-at.ts'
import { pageAt } from './provider-page.ts'

/** A subscription by its provider's names. */
export interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/**
 * The facts that a link to pay shows before it leads on: nothing of the member, and of the membership what is owed
 * alone.
 */
export interface Overdue {
  readonly subscription_id: string
  readonly price_id: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly provider: string
}

/**
 * Paying a failed payment from a mail, without a login. The link is good for this one thing, for one subscription and for
 * five weeks; it opens no session, and the provider is asked for its page only when somebody presses the button.
 */
export const createPaying = (deps: {
  tokens: Pick<Tokens, 'sign' | 'verify'>
  providers: ReadonlyMap<string, ProviderReader>
  findMember: (id: string) => Promise<User | null>
}) => {
  const { tokens, providers, findMember } = deps

  /** Null where the provider has no page for an open invoice. */
  const tokenOf = async (member: User, { provider, account, id }: Place): Promise<string | null> =>
    providerAt(providers, provider, account)?.payUrl === undefined
      ? null
      : tokens.sign(purpose, { member: member.id, provider, account, id }, ttlSeconds)

  const subscriptionOf = async (token: string) => {
    const claims = await tokens.verify(purpose, token)
    const user = typeof claims?.member === 'string' ? await findMember(claims.member) : null
    const subscription = user
      ?.subscriptions()
      .find((s) => s.id === claims?.id && s.provider === claims.provider && s.account === claims.account)
    if (!user || !subscription) throw spent()
    return { user, subscription }
  }

  /** The sum that is owed; null where nothing is any more. @throws ERR_LINK */
  const findOverdue = async (token: string): Promise<Overdue | null> => {
    const { user, subscription: s } = await subscriptionOf(token)
    if (s.status !== 'past_due' && s.status !== 'unpaid') return null
    const isOpen = (p: Payment) =>
      p.provider === s.provider && p.subscription_id === s.id && /pending|failed/.test(p.status)
    const open = user.payments().find(isOpen)
    return {
      subscription_id: s.id,
      price_id: s.price_id,
      amount: open?.amount ?? (s.unit_amount === null ? null : s.unit_amount * (s.quantity ?? 1)),
      currency: open?.currency ?? s.currency,
      provider: s.provider,
    }
  }

  /** The provider's page on which it is paid; null where nothing is owed any more. @throws ERR_LINK */
  const open = async (token: string): Promise<string | null> => {
    const { subscription: s } = await subscriptionOf(token)
    if (s.status !== 'past_due' && s.status !== 'unpaid') return null
    const provider = providerAt(providers, s.provider, s.account)
    const url = await provider?.payUrl?.(s.id)
    return provider && url ? pageAt(provider, url) : null
  }

  return { tokenOf, look: findOverdue, open }
}
export type Paying = ReturnType<typeof createPaying>

const purpose = 'pay'
// A provider tries for three weeks, or four.
const ttlSeconds = 35 * 86_400

const spent = (): MembershipError =>
  new MembershipError('ERR_LINK', 'This link is no longer good: it is too old, or incomplete.', {
    action: 'Log in at /membership/login: your account says what is to be paid.',
  })

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

  const toWords = ({ price_id, amount, currency, provider }: Overdue, voice: Voice) => ({
    title: titleIn(voice, price_id, deps.plans()),
    amount: amount === null || currency === null ? null : voice.amount({ amount, currency, provider }),
  })
  const show = async (ctx: Context, overdue: Overdue | null): Promise<void> => {
    ctx.type = 'html'
    const data = await deps.pageData(ctx)
    const arrears = (data.arrears ?? []) as readonly Arrears[]
    // A member who is logged in reads it here as on every page, but has one button for it.
    const known = arrears.find(({ subscription_id }) => subscription_id === overdue?.subscription_id)
    ctx.body = deps.render('shop/pay', {
      ...data,
      arrears: arrears.filter((arrear) => arrear !== known),
      owed:
        overdue === null ? null : { ...toWords(overdue, await deps.voiceOf(ctx)), sentence: known?.sentence },
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
