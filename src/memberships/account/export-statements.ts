import type { Storage } from '../../core/storage/index.ts'
import { memberColumns } from '../ledger/statements/member-statements.ts'
import type { MemberRow } from '../members/statements.ts'

interface Member {
  member_id: string
}

/** Statements that read everything stored about one member. They return no secret that opens an account. */
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
  limits: storage.prepare<
    Member,
    { name: string; bucket: string; used: number; starts_at: string; ends_at: string; at: string }
  >('export-limits', (db, p) =>
    db
      .selectFrom('limit_usage')
      .select(['name', 'bucket', 'used', 'starts_at', 'ends_at', 'at'])
      .where('member_id', '=', p.member_id)
      .orderBy('name')
      .orderBy('bucket'),
  ),
  limitKeys: storage.prepare<
    Member,
    { name: string; key: string; amount: number; taken_at: string; released_at: string | null }
  >('export-limit-keys', (db, p) =>
    db
      .selectFrom('limit_keys')
      .select(['name', 'key', 'amount', 'taken_at', 'released_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('name')
      .orderBy('taken_at'),
  ),
  limitCredits: storage.prepare<
    Member,
    { name: string; amount: number; reason: string; created_at: string; expires_at: string | null }
  >('export-limit-credits', (db, p) =>
    db
      .selectFrom('limit_credits')
      .select(['name', 'amount', 'reason', 'created_at', 'expires_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
  freePages: storage.prepare<
    { owner: string },
    { wall: string; used: number; starts_at: string; ends_at: string }
  >('export-free-pages', (db, p) =>
    db
      .selectFrom('wall_counts')
      .select(['wall', 'used', 'starts_at', 'ends_at'])
      .where('owner', '=', p.owner)
      .orderBy('wall'),
  ),
  feeds: storage.prepare<Member, { path: string; created_at: string }>('export-feeds', (db, p) =>
    db
      .selectFrom('feeds')
      .select(['path', 'created_at'])
      .where('member_id', '=', p.member_id)
      .orderBy('path'),
  ),
  // A session's id would let anybody who can sign open the account, so it is left out.
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
  // The operator's name is another person's data, so it is left out.
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
  // Also finds by the address, which is null unless it is proved.
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
  /** Waiting or undeliverable messages: those to the member, and those that contain an address. */
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
  // The id only finds the checkout elsewhere; it is not exported, and neither is the checkout's address.
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
