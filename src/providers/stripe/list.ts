import type Stripe from 'stripe'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { type Json, list, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { StripeApi } from './api.ts'
import type { StripeKind } from './kinds.ts'
import type { Part } from './long-lists.ts'
import { stripeWords } from './words.ts'

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

/** Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 *  creation. A failed page is requested again. Stripe allows a hundred per page; with all expansions, half
 *  of that arrives in time. */
export const listAll = (
  api: Pick<StripeApi, 'ask' | 'wholeChanges'>,
  { since, cursor }: ListFrom = {},
  { wait, pageSize = 50 }: { readonly wait?: Wait; readonly pageSize?: number } = {},
): AsyncIterable<ListedPage> => {
  const young = since === undefined ? {} : { created: { gte: Math.floor(since.getTime() / 1000) } }
  const readPage = async (kind: StripeKind, after: string | null) => {
    const part = { limit: pageSize, ...young, ...(after === null ? {} : { starting_after: after }) }
    const patient = <T>(ask: () => Promise<T>) => patiently(stripeWords, `${kind}s`, ask, wait)
    const { raw, at } = await patient(() => api.ask(`all ${kind}s`, (it) => lists.get(kind)!(it, part)))
    const objects = list(raw.data)
    const changes: Change[] = []
    for (const item of objects.filter(isTold(kind)))
      changes.push(...(await patient(() => api.wholeChanges(kind, item))))
    return { changes, at, next: raw.has_more === true ? str(objects.at(-1)?.id) : null }
  }
  return walkLists('Stripe', [...lists.keys()], readPage, cursor)
}

// An open checkout page is left out, because no event reports it either.
const isTold =
  (kind: StripeKind) =>
  (raw: Json): boolean =>
    kind !== 'checkout' || raw.status !== 'open'
