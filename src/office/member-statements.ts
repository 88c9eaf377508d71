import type { Storage } from '../core/storage/index.ts'
import type { MessageLine, ReceivedLine } from './timeline.ts'

// No index finds an object's events, so a member's are picked from this many newest events.
const newest = 3000

/** Statements about received events and waiting messages of one member. */
export function memberLines({ read }: Pick<Storage, 'read'>) {
  return {
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
    /** Lists unsent messages of the member's lanes. */
    messages: (memberId: string): Promise<MessageLine[]> =>
      read((db) =>
        db
          .selectFrom('outbox')
          .select(['seq', 'kind', 'created_at', 'status'])
          .where('lane', 'like', `%${memberId.replace(/[\\%_]/g, '')}%`)
          .orderBy('seq', 'desc')
          .limit(20),
      ),
    /** Lists the free pages that a member read in the running periods, by the gate. */
    freePages: (memberId: string, now: string) =>
      read((db) =>
        db
          .selectFrom('wall_counts')
          .select(['wall', 'used', 'ends_at'])
          .where('owner', '=', `member:${memberId}`)
          .where('ends_at', '>', now)
          .orderBy('wall'),
      ),
    /** Finds the account that an account was merged into, and the state of its deletion. */
    accountState: async (memberId: string) => {
      const [row] = await read((db) =>
        db
          .selectFrom('members as m')
          .leftJoin('deletions as d', 'd.member_id', 'm.id')
          .select(['m.merged_into', 'd.requested_at', 'd.done_at', 'd.error'])
          .where('m.id', '=', memberId),
      )
      return row ?? null
    },
  }
}
