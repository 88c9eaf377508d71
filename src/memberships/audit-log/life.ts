import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { auditLogLifeStatements } from './life-statements.ts'
import { auditLogStatements } from './statements.ts'

/** Recorded actions in the life of a member. */
export function auditLogLife(storage: Storage) {
  const statements = auditLogStatements(storage)
  const { auditLog } = auditLogLifeStatements(storage)
  return {
    name: 'audit-log',
    tables: ['audit_log'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id }) => [step(statements.erase, { member_id: id })],
    export: async ({ id }) => {
      const records = await storage.all(auditLog, { member_id: id })
      return {
        audit_log: records.map(({ before, after, ...item }) => ({
          ...item,
          before: before && (JSON.parse(before) as unknown),
          after: after && (JSON.parse(after) as unknown),
        })),
      }
    },
    // It records what was done to which account.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}
