import { afterFull, toListing } from '../core/listing.ts'
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
export function createAudit(deps: { storage: Storage; statements: Statements; now: () => Date }) {
  return {
    step: ({ actor, action, subject, details = {} }: AuditEntry): Step =>
      step(deps.statements.auditInsert, {
        at: deps.now().toISOString(),
        actor,
        action,
        subject,
        details: JSON.stringify(details),
      }),
    /** Lists the newest entries, about one subject or all. */
    list: (filter: { subject?: string; limit?: number } = {}) => {
      const read = async (place: { subject?: string; limit?: number; before?: number }) => {
        const page = await deps.storage.read((db) => {
          let query = db
            .selectFrom('audit')
            .selectAll()
            .orderBy('seq', 'desc')
            .limit(place.limit ?? 50)
          if (place.before !== undefined) query = query.where('seq', '<', place.before)
          return place.subject === undefined ? query : query.where('subject', '=', place.subject)
        })
        const next = afterFull(page, place, { limit: 50, from: ({ seq }) => ({ before: seq }) })
        return { page, items: page, next }
      }
      return toListing(read(filter), read)
    },
  }
}
export type Audit = ReturnType<typeof createAudit>
