import { toDecimal } from '../../providers/decimals.ts'
import { toRhythm } from '../../providers/mollie/facts.ts'
import type { Json } from '../../providers/narrow.ts'
import {
  type AnyObject,
  type Customer,
  type Dispute,
  isAccount,
  type Method,
  type Refund,
  type Subscription,
  type World,
} from '../engine/index.ts'
import { chargeIn, findPaying, type Paying, subscriptionIn } from './account.ts'

/** Formats a moment as Mollie does: `2026-03-01T12:00:00+00:00`. */
export function moment(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`
}

/** Formats a day: `2026-03-01`. */
export function dayIn(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** Formats an amount. */
export function money(minor: number, currency: string): Json {
  return {
    value: toDecimal(minor, currency),
    currency: currency.toUpperCase(),
  }
}

/** Shows the engine's objects as Mollie does. https://docs.mollie.com/reference */
export function createShapes(world: World, url: string) {
  const { store } = world
  const self = (path: string) => ({ self: { href: `${url}/v2${path}`, type: 'application/hal+json' } })

  const links = (
    path: string,
    { parent, page }: { parent?: readonly [string, string]; page: string },
  ): Json => ({
    ...self(path),
    ...(parent === undefined ? {} : { [parent[0]]: self(parent[1]).self }),
    documentation: { href: `https://docs.mollie.com/reference/${page}`, type: 'text/html' },
  })

  const payment = (paying: Paying, embeds: readonly string[] = []): Json => {
    const charge = chargeIn(world, paying)
    const subscription = subscriptionIn(world, paying)
    const status = statusOf(world, paying)
    const { id, customer, currency } = paying
    const amount = paying.kind === 'checkout' ? paying.total : paying.amount
    const { webhookUrl, redirectUrl, description, metadata = null } = paying.own ?? subscription?.own ?? {}
    const sequenceType = paying.own?.sequenceType ?? 'recurring'
    const returned = charge && charge.refunded > 0 ? { amountRefunded: money(charge.refunded, currency) } : {}
    const taken = disputesOf(paying).filter((dispute) => dispute.status !== 'won')
    const method = store.find('method', charge?.method ?? null)
    return {
      resource: 'payment',
      id,
      mode: 'test',
      createdAt: moment(paying.created),
      amount: money(amount, currency),
      description,
      method: charge ? (isAccount(charge.number) ? 'directdebit' : 'creditcard') : null,
      metadata,
      status,
      isCancelable: status === 'open',
      locale: null,
      ...(paying.kind === 'checkout' && status === 'open' ? { expiresAt: moment(paying.expires_at) } : {}),
      ...(status === 'paid' ? { paidAt: moment(charge?.created ?? paying.created) } : {}),
      ...returned,
      ...(taken.length > 0
        ? {
            amountChargedBack: money(
              taken.reduce((sum, d) => sum + d.amount, 0),
              currency,
            ),
          }
        : {}),
      ...(customer === null ? {} : { customerId: customer }),
      ...(method ? { mandateId: method.id } : {}),
      ...(subscription ? { subscriptionId: subscription.id } : {}),
      profileId: 'pfl_test',
      sequenceType,
      redirectUrl: redirectUrl ?? null,
      webhookUrl: webhookUrl ?? null,
      ...(embeds.length > 0 ? { _embedded: embedded(paying, embeds) } : {}),
      _links: {
        ...links(`/payments/${id}`, { page: 'get-payment' }),
        dashboard: { href: `${url}/dashboard/payments/${id}`, type: 'text/html' },
        ...(status === 'open' ? { checkout: { href: `${url}/checkout/${id}`, type: 'text/html' } } : {}),
      },
    }
  }

  const embedded = (paying: Paying, embeds: readonly string[]): Json => ({
    ...(embeds.includes('refunds') ? { refunds: refundsOf(paying).map(refund) } : {}),
    ...(embeds.includes('chargebacks') ? { chargebacks: disputesOf(paying).map(chargeback) } : {}),
  })

  const refundsOf = (paying: Paying): Refund[] => {
    const charge = chargeIn(world, paying)
    return store.list('refund').filter((back) => back.charge === charge?.id)
  }
  const disputesOf = (paying: Paying): Dispute[] => {
    const charge = chargeIn(world, paying)
    return store.list('dispute').filter((dispute) => dispute.charge === charge?.id)
  }

  const refund = (refund: Refund): Json => ({
    resource: 'refund',
    id: refund.id,
    mode: 'test',
    description: '',
    amount: money(refund.amount, refund.currency),
    status: 'refunded',
    metadata: refund.metadata,
    paymentId: findPaying(world, refund.payment)?.id,
    createdAt: moment(refund.created),
    _links: links(`/payments/${refund.payment}/refunds/${refund.id}`, {
      parent: ['payment', `/payments/${findPaying(world, refund.payment)?.id}`],
      page: 'get-refund',
    }),
  })

  const chargeback = (dispute: Dispute): Json => ({
    resource: 'chargeback',
    id: dispute.id,
    amount: money(dispute.amount, dispute.currency),
    createdAt: moment(dispute.created),
    settlementAmount: money(-dispute.amount, dispute.currency),
    reason: null,
    reversedAt: dispute.status === 'won' ? moment(dispute.created) : null,
    paymentId: findPaying(world, dispute.payment)?.id,
    _links: links(`/payments/${dispute.payment}/chargebacks/${dispute.id}`, {
      parent: ['payment', `/payments/${findPaying(world, dispute.payment)?.id}`],
      page: 'get-chargeback',
    }),
  })

  const customer = (customer: Customer): Json => ({
    resource: 'customer',
    id: customer.id,
    mode: 'test',
    name: customer.name,
    email: customer.email,
    locale: null,
    recentlyUsedMethods: [],
    metadata: customer.own?.metadata ?? null,
    createdAt: moment(customer.created),
    _links: {
      ...links(`/customers/${customer.id}`, { page: 'get-customer' }),
      ...Object.fromEntries(
        ['mandates', 'subscriptions', 'payments'].map((list) => [
          list,
          self(`/customers/${customer.id}/${list}`).self,
        ]),
      ),
      dashboard: { href: `${url}/dashboard/customers/${customer.id}`, type: 'text/html' },
    },
  })

  const subscription = (subscription: Subscription): Json => {
    const [item] = subscription.items
    const rhythm = item?.price.rhythm
    const isOver = subscription.status === 'canceled'
    return {
      resource: 'subscription',
      id: subscription.id,
      mode: 'test',
      createdAt: moment(subscription.created),
      status: isOver ? 'canceled' : 'active',
      amount: money((item?.price.amount ?? 0) * (item?.quantity ?? 1), subscription.currency),
      times: null,
      timesRemaining: null,
      interval: rhythm ? toRhythm(rhythm.interval, rhythm.interval_count) : null,
      startDate: dayIn(subscription.trial_end ?? subscription.created),
      nextPaymentDate: isOver || item === undefined ? null : dayIn(item.end),
      description: subscription.own?.description,
      method: null,
      mandateId: store.find('customer', subscription.customer)?.method ?? null,
      customerId: subscription.customer,
      metadata: subscription.own?.metadata ?? null,
      webhookUrl: subscription.own?.webhookUrl ?? null,
      ...(subscription.ended_at === null ? {} : { canceledAt: moment(subscription.ended_at) }),
      _links: links(`/customers/${subscription.customer}/subscriptions/${subscription.id}`, {
        parent: ['customer', `/customers/${subscription.customer}`],
        page: 'get-subscription',
      }),
    }
  }

  const mandate = (method: Method): Json => ({
    resource: 'mandate',
    id: method.id,
    mode: 'test',
    status: 'valid',
    method: isAccount(method.number) ? 'directdebit' : 'creditcard',
    details: isAccount(method.number)
      ? { consumerName: 'Ann', consumerAccount: method.number, consumerBic: 'INGBNL2A' }
      : {
          cardHolder: 'Ann',
          cardNumber: method.number.slice(-4),
          cardLabel: 'Visa',
          cardFingerprint: `fingerprint of ${method.number}`,
          cardExpiryDate: dayIn(method.created + 3 * 365 * 86_400),
        },
    mandateReference: null,
    signatureDate: dayIn(method.created),
    customerId: method.customer,
    createdAt: moment(method.created),
    _links: links(`/customers/${method.customer}/mandates/${method.id}`, {
      parent: ['customer', `/customers/${method.customer}`],
      page: 'get-mandate',
    }),
  })

  /** Shows any object; kinds that Mollie lacks stay unchanged. */
  const show = (anyObject: AnyObject): Json => {
    switch (anyObject.kind) {
      case 'checkout':
      case 'payment':
        return payment(anyObject)
      case 'refund':
        return refund(anyObject)
      case 'dispute':
        return chargeback(anyObject)
      case 'customer':
        return customer(anyObject)
      case 'subscription':
        return subscription(anyObject)
      case 'method':
        return mandate(anyObject)
      default:
        return { ...anyObject }
    }
  }
  return { payment, refund, chargeback, customer, subscription, mandate, show }
}
/** Views of the engine's objects. */
export type Shapes = ReturnType<typeof createShapes>

/** Returns Mollie's status of a payment. https://docs.mollie.com/docs/status-change */
export function statusOf(world: World, paying: Paying): string {
  const payment = paying.kind === 'payment' ? paying : world.store.find('payment', paying.payment)
  if (paying.kind === 'checkout') {
    if (paying.status === 'open') return 'open'
    if (paying.status === 'expired') return paying.own?.isCanceled === true ? 'canceled' : 'expired'
    if (paying.paid !== 'unpaid') return 'paid'
  }
  if (payment?.status === 'paid') return 'paid'
  return payment?.status === 'processing' ? 'pending' : 'failed'
}
