import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import type { CustomerUpdate, Fetched, Payer, SubscriptionCall } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { isMissing, subscriptionPath } from './api.ts'
import { objectChanges } from './changes.ts'
import { notesIn, parentOf, toNotes } from './facts.ts'
import { stateOf } from './money.ts'
import type { Customer, Mandate, Payment, Subscription } from './payload.ts'
import { nextCharge, paidFor } from './periods.ts'
import type { SellingDeps } from './sessions.ts'
import { linkOf } from './terms.ts'

/** Actions of members and operators on subscriptions and their customers. */
export function mollieSubscriptions({ api, fetch, now }: Omit<SellingDeps, 'plans' | 'trialAmount'>) {
  /**
   * Cancels a subscription. Mollie ends it at once and irrevocably, so the end of the paid time is noted on
   * it first.
   */
  const cancel = async ({
    subscriptionId: id,
    when,
    idempotencyKey: key,
  }: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched> => {
    const found = await known(id)
    const { raw, path } = found
    // Nothing more is charged, and the paid time stays paid.
    if (raw.status !== 'active' && raw.status !== 'pending') return fetch.toFetched(found)
    const { isOwed } = paidFor(raw, await fetch.paymentsOf(parentOf(raw, 'customer')))
    const paidUntil = when === 'now' || isOwed ? found.at : (nextCharge(raw) ?? found.at)
    const noted = { ...obj(raw.metadata), ...toNotes({ paidUntil }) }
    await api.write(`the end of ${id}`, {
      method: 'PATCH',
      path,
      key: `${key}:note`,
      body: { metadata: noted },
    })
    const ended = await api.write<Subscription>(`the end of ${id}`, { method: 'DELETE', path, key })
    return fetch.toFetched(ended)
  }

  const subscriptionsOf = async (customer: string): Promise<Fetched> => {
    try {
      const { all, at } = await fetch.subscriptionsOf(customer)
      const fetched = await Promise.all(all.map((raw) => fetch.toFetched({ raw, at })))
      return { changes: fetched.flatMap(({ changes }) => changes), at }
    } catch (error) {
      // A deleted customer has none: https://docs.mollie.com/reference/delete-customer
      if (isMissing(error)) return { changes: [], at: now().toISOString() }
      throw error
    }
  }

  /** Opens a page to pay a failed charge manually. That payment also authorises later charges. */
  const payUrl = async (id: string): Promise<string | null> => {
    const { raw } = await known(id)
    const customer = parentOf(raw, 'customer')
    const payments = await fetch.paymentsOf(customer)
    const { charge, first, isOwed } = paidFor(raw, payments)
    const unpaid = charge ?? first
    if (!isOwed || unpaid === null || customer === null) return null
    const pays = str(unpaid.id)
    const tries = payments.filter((payment) => notesIn(payment).pays === pays)
    const open = tries.find(({ status }) => status === 'open')
    if (open) return linkOf(open, 'checkout')
    // An earlier attempt is still being processed by the bank.
    if (tries.some(({ status }) => stateOf(status) === 'pending')) return null
    const { price, quantity, page } = notesIn(raw)
    const made = await api.write<Payment>('a payment', {
      method: 'POST',
      path: '/payments',
      key: `${pays}:paid by hand:${tries.length}`,
      body: {
        amount: unpaid.amount,
        description: str(raw.description),
        redirectUrl: page ?? str(unpaid.redirectUrl) ?? 'https://www.mollie.com',
        ...(str(raw.webhookUrl) === null ? {} : { webhookUrl: raw.webhookUrl }),
        customerId: customer,
        sequenceType: 'first',
        metadata: toNotes({ subscription: id, pays, price, quantity }),
      },
    })
    return linkOf(made.raw, 'checkout')
  }

  /** Identifies the payer by the cards and accounts that may be charged. */
  const payerOf = async (id: string): Promise<Payer | null> => {
    const found = await fetch.readSubscription(id)
    const customer = found && parentOf(found.raw, 'customer')
    if (!found || customer === null) return null
    const path = address`/customers/${customer}/mandates`
    const { all } = await api.all(`mandates of ${customer}`, { path, name: 'mandates' })
    const { intent, trialEnds } = notesIn(found.raw)
    return {
      methods: [...new Set(all.flatMap(fingerprintOf))],
      isOnTrial: trialEnds !== null && (nextCharge(found.raw) ?? '') <= trialEnds,
      isBuyers: intent !== null,
    }
  }

  const updateCustomer = async ({ customerId, email, name, idempotencyKey: key }: CustomerUpdate) => {
    const body = { ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name }) }
    const path = address`/customers/${customerId}`
    const { raw, at } = await api.write<Customer>(`customer ${customerId}`, {
      method: 'PATCH',
      path,
      key,
      body,
    })
    return { changes: objectChanges(raw, { at }), at }
  }

  /** Reads a subscription that must exist. @throws ERR_NOT_FOUND */
  const known = async (id: string): Promise<Answer<Subscription> & { readonly path: string }> => {
    const found = await fetch.readSubscription(id)
    const customer = found && parentOf(found.raw, 'customer')
    if (found && customer) return { raw: found.raw, at: found.at, path: subscriptionPath(customer, id) }
    throw new MembershipError('ERR_NOT_FOUND', `Mollie knows no subscription ${id}.`)
  }

  return { acting: { cancel, subscriptionsOf, payUrl, payerOf, updateCustomer }, known }
}
/** Reads a subscription that must exist. */
export type KnownSubscription = ReturnType<typeof mollieSubscriptions>['known']

// Source: https://docs.mollie.com/reference/get-mandate
function fingerprintOf({ method, details }: Mandate): string[] {
  const { consumerAccount, cardFingerprint, paypalBillingAgreementId } = obj(details)
  const text = str(consumerAccount) ?? str(cardFingerprint) ?? str(paypalBillingAgreementId)
  return text === null ? [] : [`${String(method)} ${text}`]
}
