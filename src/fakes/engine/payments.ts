import { cardExpiry, isAccount, testAccounts } from './cards.ts'
import type { Charge, Metadata, Payment, Refused } from './objects.ts'
import { day } from './periods.ts'
import type { World } from './world.ts'

/** Creates a payment to collect. */
export function openPayment(
  world: World,
  given: {
    amount: number
    currency: string
    customer: string | null
    invoice?: string
    metadata?: Metadata
    description?: string
  },
): Payment {
  return world.add<'payment'>(
    {
      kind: 'payment',
      id: world.idFor('payment'),
      created: world.clock.seconds(),
      customer: given.customer,
      invoice: given.invoice ?? null,
      amount: given.amount,
      currency: given.currency,
      description: given.description ?? null,
      metadata: given.metadata ?? {},
      status: 'open',
      method: null,
      charge: null,
      debit: null,
      refusal: null,
    },
    'payment opened',
  )
}

/** Payment method of a charge. */
export interface Payer {
  readonly number: string
  readonly method: string | null
  readonly email: string | null
  readonly name: string | null
  /** Days that the bank takes for a debit. */
  readonly days?: number | null
}

/**
 * Makes one charge of a payment, which succeeds or fails. A debit is pending until the bank answers, in days.
 */
export function charge(world: World, id: string, payer: Payer, refusal: Refused | null): Charge {
  const payment = world.store.get('payment', id)
  if (isAccount(payer.number)) return beginDebit(world, payment, payer)
  const made = addCharge(world, payment, payer, { status: refusal === null ? 'paid' : 'failed', refusal })
  conclude(world, payment, { charge: made.id, method: payer.method, refusal })
  return made
}

function conclude(
  world: World,
  payment: Payment,
  { charge, method, refusal }: { charge: string; method: string | null; refusal: Refused | null },
): void {
  if (refusal === null)
    world.change('payment', payment.id, { charge, method, refusal, status: 'paid' }, 'payment paid')
  else world.change('payment', payment.id, { charge, refusal, status: 'open' }, 'payment failed')
}

/** Makes the bank ask: nothing is charged until the question is answered on the page. */
export function askBank(world: World, payment: string, method: string): void {
  world.change('payment', payment, { method, status: 'asks' }, 'payment asks')
}

function addCharge(
  world: World,
  payment: Payment,
  { number, method, email, name }: Payer,
  outcome: Pick<Charge, 'status' | 'refusal'>,
): Charge {
  return world.add<'charge'>(
    {
      kind: 'charge',
      id: world.idFor('charge'),
      created: world.clock.seconds(),
      payment: payment.id,
      customer: payment.customer,
      amount: payment.amount,
      refunded: 0,
      currency: payment.currency,
      description: payment.description,
      metadata: payment.metadata,
      number,
      method,
      expires: cardExpiry(
        (method === null ? null : world.store.find('method', method)?.created) ?? world.clock.seconds(),
      ),
      email,
      name,
      disputed: false,
      ...outcome,
    },
    `charge ${outcome.status}`,
  )
}

// Up to 14 business days: https://docs.stripe.com/payments/sepa-debit
const defaultDays = 5

function beginDebit(world: World, payment: Payment, payer: Payer): Charge {
  const { number, method, days } = payer
  const made = addCharge(world, payment, payer, { status: 'pending', refusal: null })
  const debit = { at: world.clock.seconds() + Math.round((days ?? defaultDays) * day), number }
  const asked = { charge: made.id, method, debit, refusal: null, status: 'processing' as const }
  world.change('payment', payment.id, asked, 'payment processing')
  return made
}

/** Applies the bank's answer to a debit. Returns true if the money came. */
export function answerDebit(world: World, id: string): boolean {
  const { debit, charge, method } = world.store.get('payment', id)
  const refusal = testAccounts[debit?.number ?? ''] === 'settles' ? null : 'funds'
  const status = refusal === null ? 'paid' : 'failed'
  world.change('charge', charge!, { status, refusal }, `charge ${status}`)
  const payment = world.change('payment', id, { debit: null })
  conclude(world, payment, { charge: charge!, method, refusal })
  return refusal === null
}
