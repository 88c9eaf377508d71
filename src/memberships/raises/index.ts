export { raiseLife } from './life.ts'
export { createRaiseMails, type RaiseMailsDeps } from './raise-mails.ts'
export {
  createRaises,
  type Raise,
  type RaisePlan,
  type RaisePlanMember,
  type RaiseRequest,
  type Raises,
} from './raises.ts'
export { raiseRouter } from './router.ts'
export { listRaised, openStates, type RaisedMember, type RaiseState, raisesPerPage } from './statements.ts'
