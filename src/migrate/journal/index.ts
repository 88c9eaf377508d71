export type { FileEntry } from './entries.ts'
export { backupFolder, documentRoot } from './places.ts'
export { type RollbackReport, rollBack } from './rollback.ts'
export { type WriteReport, writePlan } from './write.ts'
