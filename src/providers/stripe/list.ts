import type Stripe from 'stripe'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { list, str } from '../narrow.ts'
import type { Wait } from '../patience.ts'
import { type StripeApi, stripeWords } from './api.ts'
import type { StripeKind } from './facts.ts'
import type { Part } from './long-lists.ts'
import type { Common, ListAnswer, Session, StripeObjects } from './payload.ts'

type Page = (api: Stripe, part: Part & { created?: { gte: number } }) => Promise<object>

// Each list expands the same as a single fetch. Invoice payments are listed with their invoice.
// https://docs.stripe.com/api/pagination, https://docs.stripe.com/api/subscriptions/list
const lists = new Map<StripeKind, Page>([
  ['customer', (api, part) => api.customers.list(part)],
  [
    'subscription',
    (api, part) =>
      api.subscriptions.list({ status: 'all', expand: ['data.schedule', 'data.latest_invoice'], ...part }),
  ],
  [
    'checkout',
    (api, part) =>
      api.checkout.sessions.list({
        expand: ['data.line_items', 'data.payment_intent', 'data.subscription'],
        ...part,
      }),
  ],
  ['invoice', (api, part) => api.invoices.list({ expand: ['data.payments'], ...part })],
  ['intent', (api, part) => api.paymentIntents.list(part)],
  ['charge', (api, part) => api.charges.list({ expand: ['data.refunds'], ...part })],
  ['refund', (api, part) => api.refunds.list(part)],
  ['dispute', (api, part) => api.disputes.list(part)],
])

/**
 * Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 * creation. Stripe allows a hundred per page; with all expansions, half of that arrives in time.
 */
export function listAll(
  api: Pick<StripeApi, 'ask' | 'wholeChanges'>,
  from: ListFrom = {},
  { wait, pageSize = 50 }: { readonly wait?: Wait; readonly pageSize?: number } = {},
): AsyncIterable<ListedPage> {
  const { since } = from
  const young = since === undefined ? {} : { created: { gte: Math.floor(since.getTime() / 1000) } }
  return listByKind<StripeObjects>(
    {
      words: stripeWords,
      kinds: [...lists.keys()],
      page: async (kind, after) => {
        const part = { limit: pageSize, ...young, ...(after === null ? {} : { starting_after: after }) }
        const { raw, at } = await api.ask<ListAnswer<Common>>(`all ${kind}s`, (stripe) =>
          lists.get(kind)!(stripe, part),
        )
        const items = list(raw.data)
        const next = raw.has_more === true ? str(items.at(-1)?.id) : null
        return { items: items as readonly StripeObjects[typeof kind][], at, next }
      },
      toChanges: async (kind, items, { patient }) => {
        const changes: Change[] = []
        for (const item of items.filter(isTold(kind)))
          changes.push(...(await patient(`${kind}s`, () => api.wholeChanges(kind, item))))
        return changes
      },
    },
    from,
    wait,
  )
}

// An open checkout page is left out, because no event reports it either.
function isTold(kind: StripeKind) {
  return (raw: object): boolean => kind !== 'checkout' || (raw as Session).status !== 'open'
}
