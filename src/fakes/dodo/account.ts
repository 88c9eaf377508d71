import {
  type Checkout,
  type FakeServerOptions,
  type Json,
  microseconds,
  type OpenedAccount,
  openAccount,
  type Payment,
  type ServerContext,
  settingsOf,
  type TellFact,
} from '../engine/index.ts'

/** One business of Dodo Payments. A subscription is hidden until its page is completed. */
export interface Account extends OpenedAccount<string> {
  /** Lists payments and failed attempts. */
  listPayments(): Payment[]
  /** Finds the page on which a payment was made, or a subscription began. */
  pageOf(of: { readonly subscription?: string | null; readonly payment?: string }): Checkout | undefined
  /** Sends an event. */
  emit(type: string, data: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  product: 'pdt',
  price: 'pdt',
  customer: 'cus',
  checkout: 'cks',
  subscription: 'sub',
  payment: 'pay',
  refund: 'ref',
  dispute: 'dsp',
}

// Within thirteen days, then it stays on hold:
// https://docs.dodopayments.com/features/recovery/payment-retries
const retryDays = [3, 7, 13]

/** Creates a business without history; `tell` receives every fact. */
export const createAccount = (
  options: FakeServerOptions,
  context: ServerContext,
  tell: TellFact<Account>,
): Account => {
  const next = microseconds(context.clock)
  const opened = openAccount<string>(context, {
    settings: settingsOf(options, retryDays, 'past_due'),
    idFor: (kind) => context.ids(prefixes[kind] ?? kind, 22),
    next,
    never: '',
    tell: (...of) => tell(account, ...of),
  })
  const { store } = opened.world
  const account: Account = {
    ...opened,
    listPayments: () =>
      store.list('payment').filter(({ charge, refusal }) => charge !== null || refusal !== null),
    pageOf: ({ subscription, payment }) =>
      store
        .list('checkout')
        .find((checkout) =>
          subscription ? checkout.subscription === subscription : checkout.payment === payment,
        ),
    emit: (type, data) =>
      opened.send(context.ids('msg', 22), type, { business_id: 'bus_1', type, timestamp: next(), data }),
  }
  return account
}
