import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { downloadLifeStatements } from './life-statements.ts'
import { createEnding } from './statements.ts'

/** Feeds and links to files in the life of a member. */
export function downloadLife(storage: Storage, now: () => Date) {
  const statements = downloadLifeStatements(storage)
  const ending = createEnding(storage, now)
  return {
    name: 'downloads',
    tables: ['feeds', 'feed_clients', 'ended_links'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id: member_id }) => [
      step(statements.feedClients, { member_id }),
      step(statements.feedsErase, { member_id }),
      step(statements.endedErase, { member_id }),
    ],
    export: async ({ id }) => ({ feeds: await storage.all(statements.feedPaths, { member_id: id }) }),
    // Addresses stay with the account that made them, and open what the account that stays may read.
    merge: nothing,
    unmerge: nothing,
    restore: async ({ keepFeeds }) => {
      const [row] = await storage.all(statements.count, {})
      return {
        ended: { feeds: keepFeeds ? 0 : Number(row?.n ?? 0) },
        steps: [...(keepFeeds ? [] : ending.stepsForAll('feeds')), ...ending.stepsForAll('files')],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}
