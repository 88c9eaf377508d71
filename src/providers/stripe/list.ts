import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'
import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, list, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { StripeKind } from './kinds.ts'
import type { Part } from './long-lists.ts'
import { patiently, type Wait } from './patience.ts'

type Page = (api: Stripe, part: Part & { created?: { gte: number } }) => Promise<object>

// Each with what a single look at it expands. What pays an invoice is listed with it.
// https://docs.stripe.com/api/pagination, https://docs.stripe.com/api/subscriptions/list
const lists: readonly (readonly [StripeKind, Page])[] = [
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
]

/** Everything that says something of a purchase, kind by kind and newest first. `since` is when an object was made. A
 *  page that fails is asked for again. Stripe shows a hundred a page; half of that comes in time with all that is expanded. */
export async function* listAll(
  api: Pick<StripeApi, 'ask' | 'wholeChanges'>,
  { since, cursor }: ListFrom = {},
  { wait, pageSize = 50 }: { readonly wait?: Wait; readonly pageSize?: number } = {},
): AsyncIterable<ListedPage> {
  const young = since === undefined ? {} : { created: { gte: Math.floor(since.getTime() / 1000) } }
  let place: Place | null = cursor === undefined ? { kind: lists[0]![0], after: null } : parsed(cursor)
  while (place !== null) {
    const { kind, after }: Place = place
    const [, page] = lists.find((one) => one[0] === kind)!
    const part = { limit: pageSize, ...young, ...(after === null ? {} : { starting_after: after }) }
    const { raw, at } = await patiently(
      `${kind}s`,
      () => api.ask(`all ${kind}s`, (it) => page(it, part)),
      wait,
    )
    const objects = list(raw.data)
    const changes: ListedPage['changes'][number][] = []
    for (const one of objects.filter(isTold(kind)))
      changes.push(...(await patiently(`${kind}s`, () => api.wholeChanges(kind, one), wait)))
    place = nextPlace(kind, raw.has_more === true ? str(objects.at(-1)?.id) : null)
    yield { changes, at, cursor: place === null ? null : written(place) }
  }
}

// Of a page for buyers that is open still no message tells either.
const isTold =
  (kind: StripeKind) =>
  (raw: Json): boolean =>
    kind !== 'checkout' || raw.status !== 'open'

/** After which object of which list. */
interface Place {
  readonly kind: StripeKind
  readonly after: string | null
}

const nextPlace = (kind: StripeKind, last: string | null): Place | null => {
  if (last !== null) return { kind, after: last }
  const next = lists[lists.findIndex((one) => one[0] === kind) + 1]
  return next === undefined ? null : { kind: next[0], after: null }
}

const written = ({ kind, after }: Place): string => (after === null ? kind : `${kind} ${after}`)

const parsed = (cursor: string): Place => {
  const [name, after = null] = cursor.split(' ')
  const known = lists.find(([kind]) => kind === name)
  if (known) return { kind: known[0], after }
  throw new MembershipError('ERR_USAGE', 'This cursor is none of a list of Stripe’s.', {
    action: 'Hand over the cursor of the last page, or begin anew without one.',
  })
}
