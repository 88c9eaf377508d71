import { type ExpressionBuilder, sql } from 'kysely'
import type { Storage, Tables } from '../../core/storage/index.ts'
import { receiverKinds } from '../hooks/index.ts'

/** Messages that notify members, hooks and receivers. */
const isNotice = ({ eb, or }: ExpressionBuilder<Tables, 'outbox'>) =>
  or([eb('kind', 'in', ['hook', 'mail', 'link-mail', 'direct-mail']), eb('kind', 'like', receiverKinds)])

/** Statements that keep an older copy of a database from repeating notifications. */
export const restoringStatements = (storage: Storage) => ({
  sessions: storage.prepare<{ at: string }>({ lock: 'inbox', name: 'restored-sessions' }, (db, p) =>
    db.updateTable('sessions').set({ revoked_at: p.at }).where('revoked_at', 'is', null),
  ),
  links: storage.prepare<{ at: string }>({ lock: 'inbox', name: 'restored-links' }, (db, p) =>
    db.updateTable('login_links').set({ used_at: p.at }).where('used_at', 'is', null),
  ),
  emailChanges: storage.prepare<{ at: string }>({ lock: 'inbox', name: 'restored-email-changes' }, (db, p) =>
    db
      .updateTable('email_changes')
      .set({ void_at: p.at })
      .where('confirmed_at', 'is', null)
      .where('void_at', 'is', null),
  ),
  mergeRequests: storage.prepare<{ at: string }>({ lock: 'inbox', name: 'restored-merge-wishes' }, (db, p) =>
    db
      .updateTable('merge_wishes')
      .set({ void_at: p.at })
      .where('done_at', 'is', null)
      .where('void_at', 'is', null),
  ),
  returnPages: storage.prepare<{ at: string }>({ lock: 'inbox', name: 'restored-return-pages' }, (db, p) =>
    db.updateTable('intents').set({ entered_at: p.at }).where('entered_at', 'is', null),
  ),
  /** Deletes the notified states. Without them, anything that began before notifications did is already known. */
  told: storage.prepare<object>({ lock: 'inbox', name: 'restored-told' }, (db) =>
    db.deleteFrom('member_snapshots'),
  ),
  /** Queues every member for one comparison after the start, so that later changes are notified. */
  look: storage.prepare<{ at: string }>({ lock: 'members', name: 'restored-look' }, (db, p) =>
    db
      .insertInto('notify_queue')
      .columns(['provider', 'account', 'owner_id', 'wishes', 'due_at'])
      .expression((eb) =>
        eb
          .selectFrom('members')
          .select([sql.lit('').as('provider'), sql.lit('').as('account'), 'id as owner_id'])
          .select([sql.lit(1).as('wishes'), sql<string>`cast(${p.at} as text)`.as('due_at')])
          // Without a condition, SQLite reads the conflict clause as part of a join.
          .where('id', '<>', ''),
      )
      .onConflict((c) => c.columns(['provider', 'account', 'owner_id']).doNothing()),
  ),
  /** Only mails, hooks and events for receivers are given up. Repeating an update to a provider does no harm. */
  messages: storage.prepare<{ error: string }>({ lock: 'inbox', name: 'restored-messages' }, (db, p) =>
    db
      .updateTable('outbox')
      .set({ status: 'dead', error: p.error })
      .where('status', '=', 'waiting')
      .where(isNotice),
  ),
  deleted: storage.prepare<{ since: string }, { member_id: string; requested_at: string }>(
    { lock: 'inbox', name: 'deleted-since' },
    (db, p) =>
      db
        .selectFrom('deletions')
        .select(['member_id', 'requested_at'])
        .where('requested_at', '>=', p.since)
        .orderBy('requested_at')
        .orderBy('member_id'),
  ),
  isMember: storage.prepare<{ id: string }, { id: string }>(
    { lock: 'inbox', name: 'restored-member' },
    (db, p) => db.selectFrom('members').select('id').where('id', '=', p.id),
  ),
})

/** Counts the rows that are still to be handled. */
export const countOpen = async (storage: Storage) => {
  const count = async (rows: Promise<readonly { n: unknown }[]>) => Number((await rows)[0]?.n ?? 0)
  const n = sql<number>`count(*)`.as('n')
  return {
    ended: {
      sessions: await count(
        storage.read((db) => db.selectFrom('sessions').select(n).where('revoked_at', 'is', null)),
      ),
      links: await count(
        storage.read((db) => db.selectFrom('login_links').select(n).where('used_at', 'is', null)),
      ),
      emailChanges: await count(
        storage.read((db) =>
          db
            .selectFrom('email_changes')
            .select(n)
            .where('confirmed_at', 'is', null)
            .where('void_at', 'is', null),
        ),
      ),
      returnPages: await count(
        storage.read((db) => db.selectFrom('intents').select(n).where('entered_at', 'is', null)),
      ),
      feeds: await count(storage.read((db) => db.selectFrom('feeds').select(n))),
    },
    messages: await count(
      storage.read((db) => db.selectFrom('outbox').select(n).where('status', '=', 'waiting').where(isNotice)),
    ),
  }
}
