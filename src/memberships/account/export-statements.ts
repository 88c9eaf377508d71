import type { Storage } from '../../core/storage/index.ts'

interface Member {
  member_id: string
}

/** What is kept about one member; everything by their own id, and nothing that lets anybody in. */
export const exportStatements = (storage: Storage) => ({
  profile: storage.prepare<
    Member,
    {
      id: string
      email: string | null
      email_verified: number
      name: string | null
      roles: string
      language: string | null
      content: string
      created_by: string | null
      created_at: string
      updated_at: string
      password_hash: string | null
    }
  >('export-profile', (db, p) =>
    db
      .selectFrom('members')
      .select([
        'id',
        'email',
        'email_verified',
        'name',
        'roles',
        'language',
        'content',
        'created_by',
        'created_at',
        'updated_at',
        'password_hash',
      ])
      .where('id', '=', p.member_id),
  ),
  customers: storage.prepare<
    Member,
    {
      provider: string
      account: string
      customer_id: string
      guest: number
      email: string | null
      name: string | null
      deleted: number
    }
  >('export-customers', (db, p) =>
    db
      .selectFrom('customers')
      .select(['provider', 'account', 'customer_id', 'guest', 'email', 'name', 'deleted'])
      .where('member_id', '=', p.member_id)
      .orderBy('provider')
      .orderBy('customer_id'),
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
      ])
      .where('member_id', '=', p.member_id)
      .orderBy('created_at'),
  ),
})
