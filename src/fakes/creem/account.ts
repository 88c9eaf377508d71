import {
  type Charge,
  type Checkout,
  type FakeServerOptions,
  type Json,
  milliseconds,
  type OpenedAccount,
  openAccount,
  type Payment,
  type ServerContext,
  settingsOf,
  type TellFact,
} from '../engine/index.ts'

/** One Creem store: its world, and when each object changed. A subscription is hidden until its page is
 *  completed. */
export interface Account extends OpenedAccount<string> {
  /** Lists payments with their charges. */
  listPaid(): { readonly payment: Payment; readonly charge: Charge }[]
  /** Finds the page on which a subscription began, or that a payment paid. */
  pageOf(of: { readonly subscription?: string | null; readonly payment?: string }): Checkout | undefined
  /** Sends an event. */
  emit(type: string, object: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  product: 'prod',
  price: 'prod',
  customer: 'cust',
  checkout: 'ch',
  subscription: 'sub',
  item: 'sitem',
  payment: 'tran',
  refund: 'ref',
  dispute: 'disp',
}

/** Creates a store without history; `tell` receives every fact. */
export const createAccount = (
  options: FakeServerOptions,
  context: ServerContext,
  tell: TellFact<Account>,
): Account => {
  const next = milliseconds(context.clock)
  const opened = openAccount<string>(context, {
    // The documentation does not say how often a failed payment is retried.
    settings: settingsOf(options, [3, 5, 7]),
    idFor: (kind) => context.ids(prefixes[kind] ?? kind, 22),
    next: () => new Date(next()).toISOString(),
    never: '',
    tell: (...of) => tell(account, ...of),
  })
  const { store } = opened.world
  const account: Account = {
    ...opened,
    listPaid: () =>
      store.list('payment').flatMap((payment) => {
        const charge = store.find('charge', payment.charge)
        return charge?.status === 'paid' ? [{ payment, charge }] : []
      }),
    pageOf: ({ subscription, payment }) =>
      store
        .list('checkout')
        .find((checkout) =>
          subscription ? checkout.subscription === subscription : checkout.payment === payment,
        ),
    emit: (eventType, object) => {
      const id = context.ids('evt', 22)
      opened.send(id, eventType, { id, eventType, created_at: next(), object })
    },
  }
  return account
}

/** Formats Unix seconds as Creem does. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
