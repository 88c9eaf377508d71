import Router from '@koa/router'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { problems } from '../../core/http/problems.ts'
import type { RouteTools } from '../contract.ts'
import { address } from '../rest.ts'
import { intentIn } from '../sessions.ts'
import type { PaddleApi } from './api.ts'
import { isClosed } from './notes.ts'
import type { Transaction } from './payload.ts'

/**
 * Returns the address of our payment page, given that of the confirmation page. Paddle appends `?_ptxn=` and
 * the transaction.
 */
export function buyersPage(returnUrl: string): string {
  return returnUrl.replace(/\/membership\/(subscribe|payment)\/([^/]+)$/, '/membership/paddle/$1/$2')
}

/** Dependencies of that page. */
export interface PageOptions {
  readonly api: PaddleApi
  /** Token for browsers; it can only open a checkout. */
  readonly clientToken: string
  readonly isTest: boolean
}

/**
 * Serves Paddle's checkout on a page of the site, because Paddle has none of its own. Paddle.js opens the
 * transaction in `_ptxn`, then sends the buyer to `successUrl`. `/membership/paddle/pay` is for the default
 * payment link, where failed renewals are paid.
 * https://developer.paddle.com/build/transactions/pass-transaction-checkout
 */
export function paddlePage({ api, clientToken, isTest }: PageOptions, tools: RouteTools): Router {
  const router = new Router()
  const answer = problems(tools.log)
  const show = (ctx: Context, successPath: string): void => {
    ctx.set('Cache-Control', 'private, no-store')
    ctx.type = 'html'
    ctx.body = tools.render('checkout/paddle', {
      client_token: clientToken,
      is_test: isTest,
      success_path: successPath,
    })
  }

  /** @throws ERR_NOT_FOUND for a transaction that this purchase did not make */
  const isOpen = async (ctx: Context, intent: string): Promise<boolean> => {
    const { _ptxn: id } = ctx.query
    const found =
      typeof id === 'string' ? await api.find<Transaction>('a checkout', address`/transactions/${id}`) : null
    if (found !== null && intentIn(found.raw.custom_data) === intent)
      return !isClosed(found.raw) && !done.has(found.raw.status)
    throw new MembershipError('ERR_NOT_FOUND', 'There is no such checkout.', {
      action: 'Start again from the prices.',
    })
  }

  for (const mode of ['subscribe', 'payment'])
    router.get(`/membership/paddle/${mode}/:intent`, answer, tools.limit, async (ctx) => {
      const intent = ctx.params.intent ?? ''
      const back = `/membership/${mode}/${encodeURIComponent(intent)}`
      if (await isOpen(ctx, intent)) show(ctx, back)
      else ctx.redirect(back)
    })

  router.get('/membership/paddle/pay', answer, (ctx) => show(ctx, tools.accountPath))

  return router
}

const done: ReadonlySet<unknown> = new Set(['paid', 'completed'])
