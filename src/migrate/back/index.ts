export { type BringBack, bringBack } from './bring-back.ts'
export { backReasons } from './plan-member.ts'
