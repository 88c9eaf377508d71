import { type Step, type Storage, step } from '../core/storage/index.ts'
import type { Statements } from './statements/index.ts'

/** Author of an action: `operator:ann`, `partner:prt_…`, or `crawler`. */
export type Actor = string

/** One action on the index. */
export interface AuditEntry {
  readonly actor: Actor
  readonly action: string
  /** Subject of the action: an id, a pattern or a count. */
  readonly subject: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Audit log of the index. Entries are written in the unit of the change and contain no keys. */
export const createAudit = (deps: { storage: Storage; statements: Statements; now: () => Date }) => ({
  step: ({ actor, action, subject, details = {} }: AuditEntry): Step =>
    step(deps.statements.auditInsert, {
      at: deps.now().toISOString(),
      actor,
      action,
      subject,
      details: JSON.stringify(details),
    }),
  /** Lists the newest entries, about one subject or all. */
  list: (filter: { subject?: string; limit?: number } = {}) =>
    deps.storage.read((db) => {
      const query = db
        .selectFrom('audit')
        .selectAll()
        .orderBy('seq', 'desc')
        .limit(filter.limit ?? 50)
      return filter.subject === undefined ? query : query.where('subject', '=', filter.subject)
    }),
})
export type Audit = ReturnType<typeof createAudit>
