import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { formatMoney } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { RouteTools } from '../contract.ts'
import { unknownObject } from './books.ts'
import type { Customers } from './customers.ts'
import type { SandboxSubscription } from './objects.ts'
import { addMonths } from './periods.ts'
import type { Portal, PortalSession } from './portal.ts'
import type { Prices } from './prices.ts'
import { type FiledCard, filedCards } from './shop.ts'
import type { Subscriptions } from './subscriptions.ts'
import { paymentWords, pricePageWords, standingWords } from './words.ts'

export interface PortalPageDeps {
  readonly portal: Portal
  readonly subscriptions: Subscriptions
  readonly customers: Customers
  readonly prices: Prices
  readonly randomId: () => string
  readonly now: () => Date
}

type Fields = (name: string) => string

/** The page on which members look after their memberships at the sandbox. */
export const portalPages = (
  router: Router,
  deps: PortalPageDeps & { readonly answer: Middleware; readonly form: Middleware },
  tools: RouteTools,
): void => {
  const { portal, subscriptions, customers, prices, randomId, now, answer, form } = deps
  const idOf = (ctx: Context) => (ctx as unknown as { params: { session?: string } }).params.session ?? ''

  const show = async (ctx: Context, session: PortalSession, error: string | null): Promise<void> => {
    const { customer: id } = session
    const mine = await customers.subscriptionsOf(id)
    ctx.set({ 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' })
    ctx.type = 'html'
    ctx.body = tools.render('checkout/portal', {
      action: portal.addressOf(session.id),
      token: tools.formToken(ctx),
      stylesheet: '/membership/assets/sandbox.css',
      return_url: session.return_url,
      error,
      customer: { email: await customers.emailOf(id), card: await customers.cardOf(id) },
      subscriptions: await Promise.all(mine.sort(livingFirst).map(toRow)),
      payments: (await customers.paymentsOf(id)).map((payment) => paymentWords(payment, now())),
    })
  }

  const toRow = async (s: SandboxSubscription) => {
    const isRunning = s.status === 'active' || s.status === 'trialing'
    return {
      id: s.id,
      title: s.price.label,
      price: pricePageWords(s.price),
      sentence: standingWords(s, now()),
      cancel: s.status !== 'canceled' && !s.cancel_at_period_end,
      keep: s.status !== 'canceled' && s.paused === null && s.cancel_at_period_end,
      pause: isRunning && s.paused === null && !s.cancel_at_period_end,
      resume: s.paused !== null,
      pay: await customers.isOpen(s.id),
      choices:
        isRunning && s.paused === null
          ? await Promise.all(prices.choicesFor(s.price).map((id) => toChoice(s, id)))
          : [],
    }
  }

  const toChoice = async (s: SandboxSubscription, priceId: string) => {
    const { amount_due, currency } = await subscriptions.preview(toSwap(s, priceId))
    const { label, formatted, per } = pricePageWords(prices.priceOf(priceId))
    const due = amount_due === 0 ? 'nothing today' : `${formatMoney({ amount: amount_due, currency })} today`
    return { id: priceId, words: `${label}: ${formatted} ${per}, ${due}` }
  }

  // A page's form is one call: pressed twice, the second finds it done.
  const toSwap = ({ id, quantity }: SandboxSubscription, priceId: string) => ({
    subscription: { id },
    priceId,
    quantity,
    proration: 'now' as const,
    prorationAt: null,
    idempotencyKey: randomId(),
  })

  const act = async (session: PortalSession, field: Fields): Promise<void> => {
    const action = field('action')
    if (action === 'card') return customers.setCard(session.customer, cardFrom(field('card')))
    const current = await ownSubscription(session, field('subscription'))
    const call = { subscriptionId: current.id, idempotencyKey: randomId() }
    if (action === 'cancel') await subscriptions.cancel({ ...call, when: 'period_end' })
    else if (action === 'keep' || action === 'resume') await subscriptions.resume(call)
    else if (action === 'pause')
      await subscriptions.pause({ ...call, until: pauseEnd(field('months'), current.period_end) })
    else if (action === 'change') await subscriptions.swap(toSwap(current, choiceOf(current, field('price'))))
    else if (action === 'pay') await customers.payNow(current.id)
    else throw new MembershipError('ERR_FORM', 'The form asks for nothing known.')
  }

  const choiceOf = (current: SandboxSubscription, priceId: string): string => {
    if (prices.choicesFor(current.price).includes(priceId)) return priceId
    throw new MembershipError('ERR_FORM', 'This plan cannot be chosen here.')
  }

  // The id comes from a form: only the session says whose it may be.
  const ownSubscription = async (session: PortalSession, id: string): Promise<SandboxSubscription> => {
    const found = (await customers.subscriptionsOf(session.customer)).find((one) => one.id === id)
    if (found) return found
    throw unknownObject('subscription', id)
  }

  router.get('/membership/sandbox/portal/:session', answer, async (ctx) =>
    show(ctx, await portal.find(idOf(ctx)), null),
  )

  router.post('/membership/sandbox/portal/:session', answer, form, async (ctx) => {
    const session = await portal.find(idOf(ctx))
    const body = (ctx.request.body ?? {}) as Record<string, unknown>
    tools.checkForm(ctx, body.token)
    try {
      await act(session, (name) => (typeof body[name] === 'string' ? body[name].slice(0, 200) : ''))
    } catch (error) {
      if (!isMembershipError(error) || error.code === 'ERR_NOT_FOUND') throw error
      ctx.status = 422
      return show(ctx, session, error.message)
    }
    ctx.redirect(portal.addressOf(session.id))
    ctx.status = 303
  })
}

const livingFirst = (a: SandboxSubscription, b: SandboxSubscription): number =>
  Number(a.status === 'canceled') - Number(b.status === 'canceled') || (a.started < b.started ? 1 : -1)

/** "1" and "3" are months; anything else lasts until it is resumed. */
const pauseEnd = (months: string, from: string): string | null =>
  months === '1' || months === '3' ? addMonths(new Date(from), Number(months)).toISOString() : null

const cardFrom = (word: string): FiledCard =>
  Object.hasOwn(filedCards, word) ? (word as FiledCard) : 'works'
