import type { FakeServer } from '../../src/fakes/engine/index.ts'

/** A message as it arrived, its bytes untouched. */
export interface Told {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** What an official package reads of one member's purchase, and does with it. */
export interface Heard {
  readonly email: string
  readonly status: string
  /** What was paid, in minor units. */
  readonly paid: readonly number[]
  /** What it calls the subscription that it cancelled for the end of the period. */
  readonly cancelled: string
  /** How many other objects it read by its own schemas: checkouts, sessions of customers, what is sold, what goes back. */
  readonly others?: number
}

/** How one official package is spoken to. */
export interface Talk {
  readonly package: string
  readonly title: string
  /** Talks to addresses with TLS alone. */
  readonly needsHttps?: true
  /** Reads customer, subscription and payments, and cancels for the end of the period: all by the package. */
  readonly talk: (deps: {
    // biome-ignore lint/suspicious/noExplicitAny: the packages are installed when this runs
    readonly sdk: any
    readonly fake: Pick<FakeServer, 'url' | 'secret'>
    readonly customer: string
    readonly subscription: string
    readonly price: string
    /** The page on which it was bought. */
    readonly checkout: string
  }) => Promise<Heard>
  /** Verifies a message by the package, and answers its type; null where the package verifies none. */
  readonly hear:
    | ((deps: {
        // biome-ignore lint/suspicious/noExplicitAny: the packages are installed when this runs
        readonly sdk: any
        readonly told: Told
        readonly secret: string
      }) => Promise<string>)
    | null
  /** Where the package keeps what verifies, when that is another entry. */
  readonly hearing?: string
}

async function gather<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}

/**
 * The providers' official packages that can be pointed at another address. The others cannot: Lemon Squeezy's
 * and PayPal's have their hosts built in.
 */
export const talks: Readonly<Record<string, Talk>> = {
  paddle: {
    package: '@paddle/paddle-node-sdk@3',
    title: 'Paddle',
    talk: async ({ sdk, fake, customer, subscription }) => {
      const paddle = new sdk.Paddle(fake.secret, { environment: fake.url })
      const { email } = await paddle.customers.get(customer)
      const { status } = await paddle.subscriptions.get(subscription)
      const paid = await paddle.transactions.list({ subscriptionId: [subscription] }).next()
      const ended = await paddle.subscriptions.cancel(subscription, { effectiveFrom: 'next_billing_period' })
      const amounts = paid.map((item: { details: { totals: { grandTotal: string } } }) =>
        Number(item.details.totals.grandTotal),
      )
      return { email, status, paid: amounts, cancelled: ended.scheduledChange.action }
    },
    hear: async ({ sdk, told, secret }) => {
      const verifier = new sdk.Paddle('none').webhooks
      return (await verifier.unmarshal(told.body, secret, told.headers['paddle-signature'])).eventType
    },
  },
  mollie: {
    package: '@mollie/api-client@4',
    title: 'Mollie',
    needsHttps: true,
    talk: async ({ sdk, fake, customer, subscription }) => {
      const mollie = sdk.createMollieClient({ apiKey: fake.secret, apiEndpoint: `${fake.url}/v2/` })
      const { email } = await mollie.customers.get(customer)
      const { status } = await mollie.customerSubscriptions.get(subscription, { customerId: customer })
      const paid = await gather<{ amount: { value: string } }>(
        mollie.customerPayments.iterate({ customerId: customer }),
      )
      const ended = await mollie.customerSubscriptions.cancel(subscription, { customerId: customer })
      const amounts = paid.map(({ amount }) => Math.round(Number(amount.value) * 100))
      return { email, status, paid: amounts, cancelled: ended.status }
    },
    hear: null,
  },
  polar: {
    package: '@polar-sh/sdk@0',
    title: 'Polar',
    talk: async ({ sdk, fake, customer, subscription: id, price }) => {
      const polar = new sdk.Polar({ accessToken: fake.secret, serverURL: fake.url })
      const { email } = await polar.customers.get({ id: customer })
      const { status } = await polar.subscriptions.get({ id })
      const pages = await gather<{ result: { items: { totalAmount: number }[] } }>(
        await polar.orders.list({ customerId: customer }),
      )
      const begun = await polar.checkouts.create({
        products: [price],
        seats: 2,
        allowTrial: false,
        successUrl: 'https://site.example/back',
        returnUrl: 'https://site.example/',
        customerEmail: 'ben@example.com',
        metadata: { membership_intent: 'int_1' },
      })
      const again = await polar.checkouts.get({ id: begun.id })
      const session = await polar.customerSessions.create({ customerId: customer })
      const more = [
        await polar.checkouts.list({}),
        await polar.products.list({}),
        await polar.refunds.list({}),
        await polar.customers.list({}),
      ]
      const lists = (
        await Promise.all(more.map((pages) => gather<{ result: { items: unknown[] } }>(pages)))
      ).flat()
      const update = { cancelAtPeriodEnd: true }
      const ended = await polar.subscriptions.update({ id, subscriptionUpdate: update })
      const amounts = pages.flatMap(({ result }) => result.items.map(({ totalAmount }) => totalAmount))
      const read = [begun, again, session, ...lists.flatMap(({ result }) => result.items)]
      return {
        email,
        status,
        paid: amounts,
        others: read.length,
        cancelled: ended.cancelAtPeriodEnd ? 'cancel' : ended.status,
      }
    },
    hear: async ({ sdk, told, secret }) => sdk.validateEvent(told.body, told.headers, secret).type,
    hearing: '@polar-sh/sdk/webhooks',
  },
  chargebee: {
    package: 'chargebee@3',
    title: 'Chargebee',
    talk: async ({ sdk, fake, customer, subscription }) => {
      const { hostname: site, port } = new URL(fake.url)
      const Chargebee = sdk.default ?? sdk
      const chargebee = new Chargebee({
        site,
        apiKey: fake.secret,
        protocol: 'http',
        hostSuffix: '',
        port: Number(port),
      })
      const { email } = (await chargebee.customer.retrieve(customer)).customer
      const { status } = (await chargebee.subscription.retrieve(subscription)).subscription
      const { list } = await chargebee.transaction.list({ subscription_id: { is: subscription } })
      const ended = await chargebee.subscription.cancelForItems(subscription, { end_of_term: true })
      const amounts = list.map(({ transaction }: { transaction: { amount: number } }) => transaction.amount)
      return { email, status, paid: amounts, cancelled: ended.subscription.status }
    },
    hear: null,
  },
  dodo: {
    package: 'dodopayments@2',
    title: 'Dodo Payments',
    talk: async ({ sdk, fake, customer, subscription: subscription_id }) => {
      const dodo = new sdk.default({ bearerToken: fake.secret, baseURL: fake.url })
      const { email } = await dodo.customers.retrieve(customer)
      const { status } = await dodo.subscriptions.retrieve(subscription_id)
      const paid = await gather<{ total_amount: number }>(dodo.payments.list({ subscription_id }))
      const ended = await dodo.subscriptions.update(subscription_id, { cancel_at_next_billing_date: true })
      const amounts = paid.map(({ total_amount }) => total_amount)
      return { email, status, paid: amounts, cancelled: ended.cancel_at_next_billing_date ? 'cancel' : '' }
    },
    hear: async ({ sdk, told: { body, headers }, secret }) =>
      new sdk.default({ bearerToken: 'none', webhookKey: secret }).webhooks.unwrap(body, { headers }).type,
  },
  creem: {
    package: 'creem@1',
    title: 'Creem',
    talk: async ({ sdk, fake, customer, subscription, price, checkout }) => {
      const creem = new sdk.Creem({ apiKey: fake.secret, serverURL: fake.url })
      const { email } = await creem.customers.retrieve(customer)
      const { status } = await creem.subscriptions.get(subscription)
      const { result } = await creem.transactions.search(customer)
      const begun = await creem.checkouts.create({
        productId: price,
        units: 2,
        requestId: 'int_1',
        successUrl: 'https://site.example/back',
        customer: { email: 'ben@example.com' },
        metadata: { membership_intent: 'int_1' },
      })
      const products = (await creem.products.search(1, 10)).result.items
      const checkouts = await Promise.all([begun.id, checkout].map((id) => creem.checkouts.retrieve(id)))
      const product = await creem.products.get(price)
      const ended = await creem.subscriptions.cancel(subscription, { mode: 'scheduled' })
      const amounts = result.items.map(({ amount }: { amount: number }) => amount)
      const others = [begun, product, ...products, ...checkouts].length
      return { email, status, paid: amounts, others, cancelled: ended.status }
    },
    hear: null,
  },
}
