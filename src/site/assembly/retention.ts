import { createLeaving, type Leaving, type Storage } from '../../core/storage/index.ts'
import { oldLinks } from '../../memberships/account/index.ts'
import { doneIntents, unpaidIntents } from '../../memberships/checkout/index.ts'
import { oldSentMails } from '../../memberships/mails/index.ts'
import { oldSessions } from '../../memberships/members/index.ts'
import { oldChangeRequests } from '../../memberships/subscriptions/index.ts'
import { oldMarks } from '../../memberships/trials/index.ts'

/** The rows that leave, and how many days after their time. */
const whatLeaves = (keepBodiesDays: number): readonly { readonly rows: Leaving; readonly days: number }[] => [
  { rows: oldSessions, days: 1 },
  { rows: oldLinks, days: 7 },
  // A bank takes three weeks at most, and an event can be applied again for as long as its body is kept.
  { rows: unpaidIntents, days: Math.max(90, keepBodiesDays) },
  // Who bought before is asked of them while the browser's cookie lives, which is a year, and for trials two.
  { rows: doneIntents, days: 760 },
  // A year of mails, for whoever is asked what was sent.
  { rows: oldSentMails, days: 365 },
  // As long as purchases.
  { rows: oldChangeRequests, days: 760 },
  // Two years, as docs/privacy.md says.
  { rows: oldMarks, days: 730 },
]

/** Lets go of rows that nobody needs any more. */
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
