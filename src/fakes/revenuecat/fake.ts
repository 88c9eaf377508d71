import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Project, key and clock of the fake. */
export interface FakeRevenueCatOptions {
  readonly secret?: string
  readonly project?: string
  /** Signing secret of the webhook integration. */
  readonly signingSecret?: string
  readonly now: () => Date
}

/** A purchase in an app. */
export interface FakePurchase {
  /** App user id of the buyer. */
  readonly user: string
  /** Id of the product in the store. */
  readonly product: string
  readonly store?: string
  readonly environment?: 'production' | 'sandbox'
  readonly ownership?: 'purchased' | 'family_shared'
  /** Days of the period; 30 by default. */
  readonly days?: number
  readonly isTrial?: boolean
  readonly price?: number
  readonly currency?: string
}

type Fields = Record<string, unknown>

/** A subscription as the API shows it, and its transactions. */
interface Held {
  readonly fields: Fields
  readonly transactions: Fields[]
  readonly price: number
  readonly currency: string
  readonly days: number
}

const dayMs = 86_400_000

/**
 * Plays RevenueCat in tests: an app's purchases, REST API v2 and signed events. Each action returns the events that
 * RevenueCat would send.
 */
export async function createFakeRevenueCat(options: FakeRevenueCatOptions) {
  const { secret = 'sk_fake', project = 'proj1ab2c3d4', signingSecret = 'a signing secret', now } = options
  const aliases = new Map<string, string[]>()
  const attributes = new Map<string, Fields[]>()
  const products = new Map<string, Fields>()
  const subscriptions = new Map<string, Held>()
  const purchases = new Map<string, Fields>()
  let made = 0
  const nextId = (prefix: string): string => `${prefix}${String(++made).padStart(10, '0')}`
  const ms = (): number => now().getTime()

  /** RevenueCat's own customer of an app user id: the first id of the aliases. */
  const customerOf = (user: string): string => {
    for (const [id, others] of aliases) if (others.includes(user)) return id
    aliases.set(user, [user])
    return user
  }
  const productOf = (identifier: string, days: number): string => {
    for (const [id, product] of products) if (product.store_identifier === identifier) return id
    const id = nextId('prod')
    products.set(id, {
      object: 'product',
      id,
      store_identifier: identifier,
      type: 'subscription',
      created_at: ms(),
      app_id: 'app1a2b3c4',
      display_name: identifier,
      subscription: {
        duration: days >= 365 ? 'P1Y' : days === 7 ? 'P1W' : 'P1M',
        grace_period_duration: null,
        trial_duration: null,
      },
    })
    return id
  }
  const revenue = (gross: number, currency: string): Fields => ({
    currency,
    gross,
    tax: Math.round(gross * 16) / 100,
    commission: Math.round(gross * 15) / 100,
    proceeds: Math.round(gross * 69) / 100,
  })
  const transactionOf = (held: Held, gross = held.price): Fields => ({
    object: 'subscription_transaction',
    id: nextId('2000000'),
    purchased_at: ms(),
    product_store_identifier: products.get(String(held.fields.product_id))?.store_identifier ?? '',
    revenue_in_local_currency: revenue(gross, held.currency),
    revenue_in_usd: revenue(gross, 'USD'),
    expiration_date: held.fields.ends_at,
    effective_expiration_date: held.fields.ends_at,
  })

  /** An event in the documented form, with what every event about a purchase has. */
  const eventOf = (type: string, fields: Fields, more: Fields = {}): Fields => {
    const customer = String(fields.customer_id)
    const all = aliases.get(customer) ?? [customer]
    return {
      api_version: '1.0',
      event: {
        id: randomUUID(),
        type,
        event_timestamp_ms: ms(),
        app_id: 'app1a2b3c4',
        app_user_id: all.at(-1),
        original_app_user_id: all[0],
        aliases: all,
        product_id: products.get(String(fields.product_id))?.store_identifier ?? null,
        entitlement_ids: ['pro'],
        environment: String(fields.environment).toUpperCase(),
        store: String(fields.store).toUpperCase(),
        is_family_share: fields.ownership === 'family_shared',
        purchased_at_ms: fields.current_period_starts_at ?? fields.purchased_at,
        expiration_at_ms: fields.ends_at ?? null,
        ...more,
      },
    }
  }
  const paidIn = (held: Held): Fields => ({
    transaction_id: held.transactions.at(-1)?.id,
    original_transaction_id: held.transactions[0]?.id,
    price: held.price,
    price_in_purchased_currency: held.price,
    currency: held.currency,
    tax_percentage: 0.16,
    commission_percentage: 0.15,
    period_type: 'NORMAL',
  })
  const find = (id: string): Held => {
    const held = subscriptions.get(id)
    if (held === undefined) throw new Error(`The fake has no subscription ${id}.`)
    return held
  }

  const actions = {
    /** Starts a subscription; the answer has its id and the events. */
    subscribe(purchase: FakePurchase): { readonly id: string; readonly events: Fields[] } {
      const { user, product, store = 'app_store', environment = 'production', days = 30 } = purchase
      const { ownership = 'purchased', isTrial = false, price = 9.99, currency = 'EUR' } = purchase
      const id = nextId('sub')
      const customer_id = customerOf(user)
      const ends = ms() + days * dayMs
      const isGranted = store === 'promotional'
      const fields: Fields = {
        object: 'subscription',
        id,
        customer_id,
        original_customer_id: customer_id,
        product_id: isGranted ? null : productOf(product, days),
        starts_at: ms(),
        current_period_starts_at: ms(),
        current_period_ends_at: ends,
        ends_at: ends,
        gives_access: true,
        pending_payment: false,
        status: isTrial ? 'trialing' : 'active',
        auto_renewal_status: isGranted ? 'will_not_renew' : 'will_renew',
        pending_changes: null,
        total_revenue_in_usd: revenue(isTrial ? 0 : price, 'USD'),
        presented_offering_id: null,
        environment,
        store,
        store_subscription_identifier: `${made}`,
        ownership,
        country: 'DE',
        management_url: store === 'app_store' ? 'https://apps.apple.com/account/subscriptions' : null,
        entitlements: {
          object: 'list',
          items: [{ object: 'entitlement', lookup_key: 'pro' }],
          next_page: null,
        },
      }
      const held: Held = { fields, transactions: [], price, currency, days }
      subscriptions.set(id, held)
      if (!isGranted) held.transactions.push(transactionOf(held, isTrial ? 0 : price))
      const free = isTrial ? { price: 0, price_in_purchased_currency: 0, period_type: 'TRIAL' } : {}
      const type = isGranted ? 'NON_RENEWING_PURCHASE' : 'INITIAL_PURCHASE'
      return { id, events: [eventOf(type, fields, { ...paidIn(held), ...free })] }
    },
    renew(id: string): Fields[] {
      const held = find(id)
      const from = Math.max(Number(held.fields.ends_at), ms())
      const ends = from + held.days * dayMs
      Object.assign(held.fields, {
        status: 'active',
        gives_access: true,
        auto_renewal_status: 'will_renew',
        current_period_starts_at: from,
        current_period_ends_at: ends,
        ends_at: ends,
      })
      held.transactions.push(transactionOf(held))
      return [eventOf('RENEWAL', held.fields, { ...paidIn(held), is_trial_conversion: false })]
    },
    /** The buyer turns the renewal off, or on again. */
    cancel(id: string): Fields[] {
      const { fields } = find(id)
      fields.auto_renewal_status = 'will_not_renew'
      return [eventOf('CANCELLATION', fields, { cancel_reason: 'UNSUBSCRIBE', price: 0 })]
    },
    uncancel(id: string): Fields[] {
      const { fields } = find(id)
      fields.auto_renewal_status = 'will_renew'
      return [eventOf('UNCANCELLATION', fields)]
    },
    /** The store cannot charge: access goes on for a time, or not. */
    fail(id: string, { hasGrace = true }: { hasGrace?: boolean } = {}): Fields[] {
      const { fields } = find(id)
      Object.assign(fields, {
        status: hasGrace ? 'in_grace_period' : 'in_billing_retry',
        gives_access: hasGrace,
      })
      const grace = { grace_period_expiration_at_ms: hasGrace ? ms() + 6 * dayMs : null }
      return [
        eventOf('CANCELLATION', fields, { cancel_reason: 'BILLING_ERROR' }),
        eventOf('BILLING_ISSUE', fields, grace),
      ]
    },
    /** Google Play pauses at the end of the period. */
    pause(id: string, days: number): Fields[] {
      const { fields } = find(id)
      fields.auto_renewal_status = 'will_pause'
      return [
        eventOf('SUBSCRIPTION_PAUSED', fields, { auto_resume_at_ms: Number(fields.ends_at) + days * dayMs }),
      ]
    },
    beginPause(id: string, days: number): Fields[] {
      const { fields } = find(id)
      const starts = Number(fields.ends_at)
      Object.assign(fields, {
        status: 'paused',
        gives_access: false,
        current_period_starts_at: starts,
        current_period_ends_at: starts + days * dayMs,
        ends_at: starts + days * dayMs,
      })
      return [eventOf('EXPIRATION', fields, { expiration_reason: 'SUBSCRIPTION_PAUSED' })]
    },
    expire(id: string, reason = 'UNSUBSCRIBE'): Fields[] {
      const { fields } = find(id)
      Object.assign(fields, {
        status: 'expired',
        gives_access: false,
        auto_renewal_status: 'will_not_renew',
        ends_at: Math.min(Number(fields.ends_at), ms()),
      })
      return [eventOf('EXPIRATION', fields, { expiration_reason: reason })]
    },
    /** The store refunds the last payment and ends the access. */
    refund(id: string): Fields[] {
      const held = find(id)
      const last = held.transactions.at(-1)
      const told = eventOf('CANCELLATION', held.fields, {
        ...paidIn(held),
        cancel_reason: 'CUSTOMER_SUPPORT',
        price: -held.price,
        price_in_purchased_currency: -held.price,
      })
      const ended = actions.expire(id, 'CUSTOMER_SUPPORT')
      if (last !== undefined) last.revenue_in_local_currency = revenue(0, held.currency)
      return [told, ...ended]
    },
    changeProduct(id: string, product: string): Fields[] {
      const held = find(id)
      const wanted = products.get(productOf(product, held.days))
      Object.assign(held.fields, {
        auto_renewal_status: 'will_change_product',
        pending_changes: { product: wanted },
      })
      return [eventOf('PRODUCT_CHANGE', held.fields, { new_product_id: product })]
    },
    /** Something bought once. */
    buy(purchase: FakePurchase): { readonly id: string; readonly events: Fields[] } {
      const { user, product, store = 'app_store', environment = 'production' } = purchase
      const { ownership = 'purchased', price = 9.99, currency = 'EUR' } = purchase
      const id = nextId('purch')
      const customer_id = customerOf(user)
      const fields: Fields = {
        object: 'purchase',
        id,
        customer_id,
        original_customer_id: customer_id,
        product_id: productOf(product, 0),
        purchased_at: ms(),
        quantity: 1,
        status: 'owned',
        revenue_in_usd: revenue(price, 'USD'),
        revenue_in_local_currency: revenue(price, currency),
        presented_offering_id: null,
        environment,
        store,
        store_purchase_identifier: `${made}`,
        ownership,
        country: 'DE',
        entitlements: { object: 'list', items: [], next_page: null },
      }
      purchases.set(id, fields)
      const paid = { transaction_id: `${made}`, price_in_purchased_currency: price, currency }
      return { id, events: [eventOf('NON_RENEWING_PURCHASE', fields, paid)] }
    },
    refundPurchase(id: string): Fields[] {
      const fields = purchases.get(id)
      if (fields === undefined) throw new Error(`The fake has no purchase ${id}.`)
      fields.status = 'refunded'
      return [eventOf('CANCELLATION', fields, { cancel_reason: 'CUSTOMER_SUPPORT' })]
    },
    /** Somebody logs in whose purchases belong to an anonymous id so far. */
    alias(anonymous: string, user: string): void {
      const customer = customerOf(anonymous)
      aliases.set(customer, [...(aliases.get(customer) ?? []), user])
    },
    /** All purchases of one person go to another, as after "restore purchases" on a shared device. */
    transfer(from: string, to: string): Fields[] {
      const [giver, taker] = [customerOf(from), customerOf(to)]
      for (const { fields } of subscriptions.values())
        if (fields.customer_id === giver) fields.customer_id = taker
      for (const fields of purchases.values()) if (fields.customer_id === giver) fields.customer_id = taker
      const event = {
        id: randomUUID(),
        type: 'TRANSFER',
        event_timestamp_ms: ms(),
        app_id: 'app1a2b3c4',
        transferred_from: [from],
        transferred_to: [to],
        store: 'APP_STORE',
        environment: 'PRODUCTION',
      }
      return [{ api_version: '1.0', event }]
    },
    /** A subscription, or something bought once, as the API shows it. */
    show(id: string): Readonly<Fields> {
      return purchases.get(id) ?? find(id).fields
    },
    /** Gross amounts that were not given back, in cents, by transaction. */
    kept(id: string): ReadonlyMap<string, number> {
      const purchase = purchases.get(id)
      const all: readonly (readonly [unknown, unknown])[] =
        purchase === undefined
          ? find(id).transactions.map((paid) => [paid.id, paid.revenue_in_local_currency])
          : [[id, purchase.status === 'refunded' ? { gross: 0 } : purchase.revenue_in_local_currency]]
      return new Map(
        all.map(([key, paid]) => [String(key), Math.round(Number((paid as Fields).gross) * 100)]),
      )
    },
    setEmail(user: string, email: string): void {
      const value = { object: 'customer.attribute', name: '$email', value: email, updated_at: ms() }
      attributes.set(customerOf(user), [value])
    },
  }

  const answer = (path: string): Fields | null => {
    const [, kind, id = '', part] =
      /^\/v2\/projects\/[^/]+\/([\w/]+?)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(path) ?? []
    const key = decodeURIComponent(id)
    const items = (all: readonly Fields[]): Fields => ({
      object: 'list',
      items: all,
      next_page: null,
      url: path,
    })
    if (path.endsWith('/customers'))
      return items([...aliases.keys()].map((id) => ({ object: 'customer', id, project_id: project })))
    if (path.endsWith('/integrations/webhooks')) return items([])
    if (kind === 'products') return products.get(key) ?? null
    if (kind === 'purchases') return purchases.get(key) ?? null
    if (kind === 'subscriptions' && part === 'transactions')
      return subscriptions.has(key) ? items(find(key).transactions) : null
    if (kind === 'subscriptions') return subscriptions.get(key)?.fields ?? null
    if (kind !== 'customers') return null
    const customer = [...aliases].find(([, all]) => all.includes(key))?.[0]
    if (customer === undefined) return null
    const own = (fields: Fields): boolean => fields.customer_id === customer
    if (part === 'subscriptions')
      return items([...subscriptions.values()].map(({ fields }) => fields).filter(own))
    if (part === 'purchases') return items([...purchases.values()].filter(own))
    if (part === 'aliases')
      return items(
        (aliases.get(customer) ?? []).map((id, place) => ({
          object: 'customer.alias',
          id,
          created_at: place,
        })),
      )
    return {
      object: 'customer',
      id: customer,
      project_id: project,
      attributes: items(attributes.get(customer) ?? []),
    }
  }

  const requests: string[] = []
  let isDown = false
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    requests.push(`${request.method} ${path}`)
    const reply = (status: number, body: Fields): void => {
      response.writeHead(status, { 'content-type': 'application/json', date: now().toUTCString() })
      response.end(JSON.stringify(body))
    }
    const error = (type: string, message: string): Fields => ({
      object: 'error',
      type,
      message,
      retryable: false,
    })
    if (isDown) return reply(503, error('server_error', 'Try again later.'))
    if (request.headers.authorization !== `Bearer ${secret}`)
      return reply(401, error('authentication_error', 'Invalid API key.'))
    const found =
      request.method === 'GET' && path.startsWith(`/v2/projects/${project}/`) ? answer(path) : null
    return found === null ? reply(404, error('resource_missing', 'Not found.')) : reply(200, found)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))

  return {
    ...actions,
    secret,
    project,
    signingSecret,
    /** Every request so far, such as `GET /v2/projects/…`. */
    requests,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Makes every request fail, or answer again. */
    setDown: (value: boolean) => {
      isDown = value
    },
    /** Returns an event as it is delivered: its bytes, and the signature over them. */
    delivery(event: Fields): { readonly body: Buffer; readonly headers: Record<string, string> } {
      const body = Buffer.from(JSON.stringify(event))
      const seconds = Math.floor(ms() / 1000)
      const hash = createHmac('sha256', signingSecret).update(`${seconds}.`).update(body).digest('hex')
      return { body, headers: { 'x-revenuecat-webhook-signature': `t=${seconds},v1=${hash}` } }
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** A running fake of RevenueCat. */
export type FakeRevenueCat = Awaited<ReturnType<typeof createFakeRevenueCat>>
