import { hash } from 'node:crypto'
import {
  type Checkout,
  type Customer,
  cardExpiry,
  isAccount,
  type Method,
  type Portal,
  testCardOf,
} from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** https://docs.stripe.com/api/customers/object */
export function toCustomer(customer: Customer) {
  return {
    ...headOf('customer', customer),
    ...blank('address', 'currency', 'default_source', 'description', 'phone', 'shipping', 'test_clock'),
    balance: customer.balance,
    delinquent: false,
    ...(customer.deleted ? { deleted: true as const } : {}),
    email: customer.email,
    invoice_settings: {
      ...blank('custom_fields', 'footer', 'rendering_options'),
      default_payment_method: customer.method,
    },
    metadata: customer.metadata,
    name: customer.name,
    preferred_locales: [],
    tax_exempt: 'none',
    ...customer.own,
  }
}

/** https://docs.stripe.com/api/payment_methods/object */
export function toMethod(method: Method) {
  const { number, created } = method
  // The same number has the same fingerprint, whoever uses it:
  // https://docs.stripe.com/api/cards/object#card_object-fingerprint
  const shown = {
    fingerprint: hash('sha256', number, 'hex').slice(0, 16),
    last4: (number.split('#')[0] ?? '').slice(-4),
  }
  const expires = cardExpiry(created)
  const brand = testCardOf(number)?.brand ?? 'visa'
  return {
    ...headOf('payment_method', method),
    billing_details: { ...blank('address', 'name', 'phone', 'tax_id'), email: method.email },
    customer_account: null,
    ...(isAccount(number)
      ? {
          sepa_debit: { country: number.slice(0, 2), ...shown },
          type: 'sepa_debit' as const,
          card: undefined,
        }
      : {
          card: { ...cardDetails, brand, exp_month: expires.month, exp_year: expires.year, ...shown },
          type: 'card' as const,
        }),
    customer: method.customer,
    metadata: {},
  }
}

const cardDetails = {
  ...blank('checks', 'generated_from', 'networks', 'regulated_status', 'three_d_secure_usage', 'wallet'),
  country: 'US',
  display_brand: null,
  funding: 'credit',
}

/** https://docs.stripe.com/api/checkout/sessions/object */
export function toSession(checkout: Checkout, url: string) {
  return {
    ...headOf('checkout.session', checkout),
    ...blank('billing_address_collection', 'client_secret', 'payment_link', 'setup_intent'),
    ...blank('adaptive_pricing', 'after_expiration', 'allowed_payment_method_types', 'collected_information'),
    ...blank('consent', 'consent_collection', 'currency_conversion', 'customer_account', 'invoice_creation'),
    ...blank('integration_identifier', 'origin_context', 'recovered_from', 'permissions'),
    ...blank('payment_method_configuration_details', 'saved_payment_method_options', 'shipping_cost'),
    ...blank('shipping_address_collection', 'submit_type', 'wallet_options', 'payment_method_options'),
    custom_text: blank('after_submit', 'shipping_address', 'submit', 'terms_of_service_acceptance'),
    shipping_options: [],
    managed_payments: checkout.own?.managed_payments ?? null,
    allow_promotion_codes: checkout.allows_codes || null,
    amount_subtotal: checkout.subtotal,
    amount_total: checkout.total,
    cancel_url: checkout.cancel_url,
    currency: checkout.currency,
    custom_fields: [],
    customer: checkout.customer,
    customer_details: checkout.buyer && {
      ...checkout.buyer,
      ...blank('address', 'phone', 'business_name', 'individual_name'),
      tax_exempt: 'none',
      tax_ids: [],
    },
    customer_email: checkout.email,
    discounts: checkout.coupon === null ? [] : [{ coupon: checkout.coupon, promotion_code: checkout.code }],
    expires_at: checkout.expires_at,
    invoice: checkout.invoice,
    metadata: checkout.metadata,
    mode: checkout.mode,
    payment_intent: checkout.payment,
    payment_method_collection: checkout.needs_method ? 'always' : 'if_required',
    payment_method_types: ['card'],
    payment_status: checkout.paid === 'free' ? ('no_payment_required' as const) : checkout.paid,
    status: checkout.status,
    subscription: checkout.subscription,
    success_url: checkout.success_url,
    total_details: { amount_discount: checkout.discount, amount_shipping: 0, amount_tax: checkout.tax },
    ui_mode: 'hosted',
    url: checkout.status === 'open' ? `${url}/c/pay/${checkout.id}` : null,
    ...checkout.own,
  }
}

/** https://docs.stripe.com/api/customer_portal/sessions/object */
export function toPortal(portal: Portal, url: string) {
  return {
    ...headOf('billing_portal.session', portal),
    ...blank('customer_account', 'on_behalf_of'),
    customer: portal.customer,
    return_url: portal.return_url,
    url: `${url}/p/session/${portal.id}`,
    ...portal.own,
  }
}

/** The portal's only configuration, which allows everything. */
export const configuration = {
  ...headOf('billing_portal.configuration', { id: 'bpc_1TestEverythingAllowed00', created: 0 }),
  ...blank('default_return_url', 'name'),
  active: true,
  features: {
    customer_update: { allowed_updates: ['email', 'name'], enabled: true },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: 'at_period_end', proration_behavior: 'none' },
    subscription_update: {
      default_allowed_updates: ['price', 'quantity'],
      enabled: true,
      proration_behavior: 'create_prorations',
    },
  },
  is_default: true,
  login_page: { enabled: false, url: null },
  metadata: {},
  updated: 0,
}
