import type { Dispute, Json, Refund } from '../engine/index.ts'
import { type Account, soldId } from './account.ts'
import { times } from './shapes.ts'
import { toTransaction } from './transactions.ts'

/** https://developer.paddle.com/api-reference/adjustments */
export function toAdjustment(account: Account, refund: Refund | Dispute): Json {
  const sold = account.soldBy(refund.payment)
  const transaction = sold === undefined ? refund.payment : soldId(sold)
  const amount = String(refund.amount)
  const currency_code = refund.currency.toUpperCase()
  const totals = {
    subtotal: amount,
    tax: '0',
    total: amount,
    fee: '0',
    retained_fee: '0',
    earnings: amount,
    currency_code,
  }
  const item = sold && (toTransaction(account, sold).details as { line_items: Json[] }).line_items[0]
  return {
    id: refund.id,
    action: refund.kind === 'refund' ? 'refund' : 'chargeback',
    type: 'partial',
    transaction_id: transaction,
    subscription_id: sold?.invoice?.subscription ?? null,
    customer_id: account.world.store.find('payment', refund.payment)?.customer ?? null,
    reason: refund.reason ?? 'Refund',
    credit_applied_to_balance: null,
    currency_code,
    status: refund.kind === 'dispute' || account.approved.has(refund.id) ? 'approved' : 'pending_approval',
    items: (refund.own?.items as Json[] | undefined) ?? [
      {
        id: `adjitm_${refund.id.slice(4)}`,
        item_id: item?.id,
        type: 'partial',
        amount,
        proration: null,
        totals,
      },
    ],
    totals,
    payout_totals: null,
    tax_rates_used: [],
    ...times(account, refund.id),
  }
}

/** Shows the adjustment that reverses a chargeback. */
export function toReversal(account: Account, dispute: Dispute): Json {
  return {
    ...toAdjustment(account, dispute),
    id: `${dispute.id.slice(0, -1)}r`,
    action: 'chargeback_reverse',
  }
}
