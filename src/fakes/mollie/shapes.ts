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

/** `2026-03-01T12:00:00+00:00`, as Mollie writes moments. */
export const moment = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`

/** `2026-03-01`. */
export const dayIn = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** An amount in words. */
export const money = (minor: number, currency: string): Json => ({
  value: toDecimal(minor, currency),
  currency: currency.toUpperCase(),
})

/** Shows what the merchant has as Mollie does. https://docs.mollie.com/reference */
export const createShapes = (world: World, url: string) => {
  const { store } = world
  const self = (path: string) => ({ self: { href: `${url}/v2${path}`, type: 'application/hal+json' } })

  const payment = (one: Paying, embeds: readonly string[] = []): Json => {
    const charge = chargeIn(world, one)
    const subscription = subscriptionIn(world, one)
    const status = statusOf(world, one)
    const { id, customer, currency } = one
    const amount = one.kind === 'checkout' ? one.total : one.amount
    const { webhookUrl, redirectUrl, description, metadata = null } = one.own ?? subscription?.own ?? {}
    const sequenceType = one.own?.sequenceType ?? 'recurring'
    const returned = charge && charge.refunded > 0 ? { amountRefunded: money(charge.refunded, currency) } : {}
    const taken = disputesOf(one).filter((dispute) => dispute.status !== 'won')
    const method = store.find('method', charge?.method ?? null)
    return {
      resource: 'payment',
      id,
      mode: 'test',
      createdAt: moment(one.created),
      amount: money(amount, currency),
      description,
      method: charge ? (isAccount(charge.number) ? 'directdebit' : 'creditcard') : null,
      metadata,
      status,
      ...(status === 'open' ? { isCancelable: true } : {}),
      ...(one.kind === 'checkout' && status === 'open' ? { expiresAt: moment(one.expires_at) } : {}),
      ...(status === 'paid' ? { paidAt: moment(charge?.created ?? one.created) } : {}),
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
      ...(embeds.length > 0 ? { _embedded: embedded(one, embeds) } : {}),
      _links: {
        ...self(`/payments/${id}`),
        dashboard: { href: `${url}/dashboard/payments/${id}`, type: 'text/html' },
        ...(status === 'open' ? { checkout: { href: `${url}/checkout/${id}`, type: 'text/html' } } : {}),
      },
    }
  }

  const embedded = (one: Paying, embeds: readonly string[]): Json => ({
    ...(embeds.includes('refunds') ? { refunds: refundsOf(one).map(refund) } : {}),
    ...(embeds.includes('chargebacks') ? { chargebacks: disputesOf(one).map(chargeback) } : {}),
  })

  const refundsOf = (one: Paying): Refund[] => {
    const charge = chargeIn(world, one)
    return store.list('refund').filter((back) => back.charge === charge?.id)
  }
  const disputesOf = (one: Paying): Dispute[] => {
    const charge = chargeIn(world, one)
    return store.list('dispute').filter((dispute) => dispute.charge === charge?.id)
  }

  const refund = (one: Refund): Json => ({
    resource: 'refund',
    id: one.id,
    mode: 'test',
    description: '',
    amount: money(one.amount, one.currency),
    status: 'refunded',
    metadata: one.metadata,
    paymentId: findPaying(world, one.payment)?.id,
    createdAt: moment(one.created),
    _links: self(`/payments/${one.payment}/refunds/${one.id}`),
  })

  const chargeback = (one: Dispute): Json => ({
    resource: 'chargeback',
    id: one.id,
    amount: money(one.amount, one.currency),
    createdAt: moment(one.created),
    reversedAt: one.status === 'won' ? moment(one.created) : null,
    paymentId: findPaying(world, one.payment)?.id,
    _links: self(`/payments/${one.payment}/chargebacks/${one.id}`),
  })

  const customer = (one: Customer): Json => ({
    resource: 'customer',
    id: one.id,
    mode: 'test',
    name: one.name,
    email: one.email,
    locale: null,
    metadata: one.own?.metadata ?? null,
    createdAt: moment(one.created),
    _links: {
      ...self(`/customers/${one.id}`),
      dashboard: { href: `${url}/dashboard/customers/${one.id}`, type: 'text/html' },
    },
  })

  const subscription = (one: Subscription): Json => {
    const [item] = one.items
    const rhythm = item?.price.rhythm
    const isOver = one.status === 'canceled'
    return {
      resource: 'subscription',
      id: one.id,
      mode: 'test',
      createdAt: moment(one.created),
      status: isOver ? 'canceled' : 'active',
      amount: money((item?.price.amount ?? 0) * (item?.quantity ?? 1), one.currency),
      times: null,
      timesRemaining: null,
      interval: rhythm ? toRhythm(rhythm.interval, rhythm.interval_count) : null,
      startDate: dayIn(one.trial_end ?? one.created),
      nextPaymentDate: isOver || item === undefined ? null : dayIn(item.end),
      description: one.own?.description,
      method: null,
      mandateId: store.find('customer', one.customer)?.method ?? null,
      customerId: one.customer,
      metadata: one.own?.metadata ?? null,
      webhookUrl: one.own?.webhookUrl ?? null,
      ...(one.ended_at === null ? {} : { canceledAt: moment(one.ended_at) }),
      _links: self(`/customers/${one.customer}/subscriptions/${one.id}`),
    }
  }

  const mandate = (one: Method): Json => ({
    resource: 'mandate',
    id: one.id,
    mode: 'test',
    status: 'valid',
    method: isAccount(one.number) ? 'directdebit' : 'creditcard',
    details: isAccount(one.number)
      ? { consumerAccount: one.number }
      : { cardNumber: one.number.slice(-4), cardFingerprint: `fingerprint of ${one.number}` },
    customerId: one.customer,
    createdAt: moment(one.created),
    _links: self(`/customers/${one.customer}/mandates/${one.id}`),
  })

  /** Whatever it is; what Mollie has not stays as it is. */
  const show = (one: AnyObject): Json => {
    switch (one.kind) {
      case 'checkout':
      case 'payment':
        return payment(one)
      case 'refund':
        return refund(one)
      case 'dispute':
        return chargeback(one)
      case 'customer':
        return customer(one)
      case 'subscription':
        return subscription(one)
      case 'method':
        return mandate(one)
      default:
        return { ...one }
    }
  }
  return { payment, refund, chargeback, customer, subscription, mandate, show }
}
/** Shows what the merchant has. */
export type Shapes = ReturnType<typeof createShapes>

/** Mollie's word for where a payment stands. https://docs.mollie.com/docs/status-change */
export const statusOf = (world: World, one: Paying): string => {
  const payment = one.kind === 'payment' ? one : world.store.find('payment', one.payment)
  if (one.kind === 'checkout') {
    if (one.status === 'open') return 'open'
    if (one.status === 'expired') return one.own?.isCanceled === true ? 'canceled' : 'expired'
    if (one.paid !== 'unpaid') return 'paid'
  }
  if (payment?.status === 'paid') return 'paid'
  return payment?.status === 'processing' ? 'pending' : 'failed'
}
