import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import type { Tables } from '../../core/storage/tables.ts'

export type PartnerRow = Tables['partners']
export type KeyRow = Tables['api_keys']

/** A partner's session on the partners' pages; `id` is the fingerprint of its cookie. */
export type PartnerSessionRow = Tables['partner_sessions']

const holder = [
  'k.id as key_id',
  'k.scopes',
  'k.expires_at',
  'k.revoked_at',
  'k.last_used_at',
  'k.partner_id',
  'p.status',
  'p.version',
  'p.changed_at',
  'p.crawled',
] as const

/** Columns of a key and its partner that authentication needs. */
export interface KeyHolder {
  key_id: string
  scopes: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  partner_id: string
  status: string
  version: number
  changed_at: string
  crawled: number
}

/** Statements of partners and their keys. */
export function partnerStatements(storage: Storage) {
  return {
    /** Runs for each request: one lookup by the key's hash, one by the partner's id. */
    keyHolder: storage.prepare<{ hash: string }, KeyHolder>('key-holder', (db, p) =>
      db
        .selectFrom('api_keys as k')
        .innerJoin('partners as p', 'p.id', 'k.partner_id')
        .select(holder)
        .where('k.hash', '=', p.hash),
    ),
    /**
     * Finds the key behind a session of the partners' pages. It runs for each request, so that revoking the key
     * ends the session.
     */
    sessionHolder: storage.prepare<{ id: string; now: string }, KeyHolder>('partner-session', (db, p) =>
      db
        .selectFrom('partner_sessions as s')
        .innerJoin('api_keys as k', 'k.id', 's.key_id')
        .innerJoin('partners as p', 'p.id', 'k.partner_id')
        .select(holder)
        .where('s.id', '=', p.id)
        .where('s.expires_at', '>', p.now),
    ),
    sessionInsert: storage.prepare<PartnerSessionRow>('partner-session-insert', (db, p) =>
      db.insertInto('partner_sessions').values({ id: p.id, key_id: p.key_id, expires_at: p.expires_at }),
    ),
    sessionDelete: storage.prepare<{ id: string }>('partner-session-end', (db, p) =>
      db.deleteFrom('partner_sessions').where('id', '=', p.id),
    ),
    keyUsed: storage.prepare<{ id: string; at: string }>('key-used', (db, p) =>
      db.updateTable('api_keys').set({ last_used_at: p.at }).where('id', '=', p.id),
    ),
    keyInsert: storage.prepare<Omit<KeyRow, 'revoked_at' | 'last_used_at'>>('key-insert', (db, p) =>
      db.insertInto('api_keys').values({
        id: p.id,
        partner_id: p.partner_id,
        hash: p.hash,
        last_four: p.last_four,
        label: p.label,
        scopes: p.scopes,
        created_at: p.created_at,
        expires_at: p.expires_at,
      }),
    ),
    keyRevoke: storage.prepare<{ id: string; at: string }>('key-revoke', (db, p) =>
      db
        .updateTable('api_keys')
        .set({ revoked_at: p.at })
        .where('id', '=', p.id)
        .where('revoked_at', 'is', null),
    ),
    /** Never extends a key. */
    keyExpire: storage.prepare<{ id: string; at: string }>('key-expire', (db, p) =>
      db
        .updateTable('api_keys')
        .set({ expires_at: p.at })
        .where('id', '=', p.id)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.at)])),
    ),
    partner: storage.prepare<{ id: string }, PartnerRow>('partner', (db, p) =>
      db.selectFrom('partners').selectAll().where('id', '=', p.id),
    ),
    partnerByEmail: storage.prepare<{ email: string }, PartnerRow>('partner-by-email', (db, p) =>
      db.selectFrom('partners').selectAll().where('email', '=', p.email),
    ),
    partnerInsert: storage.prepare<PartnerRow>('partner-insert', (db, p) =>
      db.insertInto('partners').values({
        id: p.id,
        name: p.name,
        email: p.email,
        status: p.status,
        version: p.version,
        changed_at: p.changed_at,
        crawled: p.crawled,
        created_at: p.created_at,
      }),
    ),
    partnerStatus: storage.prepare<{ id: string; status: string }>('partner-status', (db, p) =>
      db.updateTable('partners').set({ status: p.status }).where('id', '=', p.id),
    ),
    /** Raises the version of what the partner sees. */
    partnerChanged: storage.prepare<{ id: string; at: string }>('partner-changed', (db, p) =>
      db
        .updateTable('partners')
        .set({ version: sql<number>`version + 1`, changed_at: p.at })
        .where('id', '=', p.id),
    ),
    /**
     * Changes no row if the partner has a website of this address, in the index or tried. It runs after
     * `partnerChanged`, whose lock admits one process at a time.
     */
    partnerIsFirst: storage.prepare<{ id: string; url_key: string }>('partner-is-first', (db, p) =>
      db
        .updateTable('partners')
        .set({ version: sql<number>`version` })
        .where('id', '=', p.id)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('reports')
                .select('reports.id')
                .where('reports.url_key', '=', p.url_key)
                .where('reports.partner_id', '=', p.id),
            ),
          ),
        ),
    ),
    /** Notes a write of the crawler; changes no row if the partner made one of its own meanwhile. */
    partnerCrawled: storage.prepare<{ id: string; version: number }>('partner-crawled', (db, p) =>
      db
        .updateTable('partners')
        .set({ crawled: sql<number>`crawled + 1` })
        .where('id', '=', p.id)
        .where('version', '=', p.version),
    ),
  }
}
