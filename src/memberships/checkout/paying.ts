import type { Context } from 'koa'
import type { Payment, Plan, Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { wantsJson } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Arrears, PageTools, User } from '../members/index.ts'
import { providerAt } from '../verification/index.ts'
import { pageAt } from './provider-page.ts'

/** A subscription's key at its provider. */
export interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** The facts that a payment link shows: only the amount owed and its subscription, nothing about the member. */
export interface Overdue {
  readonly subscription_id: string
  readonly price_id: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly provider: string
}

export interface Paying {
  /** Signs a link's token; null where the provider has no page for an open invoice. */
  tokenOf(member: User, more: Place): Promise<string | null>
  readonly look: (token: string) => Promise<Overdue | null>
  /**
   * Returns the provider's payment page, or null once nothing is owed.
   * @throws ERR_LINK
   */
  open(token: string): Promise<string | null>
  /** True if the membership of a link ended without having been paid. @throws ERR_LINK */
  hasEnded(token: string): Promise<boolean>
}

/**
 * Pays a failed payment from a mail, without a login. The link works for one subscription and five weeks, and opens no
 * session. The provider is asked for its page only when somebody presses the button.
 */
export function createPaying(deps: {
  tokens: Pick<Tokens, 'sign' | 'verify'>
  providers: ReadonlyMap<string, ProviderReader>
  findMember: (id: string) => Promise<User | null>
  notePayPage: (place: Place) => Promise<void>
}): Paying {
  const { tokens, providers, findMember, notePayPage } = deps

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

  /**
   * Returns the amount owed, or null once nothing is owed.
   * @throws ERR_LINK
   */
  const findOverdue = async (token: string): Promise<Overdue | null> => {
    const { user, subscription: s } = await subscriptionOf(token)
    if (!isOwed(s, user.payments())) return null
    const isOpen = (p: Payment) =>
      p.provider === s.provider && p.subscription_id === s.id && /pending|failed/.test(p.status)
    const open = user.payments().find(isOpen)
    const each = s.unit_amount === null ? null : s.unit_amount * (s.quantity ?? 1)
    const { amount, currency } = open ?? { amount: each, currency: s.currency }
    return {
      subscription_id: s.id,
      price_id: s.price_id,
      amount: currency === null ? null : amount,
      currency,
      provider: s.provider,
    }
  }

  const open = async (token: string): Promise<string | null> => {
    const { user, subscription: s } = await subscriptionOf(token)
    if (!isOwed(s, user.payments())) return null
    const provider = providerAt(providers, s.provider, s.account)
    const url = await provider?.payUrl?.(s.id)
    if (!provider || !url) return null
    await notePayPage(s)
    return pageAt(provider, url)
  }

  const hasEnded = async (token: string): Promise<boolean> => {
    const { user, subscription } = await subscriptionOf(token)
    return subscription.ended && lastOf(subscription, user.payments())?.status !== 'paid'
  }

  return { tokenOf, look: findOverdue, open, hasEnded }
}

/** True while something can be paid: also the open invoice that is left when retries have ended the membership. */
function isOwed(s: Subscription, payments: readonly Payment[]): boolean {
  return (
    s.status === 'past_due' || s.status === 'unpaid' || (s.ended && lastOf(s, payments)?.status === 'pending')
  )
}

function lastOf(s: Subscription, payments: readonly Payment[]): Payment | undefined {
  return payments
    .filter((p) => p.provider === s.provider && p.subscription_id === s.id)
    .sort((a, b) => (dayOf(a) < dayOf(b) ? 1 : -1))[0]
}

function dayOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}

const purpose = 'pay'
// A provider retries for three or four weeks.
const ttlSeconds = 35 * 86_400

function spent(): MembershipError {
  return new MembershipError('ERR_LINK', 'This link is no longer good: it is too old, or incomplete.', {
    action: 'Log in at /membership/login: your account says what is to be paid.',
  })
}

/**
 * `/membership/pay/{token}`: the page behind the link in a failed-payment mail. A GET asks no provider, so that a mail
 * program that checks links triggers nothing.
 */
export function payingRouter(deps: {
  readonly form: FormTools
  readonly page: PageTools
  readonly paying: Paying
  readonly plans: () => readonly Plan[]
}) {
  const { paying } = deps
  const router = createFormRouter(deps.form)

  const toWords = ({ price_id, amount, currency, provider }: Overdue, voice: Voice) => ({
    title: titleIn(voice, price_id, deps.plans()),
    amount: amount === null || currency === null ? null : voice.amount({ amount, currency, provider }),
  })
  const show = async (ctx: Context, token: string, overdue: Overdue | null): Promise<void> => {
    ctx.type = 'html'
    const data = await deps.page.pageData(ctx)
    const arrears = (data.arrears ?? []) as readonly Arrears[]
    // A logged-in member sees the failed payment as on every page, but only one button for it.
    const known = arrears.find(({ subscription_id }) => subscription_id === overdue?.subscription_id)
    ctx.body = deps.page.render('shop/pay', {
      ...data,
      arrears: arrears.filter((arrear) => arrear !== known),
      owed:
        overdue === null
          ? null
          : { ...toWords(overdue, await deps.page.voiceOf(ctx)), sentence: known?.sentence },
      hasEnded: overdue === null && (await paying.hasEnded(token)),
      action: ctx.path,
    })
  }

  router.get('/membership/pay/:token', access.holder, async (ctx) => {
    // The address contains the key, so no linked page may receive it.
    ctx.set('Referrer-Policy', 'no-referrer')
    const token = paramOf(ctx, 'token')
    await show(ctx, token, await paying.look(token))
  })

  router.post('/membership/pay/:token', access.holder, async (request) => {
    const { ctx } = request
    const token = request.param('token')
    const url = await paying.open(token)
    if (url === null && !wantsJson(ctx)) await show(ctx, token, null)
    return { json: { url }, redirect: url }
  })
  return router.routes()
}
