import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { type SoldPrice, soldIn } from '../../core/dto/sold.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import type { Erasing } from './erasing.ts'
import { type FreeDays, ledgerLifeStatements } from './statements/life-statements.ts'

export type { FreeDays }

/** Purchases in the life of a member. `customersOf`, `checkoutsOf`: reads of the member's rows. */
export function ledgerLife(
  storage: Storage,
  given: {
    readonly customersOf: (memberId: string) => Promise<readonly StoredCustomer[]>
    readonly checkoutsOf: (memberId: string) => Promise<readonly string[]>
    readonly erasing: Pick<Erasing, 'records'>
  },
) {
  const statements = ledgerLifeStatements(storage)
  return {
    name: 'ledger',
    tables: [
      ...(['customers', 'subscriptions', 'payments', 'facts', 'payment_refs', 'fetches'] as const),
      ...(['overdue', 'recurring_months', 'other_subscriptions', 'other_people'] as const),
    ],
    lock: nothing,
    eraseRecords: given.erasing.records,
    erase: ({ id }) => [step(statements.customers, { member_id: id })],
    export: async (member) => {
      const [customers, checkouts, places] = await Promise.all([
        given.customersOf(member.id),
        given.checkoutsOf(member.id),
        storage.all(statements.places, { member_id: member.id }),
      ])
      const intents = new Set(checkouts)
      const placeOf = new Map(places.map(({ place, ...key }) => [nameOf(key), place]))
      return {
        subscriptions: member.subscriptions().map((subscription) => ({
          ...copyOf<SubscriptionData>(subscription, intents),
          ...termsOf(subscription),
        })),
        payments: member
          .payments()
          .map((payment) => ({ ...copyOf<PaymentData>(payment, intents), ...termsOf(payment) })),
        customers: customers.map(({ moved_from: _, guest, deleted, ...customer }) => ({
          ...customer,
          place: placeOf.get(nameOf(customer)) ?? null,
          guest: guest === 1,
          deleted: deleted === 1,
        })),
      }
    },
    merge: ({ kept, merged }) => [step(statements.move, { kept: kept.id, merged: merged.id })],
    unmerge: ({ kept, merged }) => [step(statements.moveBack, { kept: kept.id, merged: merged.id })],
    restore: nothing,
  } as const satisfies MemberLife
}

function nameOf({
  provider,
  account,
  customer_id,
}: Pick<StoredCustomer, 'provider' | 'account' | 'customer_id'>) {
  return JSON.stringify([provider, account, customer_id])
}

/** A customer as the export reads it. */
interface StoredCustomer {
  readonly provider: string
  readonly account: string
  readonly customer_id: string
  readonly guest: number
  readonly email: string | null
  readonly name: string | null
  readonly deleted: number
  readonly moved_from?: string | null
}

// An intent's id lets anybody who has it continue the checkout. Providers return it as metadata.
function copyOf<T extends SubscriptionData | PaymentData>(
  value: Readonly<T>,
  intents: ReadonlySet<string>,
): T {
  return {
    ...(JSON.parse(JSON.stringify(value)) as T),
    metadata: Object.fromEntries(
      Object.entries(value.metadata).filter(([, item]) => !intents.has(item.split('.')[0]!)),
    ),
  }
}

/** The terms under which a purchase was sold, if they are stored. */
function termsOf(purchase: object): { sold?: (Omit<SoldPrice, 'id'> & { price_id: string })[] } {
  const terms = [...(soldIn(purchase)?.values() ?? [])]
  return terms.length === 0 ? {} : { sold: terms.map(({ id, ...price }) => ({ price_id: id, ...price })) }
}

/** Doors to free days that another account paid for. */
export function createFreeDays(storage: Storage) {
  const { closeFreeDays, goingBack } = ledgerLifeStatements(storage)
  return {
    /** Closes them until they end; null opens them again. */
    close: (days: FreeDays): Step => step(closeFreeDays, days),
    /** The customers that return to a merged account. */
    goingBack: (pair: { kept: string; merged: string }) => storage.all(goingBack, pair),
  }
}
