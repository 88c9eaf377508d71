import type { PaymentData } from '../../core/dto/index.ts'
import { isBeingAssigned, isPaid } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { PriceId, ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { paymentIdOf, roleOf, splitRef } from '../ledger/payment-fold.ts'
import type { PaymentRow } from '../ledger/statements/index.ts'

/** An operator's decision what a payment is for: a period of a subscription, or something that was bought once.
 *  `one_time` names its price, or is true where the payment names it itself. */
export type Assignment = AssignedPayment &
  (
    | { readonly subscription: string; readonly one_time?: undefined }
    | { readonly one_time: PriceId | true; readonly subscription?: undefined }
  )

/** A payment to assign, and the operator who decides. */
export interface AssignedPayment {
  readonly id: string
  /** The provider, where several have a payment of that id. */
  readonly provider?: ProviderKey
  /** The member's id, where the payment is nobody's. */
  readonly member?: string
  /** The name of whoever says so, kept with it. */
  readonly by: string
}

/** Payments of which the site's own people have to say what they are for. */
export interface Assigning {
  /** Those that wait for it now, oldest first. */
  list(): Promise<readonly PaymentData[]>
  /**
   * Says what a payment is for, and again what it is for instead. It is a fact like any other: it ends the same whatever
   * arrives before or after, and the provider's own word, whenever it comes, counts before it.
   * @throws ERR_USAGE where the payment, subscription or member is none, is another's, or the provider said it already
   */
  assign(assignment: Assignment): Promise<PaymentData>
}

export interface AssigningDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly findMember: (id: string) => Promise<object | null>
  /** The providers whose unknown payments count as bought once: nothing of theirs waits. */
  readonly settled: ReadonlySet<string>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** Assigning for one site. */
export const createAssigning = (deps: AssigningDeps): Assigning => {
  const { storage, ledger, settled, now, randomId, log } = deps
  const { statements } = ledger

  const list: Assigning['list'] = async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('payments')
        .select('data')
        .where('unknown_since', 'is not', null)
        .$if(settled.size > 0, (query) => query.where('provider', 'not in', [...settled]))
        .orderBy('unknown_since')
        .limit(1000),
    )
    return rows
      .map(({ data }) => JSON.parse(data) as PaymentData)
      .filter((payment) => isBeingAssigned(payment, now()))
  }

  const assign: Assigning['assign'] = async (assignment) => {
    if ((assignment.subscription === undefined) === (assignment.one_time === undefined))
      throw refused(
        'A payment is either for a subscription or bought once.',
        "Give subscription: 'ID', or one_time: true or a price.",
      )
    const row = await findPayment(assignment)
    const origin = { provider: row.provider, account: row.account }
    const refs = await storage.all(statements.refsOfPayment, { ...origin, payment_id: row.id })
    await checkProviderSilent(row, refs)
    await checkOwner(row, assignment)
    const at = now().toISOString()
    const data = await toFact({ assignment, row, at, refs })
    await ledger.apply([{ type: 'money', kind: 'link', id: data.id, stage: 'updated', data }], {
      ...origin,
      id: `assigned:${randomId()}`,
      source: 'event',
      at,
    })
    log('a payment was assigned', {
      ...origin,
      payment: row.id,
      as: assignment.subscription ?? 'one_time',
      by: assignment.by,
    })
    const [after] = await storage.all(statements.payment, { ...origin, id: row.id })
    return JSON.parse(after?.data ?? row.data) as PaymentData
  }

  const findPayment = async ({ id, provider }: Assignment): Promise<PaymentRow> => {
    const found = await storage.read((db) =>
      db.selectFrom('payments').select(['provider', 'account']).where('id', '=', id).limit(10),
    )
    const [item, ...others] = found.filter((row) => provider === undefined || row.provider === provider)
    if (item === undefined) throw refused(`There is no payment "${id}".`, 'See: membership payments list')
    if (others.length > 0)
      throw refused(`Several providers have a payment "${id}".`, `Say which: --provider ${item.provider}`)
    const [row] = await storage.all(statements.payment, { ...item, id })
    if (row === undefined || !isPaid(JSON.parse(row.data)))
      throw refused(`The payment "${id}" is not paid.`, 'Only what is paid can be for something.')
    return row
  }

  /** Refuses to change the provider's own word; an earlier word of somebody here may be changed. */
  const checkProviderSilent = async (row: PaymentRow, refs: readonly { ref: string }[]): Promise<void> => {
    const { purpose, subscription_id } = JSON.parse(row.data) as PaymentData
    if (purpose === 'unknown' || refs.some(({ ref }) => ref.startsWith(`link:${prefix}`))) return
    const words =
      purpose === 'one_time' ? 'bought once' : `of the subscription ${subscription_id ?? 'to come'}`
    throw refused(`${row.provider} says itself what "${row.id}" is: ${words}.`, 'Nothing is to be done.')
  }

  const checkOwner = async (row: PaymentRow, { member }: Assignment): Promise<void> => {
    if (member === undefined) return
    if ((await deps.findMember(member)) === null)
      throw refused(`There is no member "${member}".`, 'Take the id of the member, not the address.')
    const { provider, account, owner_id: customer_id } = row
    const [owner] = await storage.all(statements.customer, { provider, account, customer_id })
    if (owner?.member_id && owner.member_id !== member)
      throw refused(`The payment "${row.id}" is another member's: ${owner.member_id}.`, 'Leave out --member.')
  }

  const toFact = async ({ assignment, row, at, refs }: AssignmentFacts): Promise<MoneyFact> => {
    const { role, kind, id } = splitRef(namingRef(row.id, refs))
    const part = kind === 'payment' && role !== 'payment' ? { part: role as 'bill' | 'collection' } : {}
    const subscription = assignment.subscription ?? null
    const price = typeof assignment.one_time === 'string' ? assignment.one_time : null
    if (subscription !== null && !(await isKnown(row, subscription)))
      throw refused(`${row.provider} has no subscription "${subscription}".`, 'Take its id at the provider.')
    return {
      id: `${prefix}${roleOf({ kind, ...part })}:${id}`,
      refs: [{ kind, id, ...part }],
      state: 'succeeded',
      purpose: subscription === null ? 'one_time' : 'recurring',
      ...(subscription === null ? {} : { subscription_id: subscription }),
      ...(price === null ? {} : { price_id: price }),
      assigned: { by: assignment.by, at, member_id: assignment.member ?? null },
    }
  }

  const isKnown = async ({ provider, account }: PaymentRow, id: string): Promise<boolean> =>
    (await storage.all(statements.subscription, { provider, account, id })).length > 0

  return { list, assign }
}

interface AssignmentFacts {
  readonly assignment: Assignment
  readonly row: PaymentRow
  readonly at: string
  readonly refs: readonly { ref: string }[]
}

const prefix = 'assigned:'

const namingRef = (id: string, refs: readonly { ref: string }[]): string =>
  refs.map(({ ref }) => ref).find((ref) => paymentIdOf([ref]) === id && !ref.startsWith('link:')) ??
  `payment:${id}`

const refused = (message: string, action: string): MembershipError =>
  new MembershipError('ERR_USAGE', message, { action })
