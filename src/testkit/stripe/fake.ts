import { type Answered, type Asked, createApi } from './api.ts'
import { billingRoutes } from './api-billing.ts'
import { checkoutRoutes } from './api-checkout.ts'
import { eventRoutes } from './api-events.ts'
import { readRoutes } from './api-read.ts'
import { scheduleRoutes } from './api-schedules.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toCardNumber, useCard } from './cards.ts'
import { addCoupon, addPrice, addProduct } from './catalogue.ts'
import { createDelivery } from './delivery.ts'
import { endDispute, openDispute } from './disputes.ts'
import { createFaults } from './faults.ts'
import { decodeForm } from './form.ts'
import { createIdempotency } from './idempotency.ts'
import { createLife } from './life.ts'
import type { FakeStripe, FakeStripeOptions } from './options.ts'
import { createPages } from './pages.ts'
import { paySession } from './paying.ts'
import { findPaidCharge, refundCharge } from './payments.ts'
import { addMonths, day } from './periods.ts'
import { defaultConfiguration } from './portal.ts'
import { createIds, createRandom } from './random.ts'
import { type LoggedRequest, startServer } from './server.ts'
import type { Charge, FakeEvent } from './types.ts'
import { createWorld, type Settings, type World } from './world.ts'

/** Starts a fake of Stripe's API on loopback, written after its public documentation. Real clients talk to it with
 *  `host`, `port` and `protocol`; nothing ever leaves this machine but webhooks to the given address. */
export const createFakeStripe = async (options: FakeStripeOptions = {}): Promise<FakeStripe> => {
  const server = await startServer(options.port ?? 0)
  const settings = toSettings(options, server.url)
  const secret = options.secret ?? 'sk_test_fake'
  const world = createWorld(settings)
  const { now } = world.clock
  const { webhook, chaos = {} } = options
  const delivery = createDelivery({ webhook, chaos, seed: settings.seed, now })
  const faults = createFaults()
  const log: LoggedRequest[] = []
  const life = createLife(world)
  defaultConfiguration(world)

  world.events.onAppend((event) => {
    delivery.enqueue(event)
    // After this turn, so that the answer which caused it goes first.
    if (delivery.isAuto()) setImmediate(() => void delivery.deliver())
  })
  const api = createApi({
    world,
    secret,
    routes: [
      ...checkoutRoutes,
      ...subscriptionRoutes,
      ...scheduleRoutes,
      ...billingRoutes,
      ...eventRoutes(delivery.isDelivered),
      ...readRoutes,
    ],
    idempotency: createIdempotency(world.clock.seconds),
    wait: () => pause(faults.latency()),
  })
  const catchUp = () => life.runUntil(now().getTime())
  server.attach({
    api: async (asked) => {
      catchUp()
      const answered = await api(asked)
      // A short trial is warned of at once.
      catchUp()
      return answered
    },
    page: createPages(world, catchUp),
    faults,
    now,
    apiVersion: settings.apiVersion,
    requestId: requestIds(settings.seed),
    log: (asked, status) => log.push(toLogged(asked, status)),
  })

  const afterwards = async (): Promise<void> => {
    if (delivery.isAuto()) await delivery.deliver()
  }
  const advanceTo = async (target: number): Promise<void> => {
    for (const _ of life.steps(target)) await afterwards()
    world.clock.moveTo(target)
  }
  return {
    url: server.url,
    secret,
    addProduct: (product) => addProduct(world, product),
    addPrice: (price) => addPrice(world, price),
    addCoupon: (coupon) => addCoupon(world, coupon),
    now,
    advance: async (by) => advanceTo(targetOf(now(), by)),
    pay: async (session, { at, ...buyer } = {}) => {
      if (at !== undefined) await advanceTo(at.getTime())
      catchUp()
      const paid = paySession(world, session, buyer)
      catchUp()
      await afterwards()
      return paid
    },
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
    requests: () => [...log],
    outage: faults.start,
    latency: faults.setLatency,
    sendTo: delivery.sendTo,
    deliver: delivery.deliver,
    dropped: () => [...delivery.dropped()],
    idle: delivery.idle,
    close: async () => {
      await delivery.stop()
      await server.close()
    },
  }
}

const toSettings = (options: FakeStripeOptions, url: string): Settings => {
  const { apiVersion = '2025-03-31.basil', dunning = {} } = options
  return {
    seed: options.seed ?? '1',
    start: options.start ?? new Date(),
    runningClock: options.running ?? false,
    url,
    apiVersion: apiVersion === 'old' ? '2024-06-20' : apiVersion,
    draftSeconds: options.draftSeconds ?? 3600,
    dunning: { retryDays: dunning.retryDays ?? [3, 5, 7], outcome: dunning.outcome ?? 'cancel' },
  }
}

const pause = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((done) => setTimeout(done, ms))

// Of their own stream: how often somebody reads changes no other id.
const requestIds = (seed: string | number): (() => string) => {
  const ids = createIds(createRandom(seed, 'requests'))
  return () => ids('req', 14)
}

const toLogged = (asked: Asked, status: Answered['status'] | null): LoggedRequest => {
  const key = asked.headers['idempotency-key']
  return {
    method: asked.method,
    path: asked.path,
    params: tolerantly(asked.form),
    idempotency_key: typeof key === 'string' ? key : null,
    status,
  }
}

const tolerantly = (form: string): Record<string, unknown> => {
  try {
    return decodeForm(form)
  } catch {
    return { unreadable: form.slice(0, 1000) }
  }
}

const targetOf = (now: Date, by: Parameters<FakeStripe['advance']>[0]): number => {
  if (by instanceof Date) {
    if (by < now) throw new TypeError('The clock never goes back')
    return by.getTime()
  }
  const { days = 0, months = 0, ms = 0 } = by
  const seconds = addMonths(Math.floor(now.getTime() / 1000), months)
  return seconds * 1000 + (now.getTime() % 1000) + days * day * 1000 + ms
}

const chargeOf = (world: World, id: string): Charge => {
  const charge = findPaidCharge(world, id)
  if (charge === undefined) throw new TypeError(`No charge and no payment ${id}`)
  return charge
}
