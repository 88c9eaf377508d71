import {
  type Charge,
  type Checkout,
  type FakeServerOptions,
  type Ground,
  type Json,
  milliseconds,
  type OpenedAccount,
  openAccount,
  type Payment,
  settingsOf,
  type TellFact,
} from '../engine/index.ts'

/** One store of Creem: what is behind it, and when everything changed. A subscription is known when its page is completed. */
export interface Account extends OpenedAccount<string> {
  /** Payments, each with its charge. */
  listPaid(): { readonly payment: Payment; readonly charge: Charge }[]
  /** The page on which a subscription began, or that a payment paid. */
  pageOf(of: { readonly subscription?: string | null; readonly payment?: string }): Checkout | undefined
  /** Sends a message. */
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

/** A store in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  options: FakeServerOptions,
  ground: Ground,
  tell: TellFact<Account>,
): Account => {
  const next = milliseconds(ground.clock)
  const opened = openAccount<string>(ground, {
    // How often a failed payment is tried again, the documentation does not say.
    settings: settingsOf(options, [3, 5, 7]),
    idFor: (kind) => ground.ids(prefixes[kind] ?? kind, 22),
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
      const id = ground.ids('evt', 22)
      opened.send(id, eventType, { id, eventType, created_at: next(), object })
    },
  }
  return account
}

/** Unix seconds as Creem writes them. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
