import { hash } from 'node:crypto'
import {
  type Checkout,
  type Customer,
  isAccount,
  type Method,
  type Portal,
  testCardOf,
} from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** https://docs.stripe.com/api/customers/object */
export const toCustomer = (one: Customer) => ({
  ...headOf('customer', one),
  ...blank('address', 'currency', 'default_source', 'description', 'phone'),
  balance: one.balance,
  delinquent: false,
  ...(one.deleted ? { deleted: true as const } : {}),
  email: one.email,
  invoice_settings: { default_payment_method: one.method },
  metadata: one.metadata,
  name: one.name,
  preferred_locales: [],
  tax_exempt: 'none',
  ...one.own,
})

/** https://docs.stripe.com/api/payment_methods/object */
export const toMethod = (one: Method) => {
  const { number, created } = one
  // The same number has the same fingerprint, whoever uses it: https://docs.stripe.com/api/cards/object#card_object-fingerprint
  const shown = {
    fingerprint: hash('sha256', number, 'hex').slice(0, 16),
    last4: (number.split('#')[0] ?? '').slice(-4),
  }
  const exp_year = new Date(created * 1000).getUTCFullYear() + 3
  const brand = testCardOf(number)?.brand ?? 'visa'
  return {
    ...headOf('payment_method', one),
    billing_details: { email: one.email },
    ...(isAccount(number)
      ? {
          sepa_debit: { country: number.slice(0, 2), ...shown },
          type: 'sepa_debit' as const,
          card: undefined,
        }
      : { card: { brand, exp_month: 12, exp_year, ...shown }, type: 'card' as const }),
    customer: one.customer,
    metadata: {},
  }
}

/** https://docs.stripe.com/api/checkout/sessions/object */
export const toSession = (one: Checkout, url: string) => ({
  ...headOf('checkout.session', one),
  ...blank('billing_address_collection', 'client_secret', 'payment_link', 'setup_intent'),
  allow_promotion_codes: one.allows_codes || null,
  amount_subtotal: one.subtotal,
  amount_total: one.total,
  cancel_url: one.cancel_url,
  currency: one.currency,
  custom_fields: [],
  customer: one.customer,
  customer_details: one.buyer && {
    ...one.buyer,
    ...blank('address', 'phone'),
    tax_exempt: 'none',
    tax_ids: [],
  },
  customer_email: one.email,
  discounts: one.coupon === null ? [] : [{ coupon: one.coupon, promotion_code: one.code }],
  expires_at: one.expires_at,
  invoice: one.invoice,
  metadata: one.metadata,
  mode: one.mode,
  payment_intent: one.payment,
  payment_method_collection: one.needs_method ? 'always' : 'if_required',
  payment_method_types: ['card'],
  payment_status: one.paid === 'free' ? ('no_payment_required' as const) : one.paid,
  status: one.status,
  subscription: one.subscription,
  success_url: one.success_url,
  total_details: { amount_discount: one.discount, amount_shipping: 0, amount_tax: one.tax },
  ui_mode: 'hosted',
  url: one.status === 'open' ? `${url}/c/pay/${one.id}` : null,
  ...one.own,
})

/** https://docs.stripe.com/api/customer_portal/sessions/object */
export const toPortal = (one: Portal, url: string) => ({
  ...headOf('billing_portal.session', one),
  ...blank('customer_account', 'on_behalf_of'),
  customer: one.customer,
  return_url: one.return_url,
  url: `${url}/p/session/${one.id}`,
  ...one.own,
})

/** The one configuration of the portal, in which everything is allowed. */
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
