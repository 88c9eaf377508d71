import { isMembershipError } from '../../core/errors.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type AuditLogRow, auditLogStatements, listAuditLog } from './statements.ts'

/** An operator's action on a member. It contains no secret. */
export interface AuditEntry {
  /** The name of the person who acts. */
  readonly by: string
  readonly action: AuditedAction
  readonly memberId: string | null
  /** The id of the other object: a grant, a subscription, a payment, or another member. */
  readonly subject?: string | null
  /** The values before the action, where they change. */
  readonly before?: unknown
  /** Names the action. A second one with the same key does not begin. */
  readonly key?: string
}

/** The actions that operators take on members. */
export type AuditedAction =
  | 'grant'
  | 'limit'
  | 'revoke'
  | 'gift-revoke'
  | 'gift-send'
  | 'gift-release'
  | 'gift-again'
  | 'group-invite'
  | 'group-checked'
  | 'raise-stop'
  | 'raise-resume'
  | 'raise-undo'
  | 'cancel'
  | 'refund'
  | 'login-link'
  | 'email'
  | 'assign'
  | 'merge'
  | 'unmerge'
  | 'resume'
  | 'change'
  | 'pay-link'
  | 'discount'
  | 'compare'
  | 'export'
  | 'delete'
  | 'note'
  | 'replay'
  | 'release'
  | 'send-again'
  | 'pull'
  | 'key-revoke'
  | 'partner-suspend'
  | 'partner-activate'
  | 'exclude'
  | 'restore'
  | 'relink-undo'
  | 'partner-add'
  | 'key-issue'
  | 'key-rotate'
  | 'relink'
  | 'import-settle'
  | 'close-checkout'
  | 'declaration-settle'
  | 'refund-settle'
  | 'payment-settle'
  | 'operator-invite'
  | 'operator-remove'

/** A recorded action. `begun`: its process was interrupted, so its outcome is unknown. */
export interface AuditRecord {
  readonly at: string
  readonly by: string
  readonly action: AuditedAction
  readonly member_id: string | null
  readonly subject: string | null
  readonly before: unknown
  readonly after: unknown
  readonly outcome: 'begun' | 'done' | 'failed'
  /** The code of the error that prevented it. */
  readonly error: string | null
}

/** Selects a page of the log. */
export interface AuditLogQuery {
  readonly member?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

/** The log of operators' actions on members. */
export interface AuditLog {
  /**
   * Runs an action between two records: its beginning and its outcome. The value that `after` returns is stored.
   * @throws UnitConflict where an action with its key was begun before
   */
  during<T>(entry: AuditEntry, run: () => Promise<T>, after?: (result: T) => unknown): Promise<T>
  /** Finds the recorded action with a key, or null. */
  find(key: string): Promise<AuditRecord | null>
  /** Builds the records of a beginning and an outcome, for the caller's own units. */
  noting(entry: AuditEntry): {
    readonly begun: Step
    ended(outcome: 'done' | 'failed', error: string | null, after?: unknown): Step
  }
  /** Builds the record of a unit's action, for that unit. */
  step(entry: AuditEntry, after?: unknown): Step
  /** Lists records, newest first: all, or those about one member. `limit`: 1 to 500. Default: 50. */
  list(filter?: { readonly member?: string; readonly limit?: number }): Promise<readonly AuditRecord[]>
  /** Reads a page. `before` is the previous page's `next`, which is null after the last page. */
  page(
    filter: AuditLogQuery,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly next: string | null }>
}

/** The log is a table. An action at a provider is recorded before the call, so that none is ever missing. */
export function createAuditLog(deps: {
  storage: Storage
  now: () => Date
  randomId: () => string
}): AuditLog {
  const { storage, now, randomId } = deps
  const statements = auditLogStatements(storage)

  const rowOf = ({ by, action, memberId, subject = null, before, key }: AuditEntry): AuditLogRow => ({
    id: key === undefined ? randomId() : idOf(key),
    at: now().toISOString(),
    by: by.slice(0, 200),
    action,
    member_id: memberId,
    subject,
    before: textOf(before),
    after: null,
    outcome: 'begun',
    error: null,
  })

  const noting: AuditLog['noting'] = (entry) => {
    const row = rowOf(entry)
    return {
      begun: step(statements.insert, row, 1),
      ended: (outcome, error, after) =>
        step(statements.end, { id: row.id, outcome, error, after: textOf(after) }),
    }
  }

  const during: AuditLog['during'] = async (entry, run, after) => {
    const { begun, ended } = noting(entry)
    await storage.commit([begun])
    try {
      const result = await run()
      await storage.commit([ended('done', null, after?.(result))])
      return result
    } catch (error) {
      await storage.commit([ended('failed', isMembershipError(error) ? error.code : 'ERR_UNEXPECTED')])
      throw error
    }
  }

  return {
    during,
    noting,
    step: (entry, after) =>
      step(statements.insert, { ...rowOf(entry), outcome: 'done', after: textOf(after) }, 1),
    list: async ({ member, limit = 50 } = {}) => {
      const rows = await listAuditLog(storage, {
        member,
        limit: Math.max(1, Math.min(500, Math.trunc(limit))),
      })
      return rows.map(toNoted)
    },
    page: async ({ member, before, limit }) => {
      const rows = await listAuditLog(storage, { member, limit: limit + 1, before: placeOf(before) })
      const last = rows.length > limit ? rows[limit - 1]! : null
      return {
        records: rows.slice(0, limit).map(toNoted),
        next: last === null ? null : `${last.at} ${last.id}`,
      }
    },
    find: async (key) => {
      const [row] = await storage.all(statements.byId, { id: idOf(key) })
      return row ? toNoted(row) : null
    },
  }
}

function toNoted({ id: _, before, after, ...row }: AuditLogRow): AuditRecord {
  return {
    ...(row as Pick<AuditRecord, 'at' | 'by' | 'action' | 'member_id' | 'subject' | 'outcome' | 'error'>),
    before: parsed(before),
    after: parsed(after),
  }
}

/** A place in the log. An invalid text is its beginning. */
function placeOf(before = ''): { at: string; id: string } | undefined {
  const [, at, id] = /^(\d{4}-[\d:.TZ-]+) (.+)$/.exec(before) ?? []
  return at === undefined || id === undefined ? undefined : { at, id }
}

function idOf(key: string): string {
  return `once ${key}`
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
