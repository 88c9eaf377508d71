export { type ImportedAccount, type ImportReport, importAccounts } from './import.ts'
export type { ImportRules } from './plan-import.ts'
export { fieldOf, revertAccount, rewriteAccount } from './rewrite.ts'
