import { createIdempotency, openMerchant } from '../../../merchant/index.ts'
import { createApi } from './api.ts'
import { billingRoutes } from './api-billing.ts'
import { checkoutRoutes } from './api-checkout.ts'
import { eventRoutes } from './api-events.ts'
import { readRoutes } from './api-read.ts'
import { scheduleRoutes } from './api-schedules.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toCardNumber, useCard } from './cards.ts'
import { addCoupon, addPrice, addProduct } from './catalogue.ts'
import { endDispute, openDispute } from './disputes.ts'
import { refuseKey } from './errors.ts'
import { decodeForm } from './form.ts'
import { createLife } from './life.ts'
import type { FakeStripe, FakeStripeOptions } from './options.ts'
import { createPages } from './pages.ts'
import { paySession } from './paying.ts'
import { findPaidCharge, refundCharge } from './payments.ts'
import { defaultConfiguration } from './portal.ts'
import { signEvent } from './signing.ts'
import type { Charge, FakeEvent } from './types.ts'
import { createWorld, type Settings, type World } from './world.ts'

/** Starts the merchant as Stripe, written after its public documentation. Real clients talk to it with `host`, `port`
 *  and `protocol`. */
export const createFakeStripe = async (options: FakeStripeOptions = {}): Promise<FakeStripe> => {
  const secret = options.secret ?? 'sk_test_fake'
  const { speech, controls, act } = await openMerchant(options, (ground) => {
    const world = createWorld(toSettings(options), ground)
    const life = createLife(world)
    defaultConfiguration(world)
    return {
      world,
      api: createApi({
        world,
        secret,
        routes: [
          ...checkoutRoutes,
          ...subscriptionRoutes,
          ...scheduleRoutes,
          ...billingRoutes,
          ...eventRoutes(ground.isDelivered),
          ...readRoutes,
        ],
        idempotency: createIdempotency({
          seconds: ground.clock.seconds,
          // https://docs.stripe.com/api/idempotent_requests
          keptSeconds: 86_400,
          maxLength: 255,
          refuse: refuseKey,
        }),
        wait: ground.wait,
      }),
      page: createPages(world),
      sign: signEvent,
      requestId: (ids) => ids('req', 14),
      paramsOf: ({ query, body }) => tolerantly([query, body].filter((part) => part !== '').join('&')),
      steps: life.steps,
    }
  })
  const { world } = speech
  return {
    ...controls,
    secret,
    addProduct: (product) => addProduct(world, product),
    addPrice: (price) => addPrice(world, price),
    addCoupon: (coupon) => addCoupon(world, coupon),
    pay: (session, { at, ...buyer } = {}) => act(() => paySession(world, session, buyer), at),
    useCard: (customer, card) => void useCard(world, customer, toCardNumber(card)),
    failNextPayment: (id) => {
      if (!world.store.find('customer', id) && !world.store.find('subscription', id))
        throw new TypeError(`No customer and no subscription ${id}`)
      world.notes.failing.add(id)
    },
    refund: (id, amount) => refundCharge(world, chargeOf(world, id), { amount }),
    dispute: (id, reason = 'fraudulent') => openDispute(world, chargeOf(world, id), reason),
    closeDispute: (id, outcome) => endDispute(world, id, outcome),
    objects: { list: world.store.list, get: world.store.findAny },
    events: () => world.events.all().map(({ body }) => JSON.parse(body) as FakeEvent),
  }
}

const toSettings = (options: FakeStripeOptions): Settings => {
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
  const charge = findPaidCharge(world, id)
  if (charge === undefined) throw new TypeError(`No charge and no payment ${id}`)
  return charge
}
