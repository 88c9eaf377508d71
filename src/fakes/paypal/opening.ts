import {
  createStore,
  createWorld,
  type Kind,
  type ServerContext,
  type Settings,
  trackMap,
} from '../engine/index.ts'
import type { Account, Notes } from './account.ts'
import { messagesOf } from './tell.ts'

/** Creates an account without history. */
export function createAccount(
  settings: Settings,
  { url, clock, ids, messages, replica, longIds }: ServerContext,
): Account {
  const store = createStore(replica)
  const notes = trackMap(replica, new Map<string, Notes>())
  let given: string | null = null
  const letters = (length: number) => ids('', length).slice(1).toUpperCase()
  // 50 characters for plans, products, subscriptions and their transactions, 36 for orders, 255 for disputes:
  // https://developer.paypal.com/docs/api/subscriptions/v1/, https://developer.paypal.com/docs/api/catalog-products/v1/,
  // https://developer.paypal.com/docs/api/orders/v2/ and https://developer.paypal.com/docs/api/customer-disputes/v1/
  const lengths = longIds
    ? { price: 48, product: 45, checkout: 36, subscription: 48, payment: 50, dispute: 250 }
    : { price: 24, product: 17, checkout: 17, subscription: 12, payment: 17, dispute: 8 }
  const make: Partial<Record<Kind | 'item' | 'line', () => string>> = {
    // A payer's id contains no 0, 1, I and O: https://developer.paypal.com/docs/api/orders/v2/
    customer: () => letters(13).replace(/[01IO]/g, (letter) => ({ 0: '2', 1: '3', I: 'J' })[letter] ?? 'P'),
    price: () => `P-${letters(lengths.price)}`,
    product: () => `PROD-${letters(lengths.product)}`,
    checkout: () => given ?? letters(lengths.checkout),
    subscription: () => given ?? `I-${letters(lengths.subscription)}`,
    payment: () => letters(lengths.payment),
    charge: () => letters(lengths.payment),
    dispute: () => `PP-D-${letters(lengths.dispute)}`,
  }
  const account: Account = {
    world: createWorld({
      settings,
      clock,
      store,
      idFor: (kind) => make[kind]?.() ?? letters(17),
      tell: (fact, object, before) => {
        for (const event of messagesOf(account, fact, object, before)) append(event.type, event.resource)
      },
    }),
    url,
    begin: (id, run) => {
      given = id
      try {
        return run()
      } finally {
        given = null
      }
    },
    newId: (kind) =>
      kind === 'order'
        ? letters(lengths.checkout)
        : kind === 'subscription'
          ? `I-${letters(lengths.subscription)}`
          : `BA-${letters(17)}`,
    notesOf: (id) => notes.get(id) ?? {},
    note: (id, more) => {
      replica.beforeChange()
      notes.set(id, { ...notes.get(id), update_time: clock.seconds(), ...more })
    },
    tellOf: (type, object) => {
      for (const event of messagesOf(account, type, object)) append(event.type, event.resource)
    },
  }
  const append = (type: string, resource: Record<string, unknown>): void => {
    const id = `WH-${letters(17)}-${letters(17)}`
    const created = clock.seconds()
    const body = JSON.stringify({
      id,
      event_version: '1.0',
      create_time: clock.now().toISOString(),
      resource_type: type.split('.')[0]?.toLowerCase(),
      resource_version: '2.0',
      event_type: type,
      summary: type,
      resource,
      links: [],
    })
    messages.append({ id, type, created, body })
  }
  return account
}
