import {
  type Checkout,
  type CreateAccount,
  type Invoice,
  type Json,
  type OpenedAccount,
  openOwnAccount,
  settingsOf,
  toUuid,
  trackMap,
  trackValue,
} from '../engine/index.ts'
import { createRandom } from '../engine/random.ts'

/** An object with its type and id: https://jsonapi.org/format/#document-resource-objects */
export interface Resource extends Json {
  readonly type: string
  readonly id: string
  readonly attributes: Json
  readonly relationships?: Json
  readonly links?: Json
}

/**
 * One Lemon Squeezy store: its world, and when each object changed, in whole seconds. A subscription is
 * hidden until its order is paid.
 */
export interface Account extends Omit<OpenedAccount<number>, 'madeAt' | 'changedAt'> {
  readonly madeAt: (id: string) => string
  readonly changedAt: (...ids: (string | null | undefined)[]) => string
  /**
   * Returns when the object last looked different: a subscription's own revision does not change with its
   * item.
   */
  readonly revisedAt: (id: string, look: string) => string
  /** Returns the order number of a page; null until something was bought. */
  orderOf(checkout: Checkout): string | null
  findOrder(id: string): Checkout | undefined
  listOrders(): Checkout[]
  listInvoices(): Invoice[]
  /** Finds the page whose purchase a payment paid. */
  pageOf(payment: string): Checkout | undefined
  /** Sends an event. */
  emit(type: string, data: Resource, custom?: unknown): void
}

/** Creates a store without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  const { clock, ids } = context
  const orders = trackMap(context.saving, new Map<string, string>())
  // Numbers of one kind have gaps, because all objects of a store share one sequence here.
  const revisions = trackMap(
    context.saving,
    new Map<string, { readonly look: string; readonly at: string }>(),
  )
  // All stores share one sequence; two fake stores overlap only if their seeds are equal.
  const first = context.longIds ? longestNumber : 1000
  let count = first + Math.floor(createRandom(context.seed, 'numbers')() * 1e8)
  let sent = 0
  trackValue(
    context.saving,
    () => ({ count, sent }),
    (saved) => {
      ;({ count, sent } = saved)
    },
  )
  return openOwnAccount<number, Account>(context, {
    // Four attempts in two weeks: https://docs.lemonsqueezy.com/help/online-store/recovery-dunning
    settings: settingsOf(options, [3, 7, 10, 14]),
    idFor: (kind) => (kind === 'checkout' ? toUuid(ids('uuid')) : String(++count)),
    // At Lemon Squeezy, changes that happen here in one moment take time, so no two changes of an object
    // share a second.
    next: (last = 0) => Math.max(clock.seconds(), last + 1),
    never: 0,
    tell,
    extend: (opened) => {
      const { store } = opened.world
      const account: Account = {
        ...opened,
        madeAt: (id) => iso(opened.madeAt(id)),
        changedAt: (...of) => iso(opened.changedAt(...of)),
        revisedAt: (id, look) => {
          const at = account.changedAt(id)
          const before = revisions.get(id)
          if (before?.look === look) return before.at
          revisions.set(id, { look, at })
          return at
        },
        orderOf: ({ id, status }) => {
          if (status !== 'complete') return null
          if (!orders.has(id)) orders.set(id, String(++count))
          return orders.get(id) ?? null
        },
        findOrder: (id) => account.listOrders().find((order) => account.orderOf(order) === id),
        listOrders: () => store.list('checkout').filter(({ status }) => status === 'complete'),
        listInvoices: () => store.list('invoice').filter((invoice) => isShown(account, invoice)),
        pageOf: (payment) => {
          const invoice = store.find('payment', payment)?.invoice ?? null
          return store
            .list('checkout')
            .find(
              (checkout) =>
                checkout.payment === payment || (invoice !== null && checkout.invoice === invoice),
            )
        },
        emit: (type, data, custom) => {
          const meta = {
            test_mode: true,
            event_name: type,
            ...(custom === undefined ? {} : { custom_data: custom }),
            webhook_id: toUuid(ids('uuid')),
          }
          opened.send(`${++sent}`, type, { meta, data })
        },
      }
      return account
    },
  })
}

// Sixteen digits, the most that JSON's numbers hold in JavaScript.
const longestNumber = 9_007_199_000_000_000

/** Returns true for a subscription's invoices; credits and trials have none. */
function isShown({ announced }: Account, { reason, total, status, subscription }: Invoice): boolean {
  return (
    announced.has(subscription) && status !== 'draft' && (total > 0 || (reason === 'cycle' && total === 0))
  )
}

/** Formats Unix seconds as Lemon Squeezy does: with six digits that are always zero. */
export function iso(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000000Z`
}
/** Formats seconds that may be missing. */
export function isoOrNull(seconds: number | null): string | null {
  return seconds === null ? null : iso(seconds)
}
