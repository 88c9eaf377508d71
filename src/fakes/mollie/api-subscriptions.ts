import { dayOf } from '../../providers/mollie/facts.ts'
import { type Json, str } from '../../providers/narrow.ts'
import {
  addCustomer,
  addPrice,
  type Customer,
  cancelSubscription,
  deleteCustomer,
  type Subscription,
  startSubscription,
  type World,
} from '../engine/index.ts'
import { newestMethod } from './api-payments.ts'
import { invalid, MollieError, missing } from './errors.ts'
import { amountIn, checkWebhook, intervalIn, readParams, shownOf, textIn } from './params.ts'
import { type Route, toPage } from './routes.ts'

function customerOf({ store }: World, id: string | undefined): Customer {
  const found = store.find('customer', id ?? null)
  if (found === undefined) throw missing('customer', id ?? '')
  if (found.deleted) throw new MollieError(410, 'The customer is no longer available')
  return found
}

function subscriptionOf(
  { store }: World,
  customer: string | undefined,
  id: string | undefined,
): Subscription {
  const found = store.find('subscription', id ?? null)
  if (found === undefined || found.customer !== customer) throw missing('subscription', id ?? '')
  return found
}

const known = [
  'amount',
  'interval',
  'description',
  'startDate',
  'times',
  'webhookUrl',
  'metadata',
  'mandateId',
  'method',
]

function create(world: World, customer: Customer, params: Json): Subscription {
  const { amount, currency } = amountIn(params)
  checkWebhook(params)
  const description = textIn(params, 'description')
  const method = newestMethod(world, customer.id)
  if (method === undefined) throw invalid('No suitable mandates found for customer')
  const isNamed = (subscription: Subscription) =>
    subscription.customer === customer.id &&
    subscription.status !== 'canceled' &&
    subscription.own?.description === description
  if (world.store.list('subscription').some(isNamed))
    throw invalid('A subscription with the same description already exists', 'description')
  const price = addPrice(world, {
    unit_amount: amount,
    currency,
    product: 'anything',
    recurring: intervalIn(params),
  })
  const start = dayOf(params.startDate)
  const startsAt = start === null ? null : Date.parse(start) / 1000
  const isLater = startsAt !== null && startsAt > world.clock.seconds()
  const made = startSubscription(world, {
    customer: customer.id,
    currency,
    items: [{ price, quantity: 1 }],
    metadata: {},
    // Any mandate that is valid then.
    method: null,
    trialEnd: isLater ? startsAt : null,
    withoutMethod: 'bill',
    coupon: null,
    code: null,
  })
  return world.change('subscription', made.id, { own: shownOf(params) })
}

function update(world: World, before: Subscription, params: Json): Subscription {
  if (before.status === 'canceled') throw invalid('The subscription has been canceled')
  const own = { ...before.own, ...shownOf(params) }
  if (params.amount === undefined) return world.change('subscription', before.id, { own })
  const { amount, currency } = amountIn(params)
  const rhythm = params.interval === undefined ? before.items[0]?.price.rhythm : intervalIn(params)
  const price = addPrice(world, { unit_amount: amount, currency, product: 'anything', recurring: rhythm! })
  const items = before.items.map((item) => ({ ...item, price }))
  return world.change('subscription', before.id, { items, own }, 'subscription changed')
}

function newestOf(world: World, customer: string | undefined) {
  return world.store.list('subscription').filter((subscription) => subscription.customer === customer)
}

/** Customers, their mandates and their subscriptions. */
export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/customers$/,
    run: ({ world, shapes, asked }) => {
      const { email, name, metadata } = readParams(asked.body, ['email', 'name', 'locale', 'metadata'])
      return shapes.customer(addCustomer(world, { email: str(email), name: str(name), own: { metadata } }))
    },
  },
  {
    method: 'GET',
    path: /^\/customers\/(\w+)$/,
    run: ({ world, shapes, ids: [id] }) => shapes.customer(customerOf(world, id)),
  },
  {
    method: 'PATCH',
    path: /^\/customers\/(\w+)$/,
    run: ({ world, shapes, asked, ids: [id] }) => {
      const { email, name } = readParams(asked.body, ['email', 'name', 'locale', 'metadata'])
      const before = customerOf(world, id)
      const patch = {
        ...(email === undefined ? {} : { email: str(email) }),
        ...(name === undefined ? {} : { name: str(name) }),
      }
      return shapes.customer(world.change('customer', before.id, patch, 'customer changed'))
    },
  },
  {
    method: 'DELETE',
    path: /^\/customers\/(\w+)$/,
    run: ({ world, ids: [id] }) => {
      deleteCustomer(world, customerOf(world, id))
      return {}
    },
  },
  {
    method: 'GET',
    path: /^\/customers$/,
    run: (request) => {
      const all = request.world.store.list('customer').filter(({ deleted }) => !deleted)
      return toPage(request, 'customers', all, request.shapes.customer)
    },
  },
  {
    method: 'GET',
    path: /^\/customers\/(\w+)\/mandates$/,
    run: (request) => {
      const { id } = customerOf(request.world, request.ids[0])
      const own = request.world.store.list('method').filter(({ customer }) => customer === id)
      return toPage(request, 'mandates', own, request.shapes.mandate)
    },
  },
  {
    method: 'POST',
    path: /^\/customers\/(\w+)\/subscriptions$/,
    run: ({ world, shapes, asked, ids: [id] }) =>
      shapes.subscription(create(world, customerOf(world, id), readParams(asked.body, known))),
  },
  {
    method: 'GET',
    path: /^\/customers\/(\w+)\/subscriptions$/,
    run: (request) => {
      const { id } = customerOf(request.world, request.ids[0])
      return toPage(request, 'subscriptions', newestOf(request.world, id), request.shapes.subscription)
    },
  },
  {
    method: 'GET',
    path: /^\/subscriptions$/,
    run: (request) =>
      toPage(request, 'subscriptions', request.world.store.list('subscription'), request.shapes.subscription),
  },
  {
    method: 'GET',
    path: /^\/customers\/(\w+)\/subscriptions\/(\w+)$/,
    run: ({ world, shapes, ids: [customer, id] }) => shapes.subscription(subscriptionOf(world, customer, id)),
  },
  {
    method: 'PATCH',
    path: /^\/customers\/(\w+)\/subscriptions\/(\w+)$/,
    run: ({ world, shapes, asked, ids: [customer, id] }) =>
      shapes.subscription(update(world, subscriptionOf(world, customer, id), readParams(asked.body, known))),
  },
  {
    method: 'DELETE',
    path: /^\/customers\/(\w+)\/subscriptions\/(\w+)$/,
    run: ({ world, shapes, ids: [customer, id] }) => {
      const before = subscriptionOf(world, customer, id)
      if (before.status === 'canceled') throw invalid('The subscription has been canceled already')
      return shapes.subscription(cancelSubscription(world, before))
    },
  },
]
