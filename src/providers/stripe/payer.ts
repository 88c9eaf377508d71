import { MembershipError } from '../../core/errors.ts'
import type { Payer } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import { isMissing } from './missing.ts'

/**
 * Who pays a subscription: its own payment method, else the customer's. Cards and bank accounts have a fingerprint, the
 * same for the same number, whoever shows it; wallets that show a number of their own have that one's.
 * https://docs.stripe.com/api/payment_methods/object
 */
export const payerOf = async (api: StripeApi, id: string): Promise<Payer | null> => {
  const expand = ['default_payment_method', 'customer.invoice_settings.default_payment_method']
  const found = await api
    .ask(`who pays ${id}`, (stripe) => stripe.subscriptions.retrieve(id, { expand }))
    .catch(unlessMissing)
  if (found === null) return null
  const { raw } = found
  const customer = obj(raw.customer)
  const methods = [raw.default_payment_method, obj(customer.invoice_settings).default_payment_method]
  return {
    methods: [...new Set(methods.flatMap((method) => fingerprintOf(obj(method))))],
    isOnTrial: raw.status === 'trialing',
    isBuyers: await beganOnAPage(api, id),
  }
}

/** Its own checkout or a payment link: both are checkout sessions. The dashboard and the API make none. */
const beganOnAPage = async (api: StripeApi, subscription: string): Promise<boolean> => {
  const { raw } = await api.ask(`the checkout of ${subscription}`, (stripe) =>
    stripe.checkout.sessions.list({ subscription, limit: 1 }),
  )
  return list(raw).length > 0
}

const fingerprintOf = (method: Json): string[] => {
  const type = str(method.type)
  const own = type === null ? null : obj(method[type])
  const text = own && (str(own.fingerprint) ?? str(own.payer_id))
  return text ? [`${type} ${text}`] : []
}

const unlessMissing = (error: unknown): null => {
  if (error instanceof MembershipError && isMissing(error.cause)) return null
  throw error
}
