export {
  type DatabasePlan,
  locateRows,
  planDatabase,
  readRows,
  readWholeRows,
  triggersIn,
  writeRows,
} from './database.ts'
export { type AccountRow, accountRowsIn } from './database-accounts.ts'
export { hasTriggers, type RowPlace } from './database-findings.ts'
export { type WholeRow, wholeRow } from './database-whole.ts'
export { type ImportedAccount, type ImportReport, importAccounts } from './import.ts'
export { leftPurchases } from './left.ts'
export type { ImportRules } from './plan-import.ts'
export { fieldOf, hasField, revertAccount, rewriteAccount } from './rewrite.ts'
export { revertValue } from './values.ts'
