import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

interface Member {
  member_id: string
}

/** Statements about declarations in the life of an account. */
export function shopLifeStatements(storage: Storage) {
  return {
    /** Finds by the member and by the address, so that no other duty has to run before. */
    numbers: storage.prepare<Member & { email: string | null }, { id: string }>(
      'erase-declarations-find',
      (db, p) =>
        db
          .selectFrom('declarations')
          .select('id')
          .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('email', '=', p.email)])),
    ),
    /**
     * Clears the text of finished declarations, and links those of the address that have no member. An open one is answered
     * first and cleared afterwards.
     */
    declarationsForget: storage.prepare<Member & { email: string | null }>('declarations-forget', (db, p) => {
      const unlessOpen = (column: 'name' | 'contract' | 'email' | 'reason') =>
        sql<string | null>`case when status = 'done' then null else ${sql.ref(column)} end`
      return db
        .updateTable('declarations')
        .set({
          member_id: p.member_id,
          forgets: 1,
          name: unlessOpen('name'),
          contract: unlessOpen('contract'),
          email: unlessOpen('email'),
          reason: unlessOpen('reason'),
        })
        .where(({ and, eb, or }) =>
          or([
            eb('member_id', '=', p.member_id),
            and([eb('email', '=', p.email), eb('member_id', 'is', null)]),
          ]),
        )
    }),
    // Also finds by the address, which is null unless it is proved.
    declarationsOf: storage.prepare<
      Member & { email: string | null },
      {
        id: string
        kind: string
        nature: string | null
        reason: string | null
        ends_on: string | null
        name: string | null
        contract: string | null
        email: string | null
        received_at: string
        due_on: string
        status: string
        subscription_id: string | null
        done_at: string | null
      }
    >('export-declarations', (db, p) =>
      db
        .selectFrom('declarations')
        .select([
          ...(['id', 'kind', 'nature', 'reason', 'ends_on', 'name', 'contract', 'email'] as const),
          ...(['received_at', 'due_on', 'status', 'subscription_id', 'done_at'] as const),
        ])
        .where(({ eb, or }) => or([eb('member_id', '=', p.member_id), eb('email', '=', p.email)]))
        .orderBy('id'),
    ),
  }
}
