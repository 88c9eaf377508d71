import { isMembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Page } from '../api.ts'
import { failureOf } from '../api-errors.ts'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { listByKind, type Patient } from '../list.ts'
import { list, obj, str } from '../narrow.ts'
import { type PayPalApi, paypalWords, toMoment } from './api.ts'
import type { ListAnswer, Subscription } from './payload.ts'
import { linkTo, type PayPalReader } from './read-objects.ts'

/** Dependencies of reading the list. */
export interface ListDeps {
  readonly api: PayPalApi
  readonly objects: PayPalReader
  readonly log: Log
  readonly now: () => Date
}

/**
 * Lists every subscription of the account, page by page. PayPal lists no payments and no orders; they arrive
 * as events. An app that may not read the list gets an empty one, so a comparison fetches each known
 * subscription by its id. https://developer.paypal.com/api/subscriptions/v1/ (`subscriptions.list`)
 * @throws ERR_USAGE for an invalid cursor, and as `patiently`
 */
export function listAll(deps: ListDeps, from: ListFrom = {}): AsyncIterable<ListedPage> {
  const { api, objects, log, now } = deps
  const young = from.since === undefined ? {} : { created_after: toMoment(from.since) }

  const readPage = async (number: number): Promise<Page<Subscription>> => {
    const query = { page_size: pageSize, page: number, ...young }
    const { raw, at } = await api.ask<ListAnswer>('all subscriptions', {
      path: '/v1/billing/subscriptions',
      query,
    })
    const items = list(raw.subscriptions)
    const isLast = items.length === 0 || linkTo(raw, 'next') === null
    return { items, at, next: isLast ? null : String(number + 1) }
  }

  const changesOf = async (raw: Subscription, at: string, patient: Patient): Promise<readonly Change[]> => {
    if (isWhole(raw)) return objects.changes('subscription', { raw, at }).changes
    const id = str(raw.id)
    const read = id === null ? null : await patient(`subscription ${id}`, () => objects.subscription(id))
    return read === null ? [] : objects.changes('subscription', read).changes
  }

  return listByKind<{ readonly subscriptions: Subscription }>(
    {
      words: paypalWords,
      kinds: ['subscriptions'],
      page: async (_kind, after) => {
        const number = after === null ? 1 : Number(after)
        try {
          return await readPage(number)
        } catch (error) {
          // PayPal refuses the list, but answers other requests.
          const { status } = failureOf(isMembershipError(error) ? error.cause : null)
          if (number > 1 || !refusals.has(status)) throw error
          log(
            'PayPal does not list the subscriptions of this account; each known one is asked for by its id.',
            { status },
          )
          return { items: [], at: now().toISOString(), next: null }
        }
      },
      toChanges: async (_kind, items, { at, patient }) => {
        const changes: Change[] = []
        for (const raw of items) changes.push(...(await changesOf(raw, at, patient)))
        return changes
      },
    },
    from,
  )
}

// "The combination of `page=1` and `page_size=20` returns the first 20 items."
const pageSize = 20

const refusals: ReadonlySet<number | null> = new Set([403, 404, 405])

/**
 * Returns true if an entry contains the payer and the paid time. The documentation does not say how much of a
 * subscription the list contains.
 */
function isWhole(raw: Subscription): boolean {
  return (
    str(obj(raw.subscriber).payer_id) !== null && str(raw.plan_id) !== null && raw.billing_info !== undefined
  )
}
