import { z } from 'zod'
import {
  type PaymentData,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
} from '../src/core/dto/index.ts'

type Meanings<T> = Readonly<Record<keyof Required<T>, string>>

const subscription: Meanings<SubscriptionData> = {
  id: 'the id at the provider',
  provider: 'the key of the provider, such as `stripe`',
  account: 'the label of the account at the provider',
  customer_id: 'the id of the customer at the provider',
  price_id: 'the price of the first item',
  product_id: 'the product of the first item',
  quantity: 'the quantity of the first item, such as seats',
  items: 'every price with its quantity and paid period',
  status: 'the status, the same words for every provider',
  provider_status: 'the provider’s own status, where `status` is only the nearest one',
  currency: 'the currency, such as `EUR`',
  unit_amount: 'the price of one piece',
  interval: 'the unit of the period',
  interval_count: 'how many units one period has',
  started_at: 'when it began',
  trial_ends_at: 'when the trial ends or ended',
  current_period_start: 'when the paid period began',
  current_period_end: 'when the paid period ends',
  cancel_at_period_end: 'it is cancelled, and ends with the paid period',
  cancel_at: 'the day on which it will end',
  canceled_at: 'when the cancellation was made',
  ended_at: 'when it ended',
  paused_at: 'when a pause began or will begin. Paid access stays open until then',
  resumes_at: 'when the pause ends automatically',
  scheduled_change: 'the price and the quantity that begin later',
  past_due_since: 'when the open payment first failed',
  opens_at:
    'another account used the free trial before. The subscription opens nothing until this moment, unless it is paid',
  ended_for: 'why it ended',
  livemode: 'false in test mode',
  metadata: 'the metadata that the provider keeps for your site',
  updated_at: 'when the provider last changed it',
}

const payment: Meanings<PaymentData> = {
  id: 'the id at the provider',
  provider: 'the key of the provider, such as `stripe`',
  account: 'the label of the account at the provider',
  customer_id: 'the id of the customer at the provider',
  subscription_id: 'the subscription that it pays',
  invoice_id: 'the invoice at the provider',
  price_id: 'the price, or the price of the first item',
  items: 'every paid item',
  quantity: 'the quantity of the first item',
  amount: 'the amount',
  amount_refunded: 'the part that was refunded',
  currency: 'the currency, such as `EUR`',
  status: 'the status, the same words for every provider',
  paid_at: 'when it was paid',
  invoice_url: 'the address of the invoice, or a path of your site',
  livemode: 'false in test mode',
  metadata: 'the metadata that the provider keeps for your site',
  updated_at: 'when the provider last changed it',
  purpose: 'a one-time purchase, a subscription, or unknown. An unknown one opens nothing',
  next_try_at: 'when the provider tries an open payment again',
  card_expires: 'the last month of the card, such as `2027-08`',
  card_last4: 'the last four digits of the card',
  billed_for: 'what it pays for',
  period_start: 'the beginning of the time that it pays for',
  period_end: 'the end of the time that it pays for',
  trial: 'it pays for a trial',
  due_at: 'when an invoice is due that the buyer pays by hand',
  failed_at: 'when the provider first failed to collect it',
  in_progress: 'a debit is on its way',
  waived: 'nobody has to pay it any more: the bill was cancelled, or its checkout closed',
  dispute: 'the outcome of a dispute',
  billed_at: 'when it was requested, if it was paid later',
  refund_pending: 'the part of `amount_refunded` that is not refunded yet',
  refund_failed: 'the sum of the refunds that failed',
}

interface Node {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Node[]
}

function typeOf({ type, format, enum: words, anyOf }: Node): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (Array.isArray(type)) return type.map((name) => typeOf({ type: name })).join(' or ')
  if (words) return words.map((word) => `\`${word}\``).join(', ')
  if (format === 'date-time') return 'moment'
  switch (type) {
    case 'string':
      return 'text'
    case 'boolean':
      return 'true or false'
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return 'list'
    case 'null':
      return 'null'
    default:
      return 'object'
  }
}

function tableOf(schema: z.ZodObject, meanings: Readonly<Record<string, string>>): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return [
    '| Field | Type | Meaning |',
    '|---|---|---|',
    ...Object.entries(properties).map(([name, node]) => {
      const type = `${typeOf(node as Node)}${required.includes(name) ? '' : '; may be absent'}`
      return `| \`${name}\` | ${type} | ${meanings[name]} |`
    }),
  ].join('\n')
}

/** The fields of a subscription and a payment, as the schemas have them. */
export function withFields(page: string): string {
  return page
    .replace(
      /(<!-- subscription -->\n)[\s\S]*?(<!-- \/subscription -->)/,
      (_, open: string, close: string) => `${open}${tableOf(subscriptionSchema, subscription)}\n${close}`,
    )
    .replace(
      /(<!-- payment -->\n)[\s\S]*?(<!-- \/payment -->)/,
      (_, open: string, close: string) => `${open}${tableOf(paymentSchema, payment)}\n${close}`,
    )
}
