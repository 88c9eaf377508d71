import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { MembershipError } from '../../core/errors.ts'
import { onePage } from '../../core/listing.ts'
import type { Log } from '../../core/log.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { Actor, Audit } from '../audit.ts'
import type { KeyHolder, KeyRow, Statements } from '../statements/index.ts'
import type { Partners } from './partners.ts'

/** Permissions of a key. By default it gets all. */
export const scopes = ['read', 'write'] as const
/** A permission of a key. */
export type Scope = (typeof scopes)[number]

/** The caller: a partner, identified by one of its keys. */
export interface Caller {
  readonly keyId: string
  readonly partnerId: string
  readonly scopes: readonly string[]
  /** Version of what the partner sees, raised by its own writes. */
  readonly version: number
  readonly changedAt: string
  /** Counter of the crawler's writes. Prepared answers are valid as long as it stays the same. */
  readonly crawled: number
}

/** A key as listed, without the key itself. */
export type KeyEntry = Omit<KeyRow, 'hash' | 'scopes'> & { scopes: Scope[] }

export interface KeysDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly partners: Partners
  readonly audit: Audit
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
  /** Contact for requesting a key. */
  readonly contact: string
}

/** API keys. They are shown once, stored as a hash, and valid until revoked or expired. */
export function createKeys(deps: KeysDeps) {
  const { storage, statements, partners, audit, now, randomId, log, contact } = deps

  /** Makes a key for a partner; `key` is shown only once. @throws ERR_NOT_FOUND, ERR_USAGE */
  const issue = async (
    partner: string,
    options: { label?: string; scopes?: readonly Scope[]; expiresAt?: Moment } = {},
    actor: Actor = 'operator',
  ): Promise<{ key: string; entry: KeyEntry }> => {
    const owner = await partners.get(partner)
    const wanted = options.scopes ?? scopes
    if (wanted.length === 0 || !wanted.every((scope) => scopes.includes(scope)))
      throw new MembershipError('ERR_USAGE', `A key may ${scopes.join(' and ')}.`, {
        action: `--scope ${scopes.join(',')}`,
      })
    const expiresAt = options.expiresAt === undefined ? null : toDate(options.expiresAt, 'expiresAt')
    if (expiresAt !== null && !(expiresAt > now()))
      throw new MembershipError('ERR_USAGE', 'A key must expire in the future.', {
        action: `--expires ${now().getUTCFullYear() + 1}-12-31`,
      })
    const key = makeKey()
    const row = {
      id: `key_${randomId()}`,
      partner_id: owner.id,
      hash: hashOfKey(key),
      last_four: key.slice(-4),
      label: options.label ?? null,
      scopes: JSON.stringify(wanted),
      created_at: now().toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
    }
    await storage.commit([
      step(statements.keyInsert, row),
      audit.step({
        actor,
        action: 'key-issue',
        subject: row.id,
        details: { partner: owner.id, scopes: wanted },
      }),
    ])
    return { key, entry: toEntry({ ...row, revoked_at: null, last_used_at: null }) }
  }

  const list = async (partner?: string): Promise<KeyEntry[]> => {
    const owner = partner === undefined ? null : await partners.get(partner)
    const rows = await storage.read((db) => {
      const query = db.selectFrom('api_keys').selectAll().orderBy('created_at')
      return owner ? query.where('partner_id', '=', owner.id) : query
    })
    return rows.map(toEntry)
  }

  /**
   * Finds a key by id, by its last four characters if they are unique, or by the key itself.
   * @throws ERR_NOT_FOUND
   */
  const get = async (name: string): Promise<KeyRow> => {
    const found = await storage.read((db) =>
      db
        .selectFrom('api_keys')
        .selectAll()
        .where((eb) =>
          eb.or([eb('id', '=', name), eb('last_four', '=', name), eb('hash', '=', hashOfKey(name))]),
        )
        .limit(2),
    )
    if (found.length === 1) return found[0]!
    throw new MembershipError(
      'ERR_NOT_FOUND',
      found.length === 0 ? 'There is no such key.' : 'Several keys end in these characters.',
      { action: 'Give its id: membership keys list' },
    )
  }

  /** Finds a key by its id, its last four characters or the key itself. @throws ERR_NOT_FOUND */
  const find = async (name: string): Promise<KeyEntry> => toEntry(await get(name))

  /** Revokes the key at once. */
  const revoke = async (name: string, actor: Actor = 'operator'): Promise<KeyEntry> => {
    const row = await get(name)
    const at = now().toISOString()
    await storage.commit([
      step(statements.keyRevoke, { id: row.id, at }),
      audit.step({ actor, action: 'key-revoke', subject: row.id }),
    ])
    forget()
    return toEntry({ ...row, revoked_at: row.revoked_at ?? at })
  }

  /** Makes a new key with the same permissions; the old one works for another day. */
  const rotate = async (name: string, actor: Actor = 'operator') => {
    const old = await get(name)
    const isOver = old.expires_at !== null && Date.parse(old.expires_at) <= now().getTime()
    if (old.revoked_at !== null || isOver)
      throw new MembershipError('ERR_USAGE', 'A key that was revoked or has expired cannot be rotated.', {
        action: `membership keys issue ${old.partner_id}`,
      })
    const made = await issue(
      old.partner_id,
      {
        label: old.label ?? undefined,
        scopes: JSON.parse(old.scopes) as Scope[],
        expiresAt: old.expires_at === null ? undefined : new Date(old.expires_at),
      },
      actor,
    )
    const until = new Date(now().getTime() + overlapMs).toISOString()
    await storage.commit([
      step(statements.keyExpire, { id: old.id, at: until }),
      audit.step({ actor, action: 'key-rotate', subject: old.id, details: { to: made.entry.id } }),
    ])
    return { ...made, oldKeyUntil: until }
  }

  /**
   * Finds the partner of a key. The database is asked each time, so that revoking works at once in every
   * process. Requests that arrived before the query share it.
   * @throws ERR_API_KEY
   */
  const authenticate = (key: string | undefined): Promise<Caller> => {
    if (key === undefined || key === '')
      return Promise.reject(refused('No API key was sent: the header X-API-KEY is missing.', contact))
    const asked = shared.get(key) ?? unchanged(key)
    if (asked) return asked
    const asking = ask(key)
    // Shared only within this turn of the event loop: a later request may follow somebody's write.
    if (shared.size === 0) setImmediate(forget)
    shared.set(key, asking)
    return asking
  }
  const shared = new Map<string, Promise<Caller>>()
  const forget = () => shared.clear()

  // Until the next write, the database's answer is known.
  const known = new LRUCache<string, { revision: number; holder: KeyHolder; caller: Promise<Caller> }>({
    max: 1000,
  })
  const unchanged = (key: string): Promise<Caller> | null => {
    const kept = known.get(key)
    if (kept === undefined || kept.revision !== storage.revision()) return null
    const at = now()
    if (isExpired(kept.holder, at)) return null
    noteUse(kept.holder, at)
    return kept.caller
  }

  const ask = async (key: string): Promise<Caller> => {
    if (!isWellFormed(key)) throw refused('The API key is mistyped or cut off.', contact)
    // Read before the query: a write during the query makes the answer outdated.
    const revision = storage.revision()
    const [holder] = await storage.all(statements.keyHolder, { hash: hashOfKey(key) })
    if (!holder) throw refused('The API key is unknown.', contact)
    const caller = admit(holder)
    if (revision !== null) known.set(key, { revision, holder, caller: Promise.resolve(caller) })
    return caller
  }

  /** Admits the holder of a valid key. @throws ERR_API_KEY */
  const admit = (holder: KeyHolder): Caller => {
    const at = now()
    if (holder.revoked_at !== null) throw refused('The API key was revoked.', contact)
    if (isExpired(holder, at)) throw refused('The API key has expired.', contact)
    if (holder.status !== 'active') throw refused('The account is suspended.', contact)
    noteUse(holder, at)
    return {
      keyId: holder.key_id,
      partnerId: holder.partner_id,
      scopes: scopesOf(holder.scopes),
      version: holder.version,
      changedAt: holder.changed_at,
      crawled: holder.crawled,
    }
  }

  // Simultaneous requests read the same row, so the first notes the use for all.
  const notedAt = new Map<string, number>()
  const noteUse = (holder: KeyHolder, at: Date): void => {
    const noted = Math.max(Date.parse(holder.last_used_at ?? '') || 0, notedAt.get(holder.key_id) ?? 0)
    if (at.getTime() - noted < useEveryMs) return
    notedAt.set(holder.key_id, at.getTime())
    storage
      .commit([step(statements.keyUsed, { id: holder.key_id, at: at.toISOString() })])
      .catch((error: unknown) =>
        log('the use of a key was not noted', { key: holder.key_id, reason: String(error) }),
      )
  }

  return {
    issue,
    list: (partner?: string) => onePage(list(partner)),
    get: find,
    find,
    revoke,
    rotate,
    authenticate,
    admit,
    forget,
  }
}
export type Keys = ReturnType<typeof createKeys>

function isExpired({ expires_at }: Pick<KeyHolder, 'expires_at'>, at: Date): boolean {
  return expires_at !== null && Date.parse(expires_at) <= at.getTime()
}

const overlapMs = 86_400_000
const useEveryMs = 60_000

function toEntry({ hash: _, scopes: kept, ...row }: KeyRow): KeyEntry {
  return {
    ...row,
    scopes: JSON.parse(kept) as Scope[],
  }
}

// Only a few lists of scopes exist, so each is parsed once.
const parsedScopes = new Map<string, readonly string[]>()
function scopesOf(json: string): readonly string[] {
  const known = parsedScopes.get(json)
  if (known) return known
  const parsed = JSON.parse(json) as string[]
  parsedScopes.set(json, parsed)
  return parsed
}

function refused(message: string, contact: string) {
  return new MembershipError('ERR_API_KEY', message, {
    action: `Send it as X-API-KEY: mk_…; keys are issued on request: ${contact}`,
  })
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'mk_'

/**
 * Makes an API key: `mk_`, 40 random characters, and 6 for a checksum. The checksum reveals a mistyped key
 * without a query, and lets secret scanners recognise a leaked one.
 */
function makeKey(): string {
  const random = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${prefix}${random}${checksum(random)}`
}

/** Returns true for text that may be a key. */
function isWellFormed(key: string): boolean {
  return /^mk_[0-9A-Za-z]{46}$/.test(key) && checksum(key.slice(3, 43)) === key.slice(43)
}

/** Returns the hash that is stored instead of a key. */
function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
