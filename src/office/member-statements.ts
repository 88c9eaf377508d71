import type { Storage } from '../core/storage/index.ts'
import type { MessageLine, ReceivedLine } from './timeline.ts'

// No index leads from an object to its events: of so many, the newest, those of one member are picked.
const newest = 3000

/** Queries for messages that arrived, and that wait to leave, about one member. */
export const memberLines = ({ read }: Pick<Storage, 'read'>) => ({
  events: async (objects: readonly string[]): Promise<ReceivedLine[]> => {
    if (objects.length === 0) return []
    const [last] = await read((db) => db.selectFrom('events').select(({ fn }) => fn.max('seq').as('seq')))
    return read((db) =>
      db
        .selectFrom('events')
        .select(['seq', 'type', 'provider', 'received_at', 'status'])
        .where('seq', '>', Number(last?.seq ?? 0) - newest)
        .where('object_id', 'in', objects)
        .orderBy('seq', 'desc')
        .limit(60),
    )
  },
  /** Messages whose lane is the member's, and which have not left. */
  messages: (memberId: string): Promise<MessageLine[]> =>
    read((db) =>
      db
        .selectFrom('outbox')
        .select(['seq', 'kind', 'created_at', 'status'])
        .where('lane', 'like', `%${memberId.replace(/[\\%_]/g, '')}%`)
        .orderBy('seq', 'desc')
        .limit(20),
    ),
  /** Finds the account into which an account was merged, and since when somebody leaves. */
  standing: async (memberId: string) => {
    const [row] = await read((db) =>
      db
        .selectFrom('members as m')
        .leftJoin('deletions as d', 'd.member_id', 'm.id')
        .select(['m.merged_into', 'd.requested_at', 'd.done_at', 'd.error'])
        .where('m.id', '=', memberId),
    )
    return row ?? null
  },
})
