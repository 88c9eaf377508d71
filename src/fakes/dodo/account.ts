import {
  type CreateAccount,
  type Json,
  microseconds,
  type OpenedAccount,
  openOwnAccount,
  type Payment,
  settingsOf,
} from '../engine/index.ts'

/** One business of Dodo Payments. A subscription is hidden until its page is completed. */
export interface Account extends OpenedAccount<string> {
  /** Lists payments and failed attempts. */
  listPayments(): Payment[]
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

// After 12, 24, 48, 72 and 96 hours, each counted from the try before. The next one would leave the default window of
// 13 days, and the subscription stays on hold: https://docs.dodopayments.com/features/recovery/payment-retries
const retryDays = [0.5, 1.5, 3.5, 6.5, 10.5]

/** Creates a business without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  const next = microseconds(context.clock, context.saving)
  return openOwnAccount<string, Account>(context, {
    settings: settingsOf(options, retryDays, 'past_due'),
    idFor: (kind) => context.ids(prefixes[kind] ?? kind, 22),
    next,
    never: '',
    tell,
    extend: (opened) => ({
      ...opened,
      listPayments: () =>
        opened.world.store
          .list('payment')
          .filter(({ charge, refusal }) => charge !== null || refusal !== null),
      emit: (type, data) =>
        opened.send(context.ids('msg', 22), type, { business_id: 'bus_1', type, timestamp: next(), data }),
    }),
  })
}
