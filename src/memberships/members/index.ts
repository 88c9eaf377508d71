export {
  type Abilities,
  isStopping,
  type SubscriptionAction,
  subscriptionIdOf,
  trialDaysOf,
} from './action.ts'
export { type BeganAs, unknownBeginning } from './began.ts'
export { isOf, type MemberCustomer } from './customers.ts'
export { createSaying, type Said, type SaidCode, type Saying } from './flash.ts'
export {
  createGuard,
  type GateOptions,
  type Guard,
  type GuardResult,
  gateMiddleware,
  markPrivate,
  memberIn,
} from './gates.ts'
export { createIdentities, dropEmailIdentities, type HostIdentity, type Identities } from './identities.ts'
export type { ListedMember, MemberPage, MemberQuery } from './listing-statements.ts'
export type { Arrears } from './owed.ts'
export { createProving, type Proving } from './proving.ts'
export { createSessions, type Opening, type OpenSession, type Sessions } from './session.ts'
export { oldSessions } from './statements.ts'
export { type ProviderData, toUser, type User, type UserData, type UserRules } from './user.ts'
export { createUsers, type NewGrant, type NewMember, newRow, type Users } from './users.ts'
export {
  type ProviderView,
  requireOwnView,
  toView,
  type View,
  type ViewRules,
  wrapView,
} from './view.ts'
export { createVoiding, takeBackDays, type Voiding } from './voiding.ts'
