import type { Checkout, Customer, Invoice, Json, Subscription } from '../engine/index.ts'
import { type Account, iso, isoOrNull, type Resource } from './account.ts'
import { inTexts, numberOf, priceIdOf, resource } from './shapes-goods.ts'

/** https://docs.lemonsqueezy.com/api/customers/the-customer-object */
export function toCustomer(account: Account, knownCustomer: Customer): Resource {
  return resource('customers', knownCustomer.id, {
    name: knownCustomer.name ?? '',
    email: knownCustomer.email,
    status: 'subscribed',
    city: null,
    region: null,
    country: 'US',
    country_formatted: 'United States',
    total_revenue_currency: 0,
    total_revenue_currency_formatted: '$0.00',
    mrr: 0,
    mrr_formatted: '$0.00',
    urls: {
      customer_portal: account.listSubscriptions().some(({ customer }) => customer === knownCustomer.id)
        ? `${account.url}/billing?user=${knownCustomer.id}&signature=x`
        : null,
    },
    created_at: account.madeAt(knownCustomer.id),
    updated_at: account.changedAt(knownCustomer.id),
  })
}

/** https://docs.lemonsqueezy.com/api/checkouts/the-checkout-object */
export function toCheckout(account: Account, checkout: Checkout): Resource {
  return resource('checkouts', checkout.id, {
    variant_id: numberOf(checkout.lines[0]?.price ?? ''),
    custom_price: checkout.lines[0]?.amount ?? null,
    ...optionsOf(account, checkout),
    expires_at: iso(checkout.expires_at),
    created_at: account.madeAt(checkout.id),
    updated_at: account.madeAt(checkout.id),
    url: `${account.url}/checkout/custom/${checkout.id}?expires=${checkout.expires_at}&signature=x`,
  })
}

/**
 * Returns the options of a page, with defaults for missing ones.
 * https://docs.lemonsqueezy.com/api/checkouts/the-checkout-object
 */
function optionsOf({ world }: Account, { own, ...checkout }: Checkout): Json {
  const texts = (names: string): Json => Object.fromEntries(names.split(' ').map((name) => [name, '']))
  const colours = (names: string): Json =>
    Object.fromEntries(names.split(' ').map((name) => [`${name}_color`, '']))
  const given = (name: string): Json => (own?.[name] ?? {}) as Json
  return {
    product_options: {
      ...texts('name description redirect_url receipt_button_text receipt_link_url receipt_thank_you_note'),
      ...texts('confirmation_title confirmation_message confirmation_button_text'),
      media: [],
      enabled_variants: [],
      ...given('product_options'),
    },
    checkout_options: {
      embed: false,
      media: true,
      logo: true,
      desc: true,
      discount: true,
      dark: false,
      skip_trial: false,
      quantity: 1,
      subscription_preview: true,
      ...colours('background headings primary_text secondary_text links borders checkbox active_state'),
      ...colours('button button_text terms_privacy'),
      ...given('checkout_options'),
    },
    checkout_data: {
      email: '',
      name: '',
      billing_address: [],
      tax_number: '',
      discount_code: '',
      custom: [],
      variant_quantities: [],
      ...given('checkout_data'),
    },
    preview: {
      currency: checkout.currency.toUpperCase(),
      currency_rate: 1,
      ...inTexts(
        {
          subtotal: checkout.subtotal,
          discount_total: checkout.discount,
          tax: checkout.tax,
          setup_fee: world.store.find('price', checkout.lines[0]?.price ?? null)?.trial_amount ?? 0,
          total: checkout.total,
        },
        checkout.currency,
      ),
    },
  }
}

function buyerOf({ world }: Account, id: string | null): Json {
  const customer = world.store.find('customer', id)
  return {
    customer_id: numberOf(id ?? ''),
    user_name: customer?.name ?? '',
    user_email: customer?.email ?? '',
  }
}

/** Shows the order of a completed page. https://docs.lemonsqueezy.com/api/orders/the-order-object */
export function toOrder(account: Account, page: Checkout): Resource {
  const { world } = account
  const id = account.orderOf(page) ?? ''
  const invoice = world.store.find('invoice', page.invoice)
  const payment = world.store.find('payment', page.payment ?? invoice?.payment ?? null)
  const charge = world.store.find('charge', payment?.charge ?? null)
  const [line] = page.lines
  const price = world.store.get('price', line?.price ?? null)
  const items = world.store.find('subscription', page.subscription)?.items
  return resource('orders', id, {
    ...buyerOf(account, page.customer),
    identifier: identifierOf(page),
    order_number: Number(id),
    currency: page.currency.toUpperCase(),
    currency_rate: '1.0000',
    ...sums(page.subtotal, page.discount, page.tax, page.total, page.currency),
    ...inTexts({ setup_fee: 0 }, page.currency),
    tax_name: '',
    tax_rate: '0.00',
    ...backOf(page.total, charge?.refunded ?? 0, page.currency),
    refunded_at: charge?.refunded ? account.changedAt(charge.id) : null,
    status: page.paid === 'unpaid' ? 'pending' : statusOf(page.total, charge?.refunded ?? 0),
    first_order_item: {
      id: Number(id) + 1_000_000,
      order_id: Number(id),
      product_id: numberOf(price.product),
      variant_id: numberOf(price.id),
      price_id: priceIdOf(price),
      product_name: world.store.find('product', price.product)?.name,
      variant_name: price.nickname ?? 'Default',
      price: line?.amount ?? price.amount,
      quantity: line?.quantity ?? items?.[0]?.quantity ?? 1,
      created_at: account.madeAt(page.payment ?? invoice?.id ?? page.id),
      updated_at: account.madeAt(page.payment ?? invoice?.id ?? page.id),
      test_mode: true,
    },
    urls: { receipt: `${account.url}/my-orders/${identifierOf(page)}?signature=x` },
    created_at: account.madeAt(page.payment ?? invoice?.id ?? page.id),
    updated_at: account.changedAt(page.id, charge?.id),
  })
}

/** Returns the identifier that only the buyer sees. */
export function identifierOf({ id }: Checkout): string {
  return [...id].reverse().join('')
}

/** https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object */
export function toInvoice(account: Account, invoice: Invoice): Resource {
  const { world } = account
  const charge = world.store.find('charge', world.store.find('payment', invoice.payment)?.charge ?? null)
  const refunded = invoice.status === 'paid' ? (charge?.refunded ?? 0) : 0
  return resource('subscription-invoices', invoice.id, {
    subscription_id: numberOf(invoice.subscription),
    ...buyerOf(account, invoice.customer),
    billing_reason: reasons[invoice.reason],
    card_brand: 'visa',
    card_last_four: charge?.number.slice(-4) ?? null,
    currency: invoice.currency.toUpperCase(),
    currency_rate: '1.0000',
    ...sums(invoice.subtotal, invoice.discount?.amount ?? 0, invoice.tax, invoice.due, invoice.currency),
    ...backOf(invoice.due, refunded, invoice.currency),
    refunded_at: refunded > 0 ? account.changedAt(invoice.id, charge?.id) : null,
    status:
      invoice.status === 'paid'
        ? statusOf(invoice.due, refunded)
        : invoice.status === 'open'
          ? 'pending'
          : 'void',
    urls: {
      invoice_url: invoice.status === 'paid' ? `${account.url}/invoice/${invoice.id}?signature=x` : null,
    },
    created_at: account.madeAt(invoice.id),
    updated_at: account.changedAt(invoice.id, charge?.id),
  })
}

const reasons = { start: 'initial', cycle: 'renewal', change: 'updated', upcoming: 'renewal' } as const

function sums(subtotal: number, discount: number, tax: number, total: number, currency: string): Json {
  return {
    ...inTexts({ subtotal, discount_total: discount, tax, total }, currency),
    tax_inclusive: false,
  }
}

function backOf(total: number, refunded: number, currency: string): Json {
  return {
    ...inTexts({ refunded_amount: refunded }, currency),
    refunded: refunded > 0 && refunded === total,
  }
}

function statusOf(total: number, refunded: number): string {
  return refunded === 0 ? 'paid' : refunded < total ? 'partial_refund' : 'refunded'
}

/** https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object */
export function toSubscription(account: Account, knownSubscription: Subscription): Resource {
  const { world, url } = account
  const [item] = knownSubscription.items
  const page = world.store.list('checkout').find(({ subscription }) => subscription === knownSubscription.id)
  const order = page === undefined ? '' : (account.orderOf(page) ?? '')
  const price = item?.price
  const retry = world.store.find('invoice', knownSubscription.invoice)?.next_try ?? null
  const isOver = knownSubscription.status === 'canceled'
  const shown = {
    ...buyerOf(account, knownSubscription.customer),
    order_id: numberOf(order),
    order_item_id: Number(order) + 1_000_000,
    product_id: numberOf(price?.product ?? ''),
    variant_id: numberOf(price?.id ?? ''),
    product_name: world.store.find('product', price?.product ?? null)?.name,
    variant_name: price?.nickname ?? 'Default',
    status: wordOf(knownSubscription),
    card_brand: 'visa',
    card_last_four: '4242',
    pause: knownSubscription.collection && {
      mode: 'void',
      resumes_at: isoOrNull(knownSubscription.collection.resumes_at),
    },
    cancelled: isOver || knownSubscription.cancel_at !== null,
    trial_ends_at: knownSubscription.status === 'trialing' ? isoOrNull(knownSubscription.trial_end) : null,
    billing_anchor: new Date(knownSubscription.anchor * 1000).getUTCDate(),
    first_subscription_item:
      knownSubscription.status === 'trialing' || item === undefined
        ? null
        : {
            id: numberOf(item.id),
            subscription_id: numberOf(knownSubscription.id),
            price_id: priceIdOf(item.price),
            quantity: item.quantity,
            is_usage_based: false,
            created_at: account.madeAt(knownSubscription.id),
            updated_at: account.changedAt(knownSubscription.id),
          },
    urls: {
      update_payment_method: `${url}/subscription/${knownSubscription.id}/payment-details?signature=x`,
      customer_portal: `${url}/billing?user=${knownSubscription.customer}&signature=x`,
      customer_portal_update_subscription: `${url}/billing/${knownSubscription.id}/update?signature=x`,
    },
    renews_at: isoOrNull(
      knownSubscription.status === 'past_due' ? (retry ?? item?.end ?? null) : (item?.end ?? null),
    ),
    ends_at: isoOrNull(isOver ? knownSubscription.ended_at : knownSubscription.cancel_at),
    created_at: account.madeAt(knownSubscription.id),
  }
  const { first_subscription_item: _, ...own } = shown
  const updated_at = account.revisedAt(knownSubscription.id, JSON.stringify(own))
  return resource('subscriptions', knownSubscription.id, { ...shown, updated_at })
}

const words: Partial<Record<Subscription['status'], string>> = { trialing: 'on_trial', canceled: 'expired' }

function wordOf(subscription: Subscription): string {
  const word = words[subscription.status] ?? subscription.status
  if (word === 'expired' || subscription.cancel_at === null)
    return subscription.collection === null ? word : 'paused'
  return 'cancelled'
}
