import type { PaymentData } from '../../core/dto/index.ts'
import { isBeingAssigned, isPaid } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { PriceId, ProviderKey } from '../../core/register.ts'
import type { Row, Storage } from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import { foldPayment, type Ledger, paymentIdOf, roleOf, type StoredFact, splitRef } from '../ledger/index.ts'

/**
 * An operator's decision on a payment's purpose: a period of a subscription, or a one-time purchase. `one_time` names
 * its price, or is true where the payment names it.
 */
export type Assignment = AssignedPayment &
  (
    | { readonly subscription: string; readonly one_time?: undefined }
    | { readonly one_time: PriceId | true; readonly subscription?: undefined }
  )

/** A payment to assign, and the operator who decides. */
export interface AssignedPayment {
  readonly id: string
  /** The provider, needed where several have a payment of that id. */
  readonly provider?: ProviderKey
  /** The member's id, for a payment without an owner. */
  readonly member?: string
  /** The operator's name, stored with the decision. */
  readonly by: string
}

/** Payments whose purpose an operator has to state. */
export interface Assigning {
  /** Lists the payments that wait for a decision, oldest first. */
  list(): Promise<readonly PaymentData[]>
  /**
   * Sets or changes a payment's purpose. The decision is a fact like any other, so the result does not depend on the
   * order of arrival. The provider's own statement always takes precedence, whenever it arrives.
   * @throws ERR_USAGE where the payment, subscription or member does not exist or does not match, or the provider
   * stated the purpose
   */
  assign(assignment: Assignment): Promise<PaymentData>
}

export interface AssigningDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly findMember: (id: string) => Promise<object | null>
  /** Providers whose unknown payments count as one-time, so that none of them waits. */
  readonly settled: ReadonlySet<string>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

export function createAssigning(deps: AssigningDeps): Assigning {
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
    const [stored] = await storage.all(statements.payment, { ...item, id })
    const row = stored?.status === 'waiting' ? await foldedOf(stored) : stored
    const data = row === undefined ? null : (JSON.parse(row.data) as PaymentData | null)
    if (row === undefined || data === null || !isPaid(data))
      throw refused(`The payment "${id}" is not paid.`, 'Only what is paid can be for something.')
    return row
  }

  /** A payment that waits to be known as this site's has its data in its facts alone. */
  const foldedOf = async (row: PaymentRow): Promise<PaymentRow> => {
    const key = { provider: row.provider, account: row.account }
    const refs = await storage.all(statements.refsOfPayment, { ...key, payment_id: row.id })
    const found = await Promise.all(
      refs.map(async ({ ref }): Promise<StoredFact[]> => {
        const { role, kind, id } = splitRef(ref)
        const [fact] = await storage.all(statements.fact, { ...key, kind, id })
        return fact ? [{ role, at: fact.at, data: JSON.parse(fact.data) as MoneyFact }] : []
      }),
    )
    return { ...row, data: JSON.stringify(foldPayment({ ...key, id: row.id, facts: found.flat() })) }
  }

  /** Refuses to override the provider's statement. An earlier decision made here may be changed. */
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

/** The part of a payment's row that a decision reads. */
type PaymentRow = Row<'payments', 'provider' | 'account' | 'id' | 'owner_id' | 'data'>

interface AssignmentFacts {
  readonly assignment: Assignment
  readonly row: PaymentRow
  readonly at: string
  readonly refs: readonly { ref: string }[]
}

const prefix = 'assigned:'

function namingRef(id: string, refs: readonly { ref: string }[]): string {
  return (
    refs.map(({ ref }) => ref).find((ref) => paymentIdOf([ref]) === id && !ref.startsWith('link:')) ??
    `payment:${id}`
  )
}

function refused(message: string, action: string): MembershipError {
  return new MembershipError('ERR_USAGE', message, { action })
}
