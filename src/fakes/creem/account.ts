import {
  type Charge,
  type CreateAccount,
  type Json,
  milliseconds,
  type OpenedAccount,
  openOwnAccount,
  type Payment,
  settingsOf,
} from '../engine/index.ts'

/**
 * One Creem store: its world, and when each object changed. A subscription is hidden until its page is
 * completed.
 */
export interface Account extends OpenedAccount<string> {
  /** Lists payments with their charges. */
  listPaid(): { readonly payment: Payment; readonly charge: Charge }[]
  /** Finds the newest collected payment of a subscription. */
  lastPaid(subscription: string): Payment | undefined
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

/** Creates a store without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  const next = milliseconds(context.clock, context.saving)
  return openOwnAccount<string, Account>(context, {
    // The documentation does not say how often a failed payment is retried.
    settings: settingsOf(options, [3, 5, 7]),
    idFor: (kind) => context.ids(prefixes[kind] ?? kind, 22),
    next: () => new Date(next()).toISOString(),
    never: '',
    tell,
    extend: (opened) => ({
      ...opened,
      listPaid: () => {
        const { store } = opened.world
        return store.list('payment').flatMap((payment) => {
          const charge = store.find('charge', payment.charge)
          return charge?.status === 'paid' ? [{ payment, charge }] : []
        })
      },
      lastPaid: (subscription) => {
        const { store } = opened.world
        return store
          .having('invoice', 'subscription', subscription)
          .flatMap(({ id }) => store.having('payment', 'invoice', id))
          .findLast(({ charge }) => store.find('charge', charge)?.status === 'paid')
      },
      emit: (eventType, object) => {
        const id = context.ids('evt', 22)
        opened.send(id, eventType, { id, eventType, created_at: next(), object })
      },
    }),
  })
}

/** Formats Unix seconds as Creem does. */
export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
