import test from 'ava'
import { pagesOf } from '../../../src/core/storage/index.ts'

/** Reads numbers as SQLite does: at once, in a microtask. */
function numbers(count: number, size: number) {
  return (last: number | null) => {
    const from = (last ?? -1) + 1
    const page = Array.from({ length: Math.max(0, Math.min(size, count - from)) }, (_, i) => from + i)
    return Promise.resolve(page)
  }
}

test('pages follow each other to the first that is not full, each row once', async (t) => {
  for (const count of [0, 1, 3, 4, 12]) {
    const seen: number[] = []
    let pages = 0
    for await (const page of pagesOf(4, numbers(count, 4))) {
      seen.push(...page)
      pages++
    }
    t.deepEqual(
      seen,
      Array.from({ length: count }, (_, n) => n),
    )
    t.is(pages, Math.floor(count / 4) + 1)
  }
})

test('between two pages, others have their turn: what is read at once does not stop the event loop', async (t) => {
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  for await (const page of pagesOf(2, numbers(40, 2))) t.true(page.length <= 2)
  clearImmediate(next)
  t.true(turns >= 15, `${turns} turns in 21 pages`)
})
