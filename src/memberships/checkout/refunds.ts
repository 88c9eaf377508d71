import { type Invoice, isPaid, type Payment, type PaymentData, toPayment } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Provider } from '../../providers/contract.ts'
import type { HooksRoom } from '../hooks/index.ts'
import { providerAt } from '../intake/provider-at.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { refused, unsupported } from './target.ts'

/** Which payment, as `user.payments()` shows it. */
export type PaymentKey = Pick<Payment, 'provider' | 'account' | 'id'>

/** Money of one payment that is to go back. */
export interface RefundWish {
  readonly payment: PaymentKey
  /** Minor units; all that is left unless given. */
  readonly amount?: number
  /** Names the wish: asked for twice for one payment, money is given back once. Unless given, two wishes for the same
   *  amount are one until the first of them is in the books. */
  readonly key?: string
}

/** What operators do about money that was paid; no form of a member's leads here. */
export const createRefunds = (deps: {
  storage: Storage
  ledger: Ledger
  hooks: Pick<HooksRoom, 'before'>
  providers: ReadonlyMap<string, Provider>
  findMember: (id: string) => Promise<User | null>
}) => {
  const { storage, ledger, hooks, providers, findMember } = deps
  const { statements } = ledger

  /** Gives money back, in part or all that is left, and answers the payment as it is then. @throws ERR_NOT_FOUND,
   *  ERR_USAGE, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  const refund = async ({ payment: key, amount: wanted, key: name }: RefundWish): Promise<Payment> => {
    const { payment, ownerId } = await find(key)
    const provider = providerAt(providers, key.provider, key.account)
    if (!provider?.refund) throw unsupported(provider ?? { key: key.provider }, 'refund a payment')
    const amount = checkedAmount(payment, wanted)
    const member = await memberOf(key, ownerId)
    await hooks.before('membership.refund:before', { member, payment, amount })
    // What was given back before is part of it: the next wish for the same amount is another one.
    const idempotencyKey = `refund:${payment.id}:${name ?? `${payment.amount_refunded}:${amount}`}`
    const fetched = await provider.refund({ payment, amount, idempotencyKey })
    const { provider: of, account } = key
    const origin = { provider: of, account, id: idempotencyKey, source: 'fetch' as const, at: fetched.at }
    await ledger.apply(fetched.changes, origin)
    return (await find(key)).payment
  }

  /** A member's bills, newest first, of every customer that the member is. @throws ERR_PROVIDER_UNSUPPORTED where one
   *  of the providers tells none, ERR_PROVIDER_ANSWER */
  const invoices = async ({
    user,
    provider: only,
  }: {
    user: User
    provider?: string
  }): Promise<Invoice[]> => {
    const keys = only === undefined ? [...providers.keys()] : [only]
    const asked = keys.flatMap((key) =>
      user.customers(key).map(({ id, account }) => {
        const provider = providerAt(providers, key, account)
        if (!provider?.invoices) throw unsupported(provider ?? { key }, 'list the invoices of a customer')
        return { id, account, provider }
      }),
    )
    const bills: Invoice[] = []
    for (const { id, account, provider } of asked)
      for (const bill of await provider.invoices!(id)) bills.push({ ...bill, account })
    return bills.sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? 1 : -1))
  }

  const find = async ({
    provider,
    account,
    id,
  }: PaymentKey): Promise<{ payment: Payment; ownerId: string }> => {
    const [row] = await storage.all(statements.payment, { provider, account, id })
    // Of one of which only a refund or a dispute is known yet there is no more than its row.
    const payment = row ? (JSON.parse(row.data) as PaymentData | null) : null
    if (row && payment) return { payment: toPayment(payment), ownerId: row.owner_id }
    throw new MembershipError('ERR_NOT_FOUND', `There is no payment "${id}" of ${provider}.`, {
      action: 'Hand over a payment of user.payments().',
    })
  }

  const memberOf = async ({ provider, account }: PaymentKey, ownerId: string): Promise<User | null> => {
    const [owner] = await storage.all(statements.customer, { provider, account, customer_id: ownerId })
    return owner?.member_id ? findMember(owner.member_id) : null
  }

  return { refund, invoices }
}

/** What is to be given back, in minor units. @throws ERR_USAGE, ERR_ACTION_REFUSED */
const checkedAmount = (payment: Payment, wanted: number | undefined): number => {
  if (payment.status === 'refunded') throw refused('This payment was given back already.')
  if (payment.status === 'disputed')
    throw refused(
      'This payment is disputed: the bank decides about it.',
      'Answer the dispute at the provider.',
    )
  if (!isPaid(payment)) throw refused('This payment was never paid, so that nothing can be given back.')
  const left = payment.amount - payment.amount_refunded
  const amount = wanted ?? left
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new MembershipError(
      'ERR_USAGE',
      'The amount of a refund is a whole number of minor units above 0.',
      {
        action: 'Leave it out to give back all that is left.',
      },
    )
  if (amount > left)
    throw refused(
      `Only ${left} of ${payment.amount} (minor units) is left of this payment.`,
      'Give back less.',
    )
  return amount
}
