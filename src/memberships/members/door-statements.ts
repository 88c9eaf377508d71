import { type Expression, type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { picked, type Row, type Storage, type Tables } from '../../core/storage/index.ts'
import { forMember } from './current-statements.ts'
import { type GrantRow, grantColumns, type MemberRow, memberColumns } from './statements.ts'

/** The part of a member's row that the member may change. */
export type ProfileRow = Row<'members', 'id' | 'name' | 'language' | 'content' | 'updated_at'>

/** The row of an imported member. A password's hash is written and never read. */
export type ImportedMember = MemberRow & { readonly password_hash: string | null }

const importedColumns = [...memberColumns, 'password_hash'] as const

function leaving(id: string) {
  return (eb: ExpressionBuilder<Tables, 'members'>) =>
    eb.selectFrom('deletions').select('member_id').where('member_id', '=', id)
}

/** Selects a member's purchases in other browsers. */
export function boughtElsewhere(
  db: Kysely<Tables>,
  { member, browser }: { member: string; browser: string | Expression<string | null> },
): Expression<{ id: string }> {
  return db
    .selectFrom('intents as other')
    .select('other.id')
    .where('other.member_id', '=', member)
    .where('other.status', '=', sql.lit('complete'))
    .where('other.browser', '!=', browser)
}

/** Statements that other modules ask for by the doors of members. */
export function memberDoorStatements(storage: Storage) {
  return {
    /** Lists every grant that a member ever had, also revoked ones. */
    grantIds: storage.prepare<{ member_id: string }, { id: string }>('import-grants', (db, p) =>
      db.selectFrom('grants').select('id').where('member_id', '=', p.member_id),
    ),
    grantImport: forMember(
      storage.prepareMany<GrantRow>('grant-import', { all: grantColumns, key: ['id'] }, (db, rows) =>
        db
          .insertInto('grants')
          .values(rows)
          .onConflict((c) => c.column('id').doNothing()),
      ),
    ),
    grantOfGift: forMember(
      storage.prepare<{ id: string; member_id: string; gate: string; created_at: string }>(
        'gift-grant-insert',
        (db, p) =>
          db
            .insertInto('grants')
            .values({
              ...picked(p, ['id', 'member_id', 'gate', 'created_at']),
              source: sql.lit('gift'),
              waits: 1,
            })
            // Another process redeems the same gift. PostgreSQL comes here before the gift's own row.
            .onConflict((c) => c.doNothing()),
      ),
    ),
    grantRun: storage.prepare<{
      id: string
      starts_at: string | null
      expires_at: string | null
      waits: number
    }>('gift-grant-run', (db, p) =>
      db
        .updateTable('grants')
        .set({ starts_at: p.starts_at, expires_at: p.expires_at, waits: p.waits })
        .where('id', '=', p.id),
    ),
    grantRevoked: storage.prepare<{ id: string; revoked_at: string | null }>('gift-grant-revoked', (db, p) =>
      db.updateTable('grants').set({ revoked_at: p.revoked_at }).where('id', '=', p.id),
    ),
    /**
     * Revokes sessions that purchases opened for an unproved address when another browser bought with the same address.
     */
    yielded: storage.prepare<{ id: string; member: string; at: string }>(
      { name: 'sessions-yield', before: 'grants', because: 'a login ends the other sessions, never its own' },
      (db, p) =>
        db
          .updateTable('sessions')
          .set({ revoked_at: p.at })
          .where('member_id', '=', p.member)
          .where('verified', '=', 0)
          .where('revoked_at', 'is', null)
          .where(({ exists }) =>
            exists(
              boughtElsewhere(db, {
                member: p.member,
                browser: sql<string | null>`(select browser from intents where id = ${p.id})`,
              }),
            ),
          ),
    ),
    sessionsProlong: storage.prepare<{ now: string; until: string }>('demo-sessions-prolong', (db, p) =>
      db
        .updateTable('sessions')
        .set({ expires_at: p.until })
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', p.now),
    ),
    /** Writes nothing if another writer changed the row since it was read, or the account is being deleted. */
    profile: storage.prepare<ProfileRow & { before: string }>('account-update', (db, p) =>
      db
        .updateTable('members')
        .set({ name: p.name, language: p.language, content: p.content, updated_at: p.updated_at })
        .where('id', '=', p.id)
        .where('updated_at', '=', p.before)
        .where('id', 'not in', leaving(p.id)),
    ),
    /** Writes nothing if the account is being deleted. */
    language: storage.prepare<{ id: string; language: string; updated_at: string }>(
      'account-language',
      (db, p) =>
        db
          .updateTable('members')
          .set({ language: p.language, updated_at: p.updated_at })
          .where('id', '=', p.id)
          .where('id', 'not in', leaving(p.id)),
    ),
    /** Writes nothing if the address is taken, another writer changed the row, or the account is being deleted. */
    email: storage.prepare<{
      id: string
      email: string
      email_verified: number
      updated_at: string
      before: string
    }>('account-email', (db, p) =>
      db
        .updateTable('members')
        .set({ email: p.email, email_verified: p.email_verified, updated_at: p.updated_at })
        .where('id', '=', p.id)
        .where('updated_at', '=', p.before)
        .where('id', 'not in', leaving(p.id))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('members as other')
                .select('other.id')
                .where('other.email', '=', p.email)
                .where('other.id', '!=', p.id),
            ),
          ),
        ),
    ),
    /** Removes the address from another account that took it meanwhile without proof. */
    release: storage.prepare<{ email: string; id: string; updated_at: string }>(
      'account-address-release',
      (db, p) =>
        db
          .updateTable('members')
          .set({ email: null, updated_at: p.updated_at })
          .where('email', '=', p.email)
          .where('id', '!=', p.id)
          .where('email_verified', '=', sql.lit(0)),
    ),
    /** Sets an unknown member language to that of the page where they bought. */
    speaks: storage.prepare<{ id: string; member: string; at: string }>('member-speaks', (db, p) =>
      db
        .updateTable('members')
        .set({
          language: sql<string | null>`(select language from intents where id = ${p.id})`,
          updated_at: p.at,
        })
        .where('id', '=', p.member)
        .where('language', 'is', null)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('intents')
              .select('intents.id')
              .where('intents.id', '=', p.id)
              .where('intents.language', 'is not', null),
          ),
        ),
    ),
    mailsOff: storage.prepare<{ id: string; mails_off_at: string | null }>('courtesy-choose', (db, p) =>
      db.updateTable('members').set({ mails_off_at: p.mails_off_at }).where('id', '=', p.id),
    ),
    memberImport: storage.prepareMany<ImportedMember>(
      {
        name: 'member-import',
        before: 'members',
        because: 'the other steps of the unit find the account that it creates',
      },
      { all: importedColumns, key: ['id'] },
      (db, rows) =>
        db
          .insertInto('members')
          .values(rows)
          .onConflict((c) => c.doNothing()),
    ),
    /** The member still has this address, with the same verification state. */
    memberStands: storage.prepare<{ id: string; email: string; email_verified: number }>(
      'member-stands',
      (db, p) =>
        db
          .updateTable('members')
          .set((eb) => ({ email_verified: eb.ref('email_verified') }))
          .where('id', '=', p.id)
          .where('email', '=', p.email)
          .where('email_verified', '=', p.email_verified),
    ),
    /** The account is still merged into the same account, or into none. */
    memberMerged: storage.prepare<{ id: string; merged_into: string | null }>('member-merged', (db, p) =>
      db
        .updateTable('members')
        .set((eb) => ({ email_verified: eb.ref('email_verified') }))
        .where('id', '=', p.id)
        .where(sql<boolean>`merged_into is not distinct from ${p.merged_into}`),
    ),
    /** Changes a row if somebody has this address after all. */
    nobodyHas: storage.prepare<{ email: string }>('member-nobody', (db, p) =>
      db
        .updateTable('members')
        .set((eb) => ({ email_verified: eb.ref('email_verified') }))
        .where('email', '=', p.email),
    ),
    /** Writes nothing if somebody has the address. */
    memberInsert: storage.prepareMany<MemberRow>(
      {
        name: 'member-insert',
        before: 'members',
        because: 'the other steps of the unit find the account that it creates',
      },
      { all: memberColumns, key: ['email'] },
      (db, rows) =>
        db
          .insertInto('members')
          .values(rows)
          .onConflict((c) => c.doNothing()),
    ),
  }
}
