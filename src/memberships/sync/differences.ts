import { type AccessRules, openingOf } from '../../core/access/index.ts'
import {
  opensGate,
  type PaymentData,
  type SubscriptionData,
  toPayment,
  toSubscription,
} from '../../core/dto/index.ts'
import type { Row, Step, Storage } from '../../core/storage/index.ts'
import type { Change, Ref } from '../../providers/contract.ts'
import { type Ledger, type Origin, withoutLater } from '../ledger/index.ts'

/** The kinds of differences between our data and the provider's, most important first. */
export type DifferenceKind =
  | 'missing_here'
  | 'unknown_there'
  | 'other_owner'
  | 'other_access'
  | 'other_price'
  | 'older_here'

/** The effect of one change here. */
export interface ComparedChange {
  readonly found: readonly Found[]
  /**
   * Money objects whose payment is otherwise unknown here. Alone they are no difference. They join the payment once
   * another object brings it.
   */
  readonly alone: readonly Ref[]
}

/** An object that differs between our data and the provider's. */
export interface Difference {
  readonly kind: DifferenceKind
  readonly provider: string
  readonly account: string
  readonly object: 'subscription' | 'payment' | 'customer'
  readonly id: string
  /** Its member here; null for a purchase without an owner. */
  readonly memberId: string | null
  /** The two sides, ours and the provider's, and whether each opens a gate; null where it does not exist. */
  readonly here: Side | null
  readonly there: Side | null
  /** The effect of the repair; null where none is possible. */
  readonly mend: 'open' | 'close' | 'move' | 'write' | null
}

/** The differing columns, and whether this side opens a gate. */
export type Side = Readonly<Record<string, unknown>> & { readonly opens?: boolean }

/** A difference with the objects that showed it. The repair fetches them again. */
export interface Found extends Difference {
  readonly refs: readonly Ref[]
}

export interface Differences {
  of(change: Change, origin: Origin): Promise<ComparedChange>
}

/**
 * Finds what a provider's data would change here. It plans the change like a fresh fetch but writes nothing, so it
 * follows exactly the rules of a repair. A newer event in the meantime is no difference.
 */
export function createDifferences(deps: {
  storage: Storage
  ledger: Ledger
  rules: Omit<AccessRules, 'plans'>
  now: () => Date
}): Differences {
  const { storage, ledger, rules, now } = deps
  const { statements } = ledger

  const of = async (change: Change, origin: Origin): Promise<ComparedChange> => {
    const steps = await ledger.plan([change], origin, 'read')
    const differences = await Promise.all(steps.map((step) => read(step, steps)))
    const refs = [refOf(change), ...payerOf(change)]
    return {
      found: differences.flatMap((difference) => (difference === null ? [] : [{ ...difference, refs }])),
      alone: steps.some(isAlone) ? [refOf(change)] : [],
    }
  }

  /** True for a payment's row made for a single object, without data yet. */
  const isAlone = ({ statement, params }: Step): boolean =>
    statement.name === statements.paymentInsert.name && params.data === 'null'

  const read = async (step: Step, all: readonly Step[]): Promise<Difference | null> => {
    switch (step.statement.name) {
      case statements.subscriptionInsert.name:
      case statements.subscriptionUpdate.name:
        return ofSubscription(step.params as unknown as SubscriptionRow, all)
      case statements.paymentInsert.name:
      case statements.paymentUpdate.name:
        return ofPayment(step.params as unknown as PaymentRow, all)
      case statements.customerUpdate.name:
        return ofCustomer(step.params as unknown as CustomerRow)
      default:
        return null
    }
  }

  const ofSubscription = async (row: SubscriptionRow, all: readonly Step[]): Promise<Difference | null> => {
    const [known] = await storage.all(statements.subscription, row)
    const there = JSON.parse(row.data) as SubscriptionData
    const here = known ? (JSON.parse(known.data) as SubscriptionData) : null
    const sides = sidesOf(here, there)
    if (sides === null) return null
    const payments = await paymentsOf(row)
    const opens = (data: SubscriptionData): boolean =>
      openingOf(toSubscription(data), payments, rules, now()) !== null
    return differ('subscription', row, all, {
      here: here && { ...sides.here, opens: opens(here) },
      there: { ...sides.there, opens: opens(there) },
      isMoved: known !== undefined && known.owner_id !== row.owner_id,
    })
  }

  const ofPayment = async (row: PaymentRow, all: readonly Step[]): Promise<Difference | null> => {
    const there = JSON.parse(row.data) as PaymentData | null
    // A payment known only by a refund or a reference cannot be compared.
    if (there === null) return null
    const [known] = await storage.all(statements.payment, row)
    const here = known ? (JSON.parse(known.data) as PaymentData | null) : null
    const sides = sidesOf(here, there)
    if (sides === null) return null
    const opens = (data: PaymentData): boolean => opensGate(toPayment(data), rules.unknownIsOneTime)
    return differ('payment', row, all, {
      here: here && { ...sides.here, opens: opens(here) },
      there: { ...sides.there, opens: opens(there) },
      isMoved: known !== undefined && known.owner_id !== row.owner_id,
    })
  }

  const ofCustomer = async (row: CustomerRow): Promise<Difference | null> => {
    const [known] = await storage.all(statements.customer, row)
    if (!known || (isOfNobody(known) && isOfNobody(row) && isShared(row.provider))) return null
    const sides = sidesOf(statedBy(known), statedBy(row))
    if (sides === null) return null
    const { provider, account, customer_id: id, member_id: memberId } = row
    const isMoved = known.member_id !== null && known.member_id !== memberId
    return {
      kind: isMoved ? 'other_owner' : 'older_here',
      object: 'customer',
      provider,
      account,
      id,
      memberId,
      here: sides.here,
      there: sides.there,
      mend: isMoved ? 'move' : 'write',
    }
  }

  // The name and address of another shop's customer are not kept.
  const isShared = (provider: string): boolean => ledger.shopOf(provider).accepts === 'plans'

  const differ = async (
    object: Difference['object'],
    row: { provider: string; account: string; id: string; owner_id: string },
    all: readonly Step[],
    sides: { here: Side | null; there: Side; isMoved: boolean },
  ): Promise<Difference> => {
    const { here, there, isMoved } = sides
    const { provider, account, id } = row
    return {
      kind: kindOf(here, there, isMoved),
      object,
      provider,
      account,
      id,
      memberId: await memberOf(row, all),
      here,
      there,
      mend: mendOf(here, there, isMoved),
    }
  }

  /** The member who will own it once it is written: as planned, else as stored. */
  const memberOf = async (
    { provider, account, owner_id }: { provider: string; account: string; owner_id: string },
    all: readonly Step[],
  ): Promise<string | null> => {
    const planned = all.find(
      ({ statement, params }) =>
        statement.name === statements.customerUpdate.name && params.customer_id === owner_id,
    )
    if (planned) return planned.params.member_id as string | null
    const [known] = await storage.all(statements.customer, { provider, account, customer_id: owner_id })
    return known?.member_id ?? null
  }

  const paymentsOf = async ({ provider, account, id, owner_id }: SubscriptionRow) => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('payments')
        .select('data')
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('owner_id', '=', owner_id)
        .where('subscription_id', '=', id),
    )
    return rows.flatMap(({ data }) => {
      const payment = JSON.parse(data) as PaymentData | null
      return payment === null ? [] : [toPayment(payment)]
    })
  }

  return { of }
}

// The parts of planned rows that are compared.
type SubscriptionRow = Row<'subscriptions', 'provider' | 'account' | 'id' | 'owner_id' | 'data'>
type PaymentRow = Row<'payments', 'provider' | 'account' | 'id' | 'owner_id' | 'data'>
type CustomerRow = Row<'customers'>

function isOfNobody({ member_id, purchased }: CustomerRow): boolean {
  return member_id === null && purchased === 0
}

/** The object that a change describes. */
export function refOf(change: Change): Ref {
  if (change.type === 'touch') return change.ref
  if (change.type !== 'money') return { kind: change.type, id: change.id }
  const { kind, id, part, data } = change
  // Some providers find a bill only through its customer.
  const parent = part === 'bill' && data.customer_id ? { parent: data.customer_id } : {}
  return { kind, id, ...(part ? { part } : {}), ...parent }
}

// The customer's own address may be needed to find the member.
function payerOf(change: Change): Ref[] {
  const id = change.type === 'touch' || change.type === 'customer' ? null : change.data.customer_id
  return id ? [{ kind: 'customer', id }] : []
}

function statedBy({ member_id, email, name, deleted }: CustomerRow) {
  return { member_id, email, name, deleted }
}

// The time of the last event, and a cut list, differ without meaning.
const withoutMeaning = new Set(['updated_at', 'cut'])

/** The fields in which two snapshots differ; null where they agree. */
function sidesOf(here: object | null, there: object): { here: Side; there: Side } | null {
  const [ours, theirs] = [(here ?? {}) as Record<string, unknown>, there as Record<string, unknown>]
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
    (name) => !withoutMeaning.has(name) && !isSame(earlier(ours)[name], earlier(theirs)[name]),
  )
  if (names.length === 0) return null
  const pick = (from: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, from[name]]))
  return { here: pick(ours), there: pick(theirs) }
}

// What only a newer version reads is no difference.
function earlier(side: Record<string, unknown>) {
  return withoutLater(side) as Record<string, unknown>
}

// Absent equals null, because older rows lack later columns.
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

function kindOf(here: Side | null, there: Side, isMoved: boolean): DifferenceKind {
  if (here === null) return 'missing_here'
  if (isMoved) return 'other_owner'
  if (here.opens !== there.opens) return 'other_access'
  return 'price_id' in there || 'quantity' in there ? 'other_price' : 'older_here'
}

function mendOf(here: Side | null, there: Side, isMoved: boolean): Difference['mend'] {
  if (isMoved) return 'move'
  if (there.opens === true && here?.opens !== true) return 'open'
  return here?.opens === true && there.opens === false ? 'close' : 'write'
}
