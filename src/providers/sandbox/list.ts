import { MembershipError } from '../../core/errors.ts'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import type { Books } from './books.ts'
import { changeOf } from './changes.ts'
import { answer } from './customers.ts'

const pageSize = 50

/** Lists everything in the books, in order of id. `since` compares with an object's last change. */
export function createList({ books, now }: { books: Books; now: () => Date }) {
  const all = async (since: Date | undefined): Promise<[place: string, change: Change][]> => {
    const changes = (await books.all())
      .flatMap((book) => book.views())
      // An unpaid checkout is left out, because no event reports it either.
      .filter(({ isTold, data }) => isTold && (since === undefined || data.updated >= since.toISOString()))
      .map((view): [string, Change] => {
        const change = changeOf(view)
        return [`${change.type} ${view.data.id}`, change]
      })
    return changes.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  return async function* ({ since, cursor = '' }: ListFrom = {}): AsyncIterable<ListedPage> {
    if (cursor !== '' && !/^(?:customer|money|subscription) \S+$/.test(cursor))
      throw new MembershipError('ERR_USAGE', 'This cursor is none of a list of the sandbox’s.', {
        action: 'Begin anew without one.',
      })
    for (let after = cursor; ; ) {
      const left = (await all(since)).filter(([place]) => place > after)
      const page = left.slice(0, pageSize)
      after = page.at(-1)?.[0] ?? after
      const isLast = left.length <= pageSize
      yield {
        ...answer(
          page.map(([, change]) => change),
          now(),
        ),
        cursor: isLast ? null : after,
      }
      if (isLast) return
    }
  }
}
