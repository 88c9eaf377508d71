export { createDeletions, type Deletion, type DeletionDeps, type Deletions } from './deletion.ts'
export { createDeletionDoor } from './door.ts'
export {
  createEmailChanges,
  createEmailUndo,
  type EmailChanges,
  type EmailUndo,
  oldAddressMessage,
} from './email-change.ts'
export type { ExportedByLives } from './export.ts'
export { createExport, type ExportOf } from './export.ts'
export {
  allowsRead,
  allowsUpdate,
  createFields,
  type Field,
  type Fields,
  type FieldsOf,
  fieldProblemsIn,
  labelIn,
} from './fields.ts'
export { createInvalidation } from './invalidation.ts'
export { accountLife } from './life.ts'
export { createLinks, type LinkMail, type Links } from './login-links.ts'
export { loginRouter } from './login-router.ts'
export { oldLinks } from './login-statements.ts'
export { createMergeRequests, type MergeRequestPage, type MergeRequests } from './merge-request.ts'
export type { MergeRequestMail } from './merge-request-mails.ts'
export { mergeRequestRouter } from './merge-request-router.ts'
export { passRouter } from './pass-router.ts'
export type { Seller } from './receipt.ts'
export { accountRouter, addressRouter, languageRouter, leavingRouter, paperRouter } from './router.ts'
export { createSelfService, type SelfService, type Updated } from './self-service.ts'
