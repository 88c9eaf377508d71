import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { RouteTools } from '../contract.ts'
import { type Books, unknownObject } from './books.ts'
import { type Customers, subscriptionsIn } from './customers.ts'
import { ownerOf } from './ids.ts'
import type { SandboxSubscription } from './objects.ts'
import { addMonths } from './periods.ts'
import type { Portal, PortalSession } from './portal.ts'
import { portalOf } from './portal-view.ts'
import type { Prices } from './prices.ts'
import { type FiledCard, filedCards } from './shop.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface PortalPageDeps {
  readonly portal: Portal
  readonly subscriptions: Subscriptions
  readonly customers: Customers
  readonly prices: Prices
  readonly books: Books
  readonly randomId: () => string
  readonly now: () => Date
}

type Fields = (name: string) => string

/** Serves the page on which members manage their subscriptions at the sandbox. */
export function portalPages(
  router: Router,
  deps: PortalPageDeps & { readonly answer: Middleware; readonly form: Middleware },
  tools: RouteTools,
): void {
  const { portal, subscriptions, customers, prices, books, randomId, now, answer, form } = deps
  const idOf = (ctx: Context) => (ctx as unknown as { params: { session?: string } }).params.session ?? ''

  const show = async (ctx: Context, session: PortalSession, error: string | null): Promise<void> => {
    const voice = await tools.voiceOf(ctx)
    const seen = await books.look(ownerOf(session.customer), (book) =>
      portalOf(book, session.customer, { prices, now: now(), voice }),
    )
    if (seen === null) throw unknownObject('customer', session.customer)
    ctx.set({ 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' })
    ctx.type = 'html'
    ctx.body = tools.render('checkout/portal', {
      action: portal.addressOf(session.id),
      token: tools.formToken(ctx),
      stylesheet: '/membership/assets/sandbox.css',
      // Whoever paid goes on where the membership is.
      return_url: session.pays === undefined ? session.return_url : tools.accountPath,
      error,
      ...voice,
      ...seen,
      // A page that somebody opened to pay shows nothing else, until it is paid.
      paying: seen.subscriptions.find(({ id, due }) => id === session.pays && due !== null) ?? null,
      is_paid: seen.subscriptions.some(({ id, due }) => id === session.pays && due === null),
    })
  }

  // Each form is one call, so a second click finds it done.
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
    else if (action === 'pay') {
      // The page to pay on asks for a card, as other providers do.
      const card = field('card')
      if (card !== '') await customers.setCard(session.customer, cardFrom(card))
      await customers.payNow(current.id)
    } else throw new MembershipError('ERR_FORM', 'The form asks for nothing known.')
  }

  const choiceOf = (current: SandboxSubscription, priceId: string): string => {
    if (prices.choicesFor(current.price).includes(priceId)) return priceId
    throw new MembershipError('ERR_FORM', 'This plan cannot be chosen here.')
  }

  // The id comes from a form, so only the session decides if it may be used.
  const ownSubscription = async (session: PortalSession, id: string): Promise<SandboxSubscription> => {
    const mine = await books.look(ownerOf(session.customer), subscriptionsIn)
    const found = mine?.find((item) => item.id === id)
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
      const isDeclined = error.code === 'ERR_PAYMENT_DECLINED'
      const messageKey = isDeclined ? 'error.payment_declined.title' : 'portal.not_done'
      return show(ctx, session, (await tools.voiceOf(ctx)).say(messageKey))
    }
    ctx.redirect(portal.addressOf(session.id))
    ctx.status = 303
  })
}

/** Returns the end of a pause: "1" and "3" are months; anything else lasts until it is resumed. */
function pauseEnd(months: string, from: string): string | null {
  return months === '1' || months === '3' ? addMonths(new Date(from), Number(months)).toISOString() : null
}

function cardFrom(word: string): FiledCard {
  return Object.hasOwn(filedCards, word) ? (word as FiledCard) : 'works'
}
