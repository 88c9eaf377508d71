import { list, obj, str, type Written } from '../narrow.ts'
import type { Agreement, AgreementPlan, BillingCycle, PaymentDefinition, Subscription } from './payload.ts'

/**
 * Converts an agreement of the older API to a subscription; its events have the same names. Source:
 * https://developer.paypal.com/docs/api/payments.billing-agreements/v1/
 */
export function asSubscription(raw: Subscription & Agreement): Subscription {
  if (raw.status !== undefined || raw.state === undefined) return raw
  const details = obj(raw.agreement_details)
  const payer = obj(obj(raw.payer).payer_info)
  const state = String(raw.state).toUpperCase()
  const lastPaid = str(details.last_payment_date)
  const translated: Written<Subscription> = {
    id: raw.id,
    status: states.get(state) ?? state,
    start_time: raw.start_date,
    create_time: raw.create_time,
    update_time: raw.update_time,
    subscriber: {
      payer_id: payer.payer_id,
      email_address: payer.email,
      name: { given_name: payer.first_name, surname: payer.last_name },
    },
    billing_info: {
      ...(lastPaid === null ? {} : { last_payment: { time: lastPaid } }),
      next_billing_time: details.next_billing_date,
      failed_payments_count: details.failed_payment_count,
      cycle_executions: [{ tenure_type: 'REGULAR', cycles_completed: details.num_cycles_completed }],
    },
    plan: { billing_cycles: list(obj(raw.plan).payment_definitions).map(asCycle(obj(raw.plan))) },
  }
  return translated as Subscription
}

const states: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'APPROVAL_PENDING'],
  ['CANCEL', 'CANCELLED'],
  ['SUSPEND', 'SUSPENDED'],
  ['REACTIVATE', 'ACTIVE'],
])

function asCycle(plan: AgreementPlan) {
  return (definition: PaymentDefinition): Written<BillingCycle> => ({
    tenure_type: definition.type,
    frequency: { interval_unit: definition.frequency, interval_count: definition.frequency_interval },
    pricing_scheme: {
      fixed_price: { value: obj(definition.amount).value, currency_code: plan.curr_code },
    },
  })
}
