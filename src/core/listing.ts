import { setImmediate as nextTurn } from 'node:timers/promises'

/** A list: `await` gives one page, and `for await` visits every item, page after page. */
export type Listing<Page, Item> = Promise<Page> & AsyncIterable<Item>

/** A page as it is read. */
export interface ListedPage<Page, Item, Query> {
  /** The answer of `await`. */
  readonly page: Page
  readonly items: readonly Item[]
  /** The query of the page after this one; null after the last. */
  readonly next: Query | null
}

/**
 * Makes a list of its first page, and of what reads each further page when an iteration gets to it. The event loop turns
 * between two pages, as SQLite answers at once.
 */
export function toListing<Page, Item, Query>(
  first: Promise<ListedPage<Page, Item, Query>>,
  read: (query: Query) => Promise<ListedPage<Page, Item, Query>>,
): Listing<Page, Item> {
  const answer = first.then(({ page }) => page)
  const visit = async function* (): AsyncGenerator<Item> {
    // Awaited before the rest, so that a refusal is handled once.
    await answer
    for (let part = await first; ; part = await read(part.next)) {
      yield* part.items
      if (part.next === null) return
      await nextTurn()
    }
  }
  return Object.assign(answer, { [Symbol.asyncIterator]: visit })
}

/** A list that has one page. */
export function onePage<Page extends readonly unknown[]>(all: Promise<Page>): Listing<Page, Page[number]> {
  const read = async () => {
    const page = await all
    return { page, items: page, next: null }
  }
  return toListing(read(), read)
}

/** The query of the page after these rows, by the last of them; null where the page is not full. `limit` is the default. */
export function afterFull<Row, Query extends { readonly limit?: number }>(
  rows: readonly Row[],
  query: Query,
  { limit, from }: { readonly limit: number; readonly from: (last: Row) => Partial<Query> },
): Query | null {
  const last = rows.at(-1)
  return last === undefined || rows.length < (query.limit ?? limit)
    ? null
    : Object.assign({}, query, from(last))
}
