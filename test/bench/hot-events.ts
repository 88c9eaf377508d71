import {
  chargeObject,
  customerObject,
  invoiceObject,
  start,
  stripeEvent,
  subscriptionObject,
} from '../support/stripe-events.ts'

/** The n-th of a stream of messages about so many customers: subscriptions, invoices, charges, and the customers themselves. */
export function hotEvent(n: number, customers: number, among = ''): Readonly<Record<string, unknown>> {
  // Anybody's next, also one of whom another is still on its way.
  const who = `${among}${scrambled(n) % customers}`
  const customer = `cus_${who}`
  const email = `c${who}@example.com`
  const options = { id: `evt_hot_${among}${n}`, created: start + n }
  const metadata = { version: String(n) }
  switch (n % 5) {
    case 0:
      return stripeEvent(
        'invoice.paid',
        invoiceObject({ id: `in_${among}${n}`, customer, customer_email: email }),
        options,
      )
    case 1:
      return stripeEvent(
        'charge.succeeded',
        chargeObject({
          id: `ch_${among}${n}`,
          // A charge that is older than an hour when it is paid is a debit, which is stored otherwise.
          created: start + n,
          customer,
          payment_intent: `pi_${among}${n}`,
          billing_details: { email },
        }),
        options,
      )
    case 2:
      return stripeEvent('customer.updated', customerObject({ id: customer, email, metadata }), options)
    default:
      return stripeEvent(
        'customer.subscription.updated',
        subscriptionObject({ id: `sub_${who}`, customer, metadata }),
        options,
      )
  }
}

function scrambled(n: number): number {
  const once = Math.imul(n ^ 0x9e3779b9, 0x2c1b3c6d)
  const twice = Math.imul(once ^ (once >>> 12), 0x297a2d39)
  return (twice ^ (twice >>> 15)) >>> 0
}
