import type Stripe from 'stripe'
import type { PaymentData } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { currency, idOf, int, list, obj, str, time } from '../narrow.ts'
import { type Bill, tooLittleLeft, unknownPayment } from '../refunds.ts'
import type { StripeApi } from './api.ts'
import { invoiceSubscriptions } from './money.ts'
import type { Invoice, InvoicePayment } from './payload.ts'

/** Refunds and invoices. https://docs.stripe.com/api/refunds/create */
export function stripeRefunds(api: StripeApi) {
  return {
    refund: async ({ payment, amount, idempotencyKey }: RefundRequest): Promise<Fetched> => {
      try {
        return await api.done('refund', `a refund of ${payment.id}`, async (stripe) => {
          const target = await targetOf(stripe, payment)
          return stripe.refunds.create({ ...target, amount }, { idempotencyKey })
        })
      } catch (error) {
        throw toRefusal(payment, error)
      }
    },

    invoices: async (customer: string): Promise<readonly Bill[]> => {
      const { all } = await api.askAll<Invoice>(`invoices of ${customer}`, (stripe, part) =>
        stripe.invoices.list({ customer, ...part }),
      )
      return all.map(toBill).filter((bill) => bill !== null)
    },
  }
}

/** Target of a refund: a charge, or the charge of a payment intent. */
type Target = { readonly charge: string } | { readonly payment_intent: string }

// A payment's id is that of its intent, else its charge, its invoice or its checkout.
async function targetOf(stripe: Stripe, { id }: PaymentData): Promise<Target> {
  if (id.startsWith('pi_')) return { payment_intent: id }
  if (id.startsWith('in_')) return onlyTarget(await targetsOfInvoice(stripe, id), id)
  if (!id.startsWith('cs_')) return { charge: id }
  const session = await stripe.checkout.sessions.retrieve(id)
  const intent = idOf(session.payment_intent)
  return onlyTarget(intent === null ? [] : [{ payment_intent: intent }], id)
}

async function targetsOfInvoice(stripe: Stripe, invoice: string): Promise<Target[]> {
  const payments = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 2 })
  return (list(JSON.parse(JSON.stringify(payments))) as readonly InvoicePayment[]).flatMap(
    ({ payment }): Target[] => {
      const [intent, charge] = [idOf(obj(payment).payment_intent), idOf(obj(payment).charge)]
      return intent !== null ? [{ payment_intent: intent }] : charge !== null ? [{ charge }] : []
    },
  )
}

function onlyTarget([first, ...more]: readonly Target[], id: string): Target {
  if (first && more.length === 0) return first
  throw new MembershipError(
    'ERR_ACTION_REFUSED',
    first
      ? `The payment ${id} was made in several parts.`
      : `Nothing was charged for ${id} that Stripe knows.`,
    { reason: first ? 'only_in_full' : 'not_paid', action: 'Give it back in the Stripe dashboard.' },
  )
}

/** Translates Stripe's refusal. https://docs.stripe.com/error-codes */
function toRefusal({ id }: PaymentData, error: unknown): unknown {
  if (!(error instanceof MembershipError)) return error
  const { code, param, statusCode } = obj(error.cause)
  const refused = (reason: RefusalReason, message: string, action: string) =>
    new MembershipError('ERR_ACTION_REFUSED', message, { reason, action, cause: error.cause })
  if (code === 'resource_missing') return unknownPayment('Stripe', id, { cause: error.cause })
  if (code === 'charge_already_refunded')
    return refused('already_refunded', `The payment ${id} was given back already.`, 'Nothing is left to do.')
  if (code === 'charge_disputed')
    return refused(
      'disputed',
      `The payment ${id} is disputed: the bank decides about it.`,
      'Answer the dispute at Stripe.',
    )
  if (statusCode === 400 && param === 'amount') return tooLittleLeft(id, 'the Stripe dashboard', error.cause)
  if (statusCode === 400)
    return refused(
      'provider_refused',
      `Stripe does not give the payment ${id} back.`,
      'See it in the Stripe dashboard.',
    )
  return error
}

const statuses: ReadonlySet<unknown> = new Set(['draft', 'open', 'paid', 'void', 'uncollectible'])

function toBill(raw: Invoice): Bill | null {
  const id = str(raw.id)
  if (id === null) return null
  return {
    id,
    provider: 'stripe',
    customer_id: idOf(raw.customer),
    subscription_id: invoiceSubscriptions(raw)[0] ?? null,
    number: str(raw.number),
    status: statuses.has(raw.status) ? (raw.status as Bill['status']) : 'draft',
    currency: currency(raw.currency),
    total: int(raw.total) ?? 0,
    amount_paid: int(raw.amount_paid) ?? 0,
    created_at: time(raw.created),
    paid_at: time(obj(raw.status_transitions).paid_at),
    url: str(raw.hosted_invoice_url),
  }
}
