import { createLeaving, type Leaving, type Storage } from '../../core/storage/index.ts'
import { oldLinks } from '../../memberships/account/index.ts'
import { doneIntents, unpaidIntents } from '../../memberships/checkout/index.ts'
import { unpaidGifts } from '../../memberships/gifts/index.ts'
import { oldLimitKeys } from '../../memberships/limits/index.ts'
import { oldSentMails } from '../../memberships/mails/index.ts'
import { oldSessions } from '../../memberships/members/index.ts'
import { oldChangeRequests } from '../../memberships/subscriptions/index.ts'
import { oldMarks } from '../../memberships/trials/index.ts'

/** Rows to delete, with the number of days to keep them. */
const whatLeaves = (keepBodiesDays: number): readonly { readonly rows: Leaving; readonly days: number }[] => [
  { rows: oldSessions, days: 1 },
  { rows: oldLinks, days: 7 },
  // A repeated key takes nothing again for this time.
  { rows: oldLimitKeys, days: 30 },
  // A bank takes at most three weeks. An event can be applied again as long as its body is kept.
  { rows: unpaidIntents, days: Math.max(90, keepBodiesDays) },
  { rows: unpaidGifts, days: Math.max(90, keepBodiesDays) },
  // Both questions about earlier purchases need these rows: the browser cookie lives a year, and trials count
  // two.
  { rows: doneIntents, days: 760 },
  // Lets staff answer for a year which mails were sent.
  { rows: oldSentMails, days: 365 },
  // Kept as long as purchases.
  { rows: oldChangeRequests, days: 760 },
  // Two years, as docs/privacy.md promises.
  { rows: oldMarks, days: 730 },
]

/** Deletes rows that are past their retention time. */
export const createLettingGo = (deps: { storage: Storage; now: () => Date; keepBodiesDays: number }) => {
  const { storage, now, keepBodiesDays } = deps
  const all = whatLeaves(keepBodiesDays).map(({ rows, days }) => ({
    leave: createLeaving(storage, rows),
    days,
  }))
  return async (): Promise<void> => {
    for (const { leave, days } of all)
      await leave(new Date(now().getTime() - days * 86_400_000).toISOString())
  }
}
