export { bringBack } from './bring-back.ts'
export { backReasons } from './plan-member.ts'
export type { BringBack, ByHand } from './result.ts'
