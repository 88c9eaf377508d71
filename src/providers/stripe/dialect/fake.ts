import {
  addCoupon,
  addPrice,
  addProduct,
  type Charge,
  createIdempotency,
  createLife,
  endDispute,
  failNext,
  findCharge,
  openDispute,
  openMerchant,
  payCheckout,
  refund,
  toCardNumber,
  useCard,
  type World,
} from '../../../merchant/index.ts'
import { createApi } from './api.ts'
import { billingRoutes } from './api-billing.ts'
import { checkoutRoutes } from './api-checkout.ts'
import { eventRoutes } from './api-events.ts'
import { readRoutes } from './api-read.ts'
import { scheduleRoutes } from './api-schedules.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { refuseKey } from './errors.ts'
import { decodeForm } from './form.ts'
import { createAccount } from './opening.ts'
import type { FakeStripe, FakeStripeOptions } from './options.ts'
import { createPages } from './pages.ts'
import type { FakeEvent } from './shapes.ts'
import { refusalText } from './shapes-money.ts'
import { signEvent } from './signing.ts'

/** Starts the merchant as Stripe, written after its public documentation. Real clients talk to it with `host`, `port`
 *  and `protocol`. */
export const createFakeStripe = async (options: FakeStripeOptions = {}): Promise<FakeStripe> => {
  const secret = options.secret ?? 'sk_test_fake'
  const { speech, controls, act } = await openMerchant(options, (ground) => {
    const account = createAccount(toSettings(options), ground)
    const { world } = account
    const idempotency = createIdempotency({
      seconds: ground.clock.seconds,
      // https://docs.stripe.com/api/idempotent_requests
      keptSeconds: 86_400,
      maxLength: 255,
      refuse: refuseKey,
    })
    const routes = [
      ...checkoutRoutes,
      ...subscriptionRoutes,
      ...scheduleRoutes,
      ...billingRoutes,
      ...eventRoutes(ground.isDelivered),
      ...readRoutes,
    ]
    return {
      account,
      api: createApi({ account, secret, routes, idempotency, wait: ground.wait }),
      page: createPages(world),
      sign: signEvent,
      requestId: (ids) => ids('req', 14),
      paramsOf: ({ query, body }) => tolerantly([query, body].filter((part) => part !== '').join('&')),
      steps: createLife(world),
    }
  })
  const { account } = speech
  const { world, show } = account
  return {
    ...controls,
    secret,
    addProduct: (product) => show(addProduct(world, product)),
    addPrice: (price) => show(addPrice(world, price)),
    addCoupon: (coupon) => show(addCoupon(world, coupon)),
    pay: (session, { at, ...buyer } = {}) =>
      act(() => {
        const { checkout, refusal } = payCheckout(world, session, buyer)
        return { session: show(checkout), refusal: refusal && refusalText(refusal) }
      }, at),
    useCard: (customer, card) => void useCard(world, customer, toCardNumber(card)),
    failNextPayment: (id) => failNext(world, id),
    refund: (id, amount) => show(refund(world, chargeOf(world, id), { amount })),
    dispute: (id, reason = 'fraudulent') => show(openDispute(world, chargeOf(world, id), reason)),
    closeDispute: (id, outcome) => show(endDispute(world, id, outcome)),
    objects: { list: account.list, get: account.findAny },
    events: () => account.events.all().map(({ body }) => JSON.parse(body) as FakeEvent),
  }
}

const toSettings = (options: FakeStripeOptions) => {
  const { apiVersion = '2025-03-31.basil', dunning = {} } = options
  return {
    apiVersion: apiVersion === 'old' ? '2024-06-20' : apiVersion,
    draftSeconds: options.draftSeconds ?? 3600,
    dunning: { retryDays: dunning.retryDays ?? [3, 5, 7], outcome: dunning.outcome ?? 'cancel' },
  }
}

const tolerantly = (form: string): Record<string, unknown> => {
  try {
    return decodeForm(form)
  } catch {
    return { unreadable: form.slice(0, 1000) }
  }
}

const chargeOf = (world: World, id: string): Charge => {
  const charge = findCharge(world, id)
  if (charge === undefined) throw new TypeError(`No charge and no payment ${id}`)
  return charge
}
