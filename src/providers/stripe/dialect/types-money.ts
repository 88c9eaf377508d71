import type { Base, List, Metadata } from './types-base.ts'

export interface InvoiceLine extends Base<'line_item'> {
  amount: number
  currency: string
  parent: {
    type: 'subscription_item_details'
    invoice_item_details: null
    subscription_item_details: {
      invoice_item: string | null
      proration: boolean
      proration_details: { credited_items: null }
      subscription: string
      subscription_item: string
    }
  }
  period: { start: number; end: number }
  pricing: {
    type: 'price_details'
    price_details: { price: string; product: string }
    unit_amount_decimal: string
  }
  quantity: number
}
export interface InvoiceItem extends Base<'invoiceitem'> {
  amount: number
  invoice: string | null
  subscription: string
}
export interface Invoice extends Base<'invoice'> {
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  auto_advance: boolean
  automatically_finalizes_at: number | null
  billing_reason: string
  created: number
  currency: string
  customer: string
  lines: List<InvoiceLine>
  next_payment_attempt: number | null
  parent: { type: 'subscription_details'; subscription_details: { metadata: Metadata; subscription: string } }
  starting_balance: number
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  status_transitions: Record<
    'finalized_at' | 'marked_uncollectible_at' | 'paid_at' | 'voided_at',
    number | null
  >
  total: number
}
export interface InvoicePayment extends Base<'invoice_payment'> {
  created: number
  invoice: string
  payment: { type: 'payment_intent'; payment_intent: string }
  status: 'open' | 'paid' | 'canceled'
}
export interface PaymentIntent extends Base<'payment_intent'> {
  amount: number
  created: number
  currency: string
  customer: string | null
  latest_charge: string | null
  metadata: Metadata
  payment_method: string | null
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled'
}
export interface Charge extends Base<'charge'> {
  amount: number
  amount_refunded: number
  created: number
  currency: string
  customer: string | null
  disputed: boolean
  metadata: Metadata
  paid: boolean
  payment_intent: string
  refunded: boolean
  status: 'succeeded' | 'pending' | 'failed'
}
export interface Refund extends Base<'refund'> {
  amount: number
  charge: string
  created: number
  payment_intent: string
  status: 'succeeded' | 'pending' | 'failed' | 'canceled'
}
export interface Dispute extends Base<'dispute'> {
  amount: number
  charge: string
  created: number
  payment_intent: string
  status: 'needs_response' | 'won' | 'lost'
}
