import { isMembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { failureOf } from '../api-errors.ts'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { RestAnswer } from '../rest.ts'
import { type PartOfList, walkLists } from '../walk-lists.ts'
import type { PayPalApi } from './api.ts'
import { linkTo, type PayPalObjects } from './read-objects.ts'
import { paypalWords } from './words.ts'

/** Dependencies of reading the list. */
export interface ListDeps {
  readonly api: PayPalApi
  readonly objects: PayPalObjects
  readonly log: Log
  readonly now: () => Date
  readonly wait?: Wait
}

/** Lists every subscription of the account, page by page. PayPal lists no payments and no orders; they
 *  arrive as events. An app that may not read the list gets an empty one, so a comparison fetches each
 *  known subscription by its id. https://developer.paypal.com/api/subscriptions/v1/ (`subscriptions.list`)
 *  @throws ERR_USAGE for an invalid cursor, and as `patiently` */
export const listAll = (deps: ListDeps, { since, cursor }: ListFrom = {}): AsyncIterable<ListedPage> => {
  const { api, objects, log, now, wait } = deps
  const patient = <T>(what: string, ask: () => Promise<T>): Promise<T> =>
    patiently(paypalWords, what, ask, wait)

  /** Returns null if PayPal refuses the list but answers other requests. */
  const ask = async (page: number): Promise<RestAnswer | null> => {
    const query = {
      page_size: pageSize,
      page,
      ...(since === undefined ? {} : { created_after: toMoment(since) }),
    }
    try {
      return await patient('all subscriptions', () =>
        api.ask('all subscriptions', { path: '/v1/billing/subscriptions', query }),
      )
    } catch (error) {
      const { status } = failureOf(isMembershipError(error) ? error.cause : null)
      if (page > 1 || !refusals.has(status)) throw error
      log('PayPal does not list the subscriptions of this account; each known one is asked for by its id.', {
        status,
      })
      return null
    }
  }

  const changesOf = async (raw: Json, at: string): Promise<readonly Change[]> => {
    if (isWhole(raw)) return objects.changes('subscription', { raw, at, status: 200, headers: {} }).changes
    const id = str(raw.id)
    const read = id === null ? null : await patient(`subscription ${id}`, () => objects.subscription(id))
    return read === null ? [] : objects.changes('subscription', read).changes
  }

  const readPage = async (_kind: 'subscriptions', after: string | null): Promise<PartOfList> => {
    const page = after === null ? 1 : Number(after)
    const answer = await ask(page)
    if (answer === null) return { changes: [], at: now().toISOString(), next: null }
    const { raw, at } = answer
    const subscriptions = list(raw.subscriptions)
    const changes: Change[] = []
    for (const subscription of subscriptions) changes.push(...(await changesOf(subscription, at)))
    const isLast = subscriptions.length === 0 || linkTo(raw, 'next') === null
    return { changes, at, next: isLast ? null : String(page + 1) }
  }
  return walkLists('PayPal', ['subscriptions'], readPage, cursor)
}

// "The combination of `page=1` and `page_size=20` returns the first 20 items."
const pageSize = 20

const refusals: ReadonlySet<number | null> = new Set([403, 404, 405])

/** Returns true if an entry contains the payer and the paid time. The documentation does not say how much
 *  of a subscription the list contains. */
const isWhole = (raw: Json): boolean =>
  str(obj(raw.subscriber).payer_id) !== null && str(raw.plan_id) !== null && raw.billing_info !== undefined

const toMoment = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
