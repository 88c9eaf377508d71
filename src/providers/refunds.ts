import { createHash } from 'node:crypto'
import type { Invoice } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { failureOf } from './api-errors.ts'
import { createJoining, type OnceOnly, once } from './call-once.ts'
import type { Fetched, MoneyFact, RefundRequest } from './contract.ts'

/** An invoice as a provider lists it. */
export type Bill = Omit<Invoice, 'account'>

/** The refunds and invoices of a provider without lasting idempotency keys. */
export interface RefundMethods {
  /** Makes a refund, unless an earlier call has made it. */
  giveBack(request: RefundRequest): Promise<Fetched>
  /** Returns what simultaneous calls for the same refund share; the idempotency key by default. */
  keyOf?(request: RefundRequest): string
  invoices(customer: string): Promise<readonly Bill[]>
}

/** Builds `refund` and `invoices`. Simultaneous calls for one refund get the same answer. */
export function createRefunds({
  giveBack,
  keyOf = ({ idempotencyKey }) => idempotencyKey,
  invoices,
}: RefundMethods) {
  const joined = createJoining<Fetched>()
  return {
    refund: (request: RefundRequest): Promise<Fetched> => joined(keyOf(request), () => giveBack(request)),
    invoices,
  }
}

/** Metadata name under which a refund keeps its mark. */
export const refundKey = 'membership_refund'

/** Returns the mark by which a refund is found again at the provider. */
export function refundMark(idempotencyKey: string, characters: 16 | 32): string {
  return createHash('sha256').update(idempotencyKey).digest('hex').slice(0, characters)
}

/** Builds the error of a payment that the provider does not know. */
export function unknownPayment(
  provider: string,
  id: string,
  {
    elsewhere = 'another account, or to the other mode',
    cause,
  }: { elsewhere?: string; cause?: unknown } = {},
): MembershipError {
  return new MembershipError('ERR_NOT_FOUND', `${provider} knows no payment ${id}.`, {
    action: `Look whether it belongs to ${elsewhere}.`,
    cause,
  })
}

/** Builds the error of a refund of more than is left. `place` is where the rest is shown. */
export function tooLittleLeft(id: string, place: string, cause?: unknown): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`, {
    reason: 'amount_too_large',
    action: `See in ${place} what is left.`,
    cause,
  })
}

/** The statuses with which a provider refuses to give a payment back, and where its seller looks then. */
interface Refusing {
  readonly provider: string
  readonly id: string
  readonly place: string
  readonly statuses: readonly number[]
}

/**
 * Makes a refund without an idempotency key: see `once`.
 * @throws ERR_ACTION_REFUSED for a refusal of the provider
 */
export function refundOnce<T>(refund: OnceOnly<T>, refusing: Refusing): Promise<T> {
  return once(refund).catch((error: unknown) => {
    throw toRefusal(error, refusing)
  })
}

/** Translates a refusal of the provider; any other error is returned unchanged. */
export function toRefusal(error: unknown, { provider, id, place, statuses }: Refusing): unknown {
  const cause = error instanceof Error ? error.cause : null
  const { status, code } = failureOf(cause)
  if (status === null || !statuses.includes(status)) return error
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `${provider} does not give the payment ${id} back (${code}).`,
    { reason: 'provider_refused', action: `See it in ${place}.`, cause },
  )
}

/** Builds a bill that is paid in full or not at all, at `at` if it is. */
export function wholeBill({
  at,
  ...bill
}: Omit<Bill, 'amount_paid' | 'paid_at'> & { at: string | null }): Bill {
  return {
    ...bill,
    amount_paid: bill.status === 'paid' ? bill.total : 0,
    paid_at: bill.status === 'paid' ? at : null,
  }
}

/** Builds the bill of a provider whose payments are its bills; none for what is no payment. */
export function paymentBills(
  provider: string,
  paid: MoneyFact | null,
  rest: Pick<Bill, 'subscription_id' | 'number' | 'created_at' | 'url'>,
): Bill[] {
  if (paid === null) return []
  const { id, amount = 0, state, currency = null, customer_id = null } = paid
  const status = state === 'paid' ? 'paid' : state === 'failed' ? 'void' : 'open'
  return [
    wholeBill({ id, provider, customer_id, currency, total: amount, status, at: rest.created_at, ...rest }),
  ]
}
