import type { Storage } from '../../core/storage/index.ts'
import { memberColumns } from '../ledger/statements/member-statements.ts'
import type { MemberRow } from '../members/statements.ts'

interface Member {
  member_id: string
}

/** Queries for everything that is kept about one member, by their own id; nothing in it lets anybody in. */
export const exportStatements = (storage: Storage) => ({
  profile: storage.prepare<Member, MemberRow & { password_hash: string | null }>('export-profile', (db, p) =>
    db
      .selectFrom('members')
      .select([...memberColumns, 'password_hash'])
      .where('id', '=', p.member_id),
  ),
  grants: storage.prepare<
    Member,
    {
      gate: string
      source: string
      reason: string | null
      starts_at: string | null
      expires_at: string | null
      created_at: string
      revoked_at: string | null
    }
  >('export-grants', (db, p) =>
    db
      .selectFrom('grants')
      .select(['gate', 'source', 'reason', 'starts_at', 'expires_at', 'created_at', 'revoked_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
  // Their ids open an account to whoever can sign: left out.
  sessions: storage.prepare<
    Member,
    { verified: number; created_at: string; expires_at: string; revoked_at: string | null }
  >('export-sessions', (db, p) =>
    db
      .selectFrom('sessions')
      .select(['verified', 'created_at', 'expires_at', 'revoked_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
  // Who did it is somebody else's name.
  auditLog: storage.prepare<
    Member,
    {
      at: string
      action: string
      subject: string | null
      before: string | null
      after: string | null
      outcome: string
    }
  >('export-auditLog', (db, p) =>
    db
      .selectFrom('audit_log')
      .select(['at', 'action', 'subject', 'before', 'after', 'outcome'])
      .where('member_id', '=', p.member_id)
      .orderBy('at'),
  ),
  choices: storage.prepare<Member, { mails_off_at: string | null }>('export-choices', (db, p) =>
    db.selectFrom('members').select('mails_off_at').where('id', '=', p.member_id),
  ),
  mails: storage.prepare<Member, { kind: string; sent_at: string }>('export-mails', (db, p) =>
    db
      .selectFrom('sent_mails')
      .select(['kind', 'sent_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('sent_at'),
  ),
  // By the address, too, which is null unless it is proved to be the member's.
  declarations: storage.prepare<
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
  /** Messages that wait or were given up: to the member, and those whose address stands in them. */
  unsent: storage.prepare<
    { lane: string },
    { kind: string; lane: string; payload: string; status: string; created_at: string }
  >('export-unsent', (db, p) =>
    db
      .selectFrom('outbox')
      .select(['kind', 'lane', 'payload', 'status', 'created_at'])
      .where(({ eb, or }) => or([eb('lane', '=', p.lane), eb('kind', '=', 'direct-mail')]))
      .orderBy('seq'),
  ),
  // The id is for finding it elsewhere and stays here, as the checkout's address does.
  checkouts: storage.prepare<
    Member,
    {
      id: string
      provider: string
      mode: string
      plan: string
      price_id: string
      quantity: number
      status: string
      redirect: string
      created_at: string
      expires_at: string
      settled_at: string | null
      consent: string | null
    }
  >('export-checkouts', (db, p) =>
    db
      .selectFrom('intents')
      .select([
        'id',
        'provider',
        'mode',
        'plan',
        'price_id',
        'quantity',
        'status',
        'redirect',
        'created_at',
        'expires_at',
        'settled_at',
        'consent',
      ])
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
})
