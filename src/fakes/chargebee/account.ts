import {
  type CreateAccount,
  type Json,
  milliseconds,
  type OpenedAccount,
  openOwnAccount,
  settingsOf,
  trackMap,
} from '../engine/index.ts'

/**
 * One Chargebee site: its world, and when each object changed. A subscription is hidden until its page is
 * paid.
 */
export interface Account extends OpenedAccount<number> {
  /** Customers whose invoices a page collects. */
  readonly collecting: Map<string, string>
  /** Id of the next subscription, if its page sets one. */
  called: string | null
  /** Makes a new id with this prefix. */
  newId(prefix: string): string
  /** Records an event and sends it. */
  emit(type: string, content: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  price: 'price',
  customer: 'cus',
  checkout: 'hp',
  invoice: 'inv',
  subscription: 'sub',
  line: 'li',
  payment: 'pay',
  charge: 'txn',
  refund: 'txn',
  dispute: 'txn',
  portal: 'portal',
}

/** Creates a site without history. */
export const createAccount: CreateAccount<Account> = (options, context, tell) => {
  // 50 characters, 40 of a transaction: https://apidocs.chargebee.com/docs/api/subscriptions and the pages beside it
  const longest = (prefix: string) => (prefix === 'txn' || prefix === 'ev' ? 40 : 50) - prefix.length - 1
  const newId = (prefix: string) => context.ids(prefix, context.longIds ? longest(prefix) : 16)
  const account: Account = openOwnAccount<number, Account>(context, {
    // https://www.chargebee.com/docs/2.0/dunning.html
    settings: settingsOf(options, [3, 5, 7]),
    idFor: (kind) => {
      if (kind !== 'subscription' || account.called === null) return newId(prefixes[kind] ?? kind)
      const { called } = account
      account.called = null
      return called
    },
    // `resource_version`
    next: milliseconds(context.clock, context.saving),
    never: 0,
    tell,
    extend: (opened) => ({
      ...opened,
      collecting: trackMap(context.saving, new Map()),
      called: null,
      newId,
      emit: (event_type, content) => {
        const event = {
          id: newId('ev'),
          occurred_at: context.clock.seconds(),
          source: 'api',
          object: 'event',
          api_version: 'v2',
          content,
          event_type,
          webhook_status: 'scheduled',
        }
        opened.send(event.id, event_type, event)
      },
    }),
  })
  return account
}
