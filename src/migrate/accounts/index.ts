export {
  type DatabasePlan,
  planDatabase,
  readRows,
  writeRows,
} from './database.ts'
export type { RowPlace } from './database-findings.ts'
export { type ImportedAccount, type ImportReport, importAccounts } from './import.ts'
export { leftPurchases } from './left.ts'
export type { ImportRules } from './plan-import.ts'
export { fieldOf, hasField, revertAccount, rewriteAccount } from './rewrite.ts'
export { revertValue } from './values.ts'
