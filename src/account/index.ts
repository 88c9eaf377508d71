export { createDeletions, type Deletion, type DeletionDeps, type Deletions } from './deletion.ts'
export { type AccountExport, accountExportSchema, createExport, type ExportOf } from './export.ts'
export { allowsRead, allowsUpdate, createFields, type Field, type Fields, type FieldsOf } from './fields.ts'
export { createSelfService, type SelfService, type Updated } from './self-service.ts'
