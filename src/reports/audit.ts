import { type Step, type Storage, step } from '../core/storage/index.ts'
import type { Statements } from './statements/index.ts'

/** Who did something: `operator:ann`, `partner:prt_…`, `crawler`. */
export type Actor = string

/** Who did what to the index. */
export interface AuditEntry {
  readonly actor: Actor
  readonly action: string
  /** What it was done to: an id, a pattern, a count. */
  readonly subject: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** What was done to the index and by whom; written with the change itself. Holds no keys. */
export const createAudit = (deps: { storage: Storage; statements: Statements; now: () => Date }) => ({
  step: ({ actor, action, subject, details = {} }: AuditEntry): Step =>
    step(deps.statements.auditInsert, {
      at: deps.now().toISOString(),
      actor,
      action,
      subject,
      details: JSON.stringify(details),
    }),
  /** The newest entries, of one subject or of all. */
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
