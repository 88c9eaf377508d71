export {
  type AuditEntry,
  type AuditedAction,
  type AuditLog,
  type AuditRecord,
  createAuditLog,
} from './audit-log.ts'
export { auditLogLife } from './life.ts'
export { actionBegins } from './statements.ts'
