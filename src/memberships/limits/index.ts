export { createLimitDoor } from './door.ts'
export { limitLife } from './life.ts'
export {
  createLimits,
  type LimitCorrection,
  type LimitNotice,
  type LimitOwner,
  type Limits,
  type Reservation,
} from './limits.ts'
export { oldLimitKeys } from './statements.ts'
