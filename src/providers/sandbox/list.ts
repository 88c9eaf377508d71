import { MembershipError } from '../../core/errors.ts'
import type { Change, ListedPage, ListFrom } from '../contract.ts'
import type { Books } from './books.ts'
import {
  checkoutChange,
  customerChange,
  disputeChange,
  paymentChange,
  subscriptionChange,
} from './changes.ts'
import { answer } from './customers.ts'

const pageSize = 50

/** Everything in the books, in the order of its ids. `since` is when an object changed last. */
export const createList = ({ books, now }: { books: Books; now: () => Date }) => {
  const all = async (since: Date | undefined): Promise<[place: string, change: Change][]> => {
    const isYoung = ({ updated }: { updated: string }) =>
      since === undefined || updated >= since.toISOString()
    // Of a checkout that is not paid yet no message tells either.
    const isTold = ({ status, paid }: { status: string; paid: boolean }) => paid || status === 'expired'
    const changes = [
      ...(await books.all('customer')).filter(isYoung).map((one) => customerChange(one, 'updated')),
      ...(await books.all('subscription')).filter(isYoung).map((one) => subscriptionChange(one, 'updated')),
      ...(await books.all('checkout'))
        .filter((one) => isYoung(one) && isTold(one))
        .map((one) => checkoutChange(one, 'updated')),
      ...(await books.all('payment')).filter(isYoung).map((one) => paymentChange(one, 'updated')),
      ...(await books.all('dispute')).filter(isYoung).map((one) => disputeChange(one, 'updated')),
    ]
    return changes
      .map((change): [string, Change] => [`${change.type} ${change.id}`, change])
      .sort(([a], [b]) => (a < b ? -1 : 1))
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
