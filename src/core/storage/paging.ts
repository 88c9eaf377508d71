import { setImmediate as nextTurn } from 'node:timers/promises'

export { nextTurn }

/**
 * Reads rows page by page: each page begins after the last row of the one before, and one that is not full is the last.
 * The event loop turns between two pages. SQLite answers at once, so that a loop would let nothing else happen until its
 * end.
 */
export async function* pagesOf<Row>(
  size: number,
  read: (last: Row | null) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | null = null; ; ) {
    const page: readonly Row[] = await read(last)
    yield page
    if (page.length < size) return
    last = page.at(-1)!
    await nextTurn()
  }
}
