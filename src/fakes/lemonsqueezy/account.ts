import {
  type Checkout,
  type FakeServerOptions,
  type Ground,
  type Invoice,
  type Json,
  type OpenedAccount,
  openAccount,
  settingsOf,
  type TellFact,
} from '../engine/index.ts'
import { createRandom } from '../engine/random.ts'

/** An object with its type and its id: https://jsonapi.org/format/#document-resource-objects */
export interface Resource extends Json {
  readonly type: string
  readonly id: string
  readonly attributes: Json
  readonly relationships?: Json
  readonly links?: Json
}

/** One store of Lemon Squeezy: what is behind it, and when everything changed, in whole seconds as it counts them. A
 *  subscription is known when its order is paid. */
export interface Account extends Omit<OpenedAccount<number>, 'madeAt' | 'changedAt'> {
  readonly madeAt: (id: string) => string
  readonly changedAt: (...ids: (string | null | undefined)[]) => string
  /** When it last looked otherwise than it does now: a subscription's own revision stands still while its item changes. */
  readonly revisedAt: (id: string, look: string) => string
  /** The number of what was bought on a page; null while nothing was. */
  orderOf(checkout: Checkout): string | null
  findOrder(id: string): Checkout | undefined
  listOrders(): Checkout[]
  listInvoices(): Invoice[]
  /** The page on which that was bought which a payment paid. */
  pageOf(payment: string): Checkout | undefined
  /** Sends a message. */
  emit(type: string, data: Resource, custom?: unknown): void
}

/** A store in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  options: FakeServerOptions,
  ground: Ground,
  tell: TellFact<Account>,
): Account => {
  const { clock, ids } = ground
  const orders = new Map<string, string>()
  // Numbers of one kind have gaps: every object of a store draws from one row here.
  const looks = new Map<string, { readonly look: string; readonly at: string }>()
  // All stores draw from one row: two fake stores meet only where their seeds are equal.
  let count = 1000 + Math.floor(createRandom(ground.seed, 'numbers')() * 1e8)
  let sent = 0
  const opened = openAccount<number>(ground, {
    // Four tries in two weeks: https://docs.lemonsqueezy.com/help/online-store/recovery-dunning
    settings: settingsOf(options, [3, 7, 10, 14]),
    idFor: (kind) => (kind === 'checkout' ? uuidOf(ids) : String(++count)),
    // What this clock does in a moment takes its time there: no two changes of an object are of one second.
    next: (last = 0) => Math.max(clock.seconds(), last + 1),
    never: 0,
    tell: (...of) => tell(account, ...of),
  })
  const { store } = opened.world
  const account: Account = {
    ...opened,
    madeAt: (id) => iso(opened.madeAt(id)),
    changedAt: (...of) => iso(opened.changedAt(...of)),
    revisedAt: (id, look) => {
      const at = account.changedAt(id)
      const before = looks.get(id)
      if (before?.look === look) return before.at
      looks.set(id, { look, at })
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
          (checkout) => checkout.payment === payment || (invoice !== null && checkout.invoice === invoice),
        )
    },
    emit: (type, data, custom) => {
      const meta = {
        test_mode: true,
        event_name: type,
        ...(custom === undefined ? {} : { custom_data: custom }),
        webhook_id: uuidOf(ids),
      }
      opened.send(`${++sent}`, type, { meta, data })
    },
  }
  return account
}

/** Invoices of a subscription; credits and trials have none. */
const isShown = ({ announced }: Account, { reason, total, status, subscription }: Invoice): boolean =>
  announced.has(subscription) && status !== 'draft' && (total > 0 || (reason === 'cycle' && total === 0))

const uuidOf = (ids: Ground['ids']): string => {
  const text = Buffer.from(ids('x', 16)).toString('hex').slice(4)
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  )
}

/** Unix seconds as Lemon Squeezy writes them: with six digits, of which none says anything. */
export const iso = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000000Z`
/** The same for what may be missing. */
export const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : iso(seconds))
