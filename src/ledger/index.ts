export type { Origin } from './history.ts'
export { createLedger, type Ledger, timeMark } from './ledger.ts'
export { fetchWindowMs } from './marks.ts'
export { normalEmail, type OwnerRules } from './owners.ts'
