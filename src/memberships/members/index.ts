export {
  type Abilities,
  isStopping,
  type SubscriptionAction,
  subscriptionIdOf,
  trialDaysOf,
} from './action.ts'
export type { Arrears } from './arrears.ts'
export { type Current, createCurrent, type ForMember, forMember, unchecked } from './current-statements.ts'
export { isOf, type MemberCustomer } from './customers.ts'
export { boughtElsewhere, type ImportedMember, type ProfileRow } from './door-statements.ts'
export {
  type AccountDoor,
  type AccountReader,
  createAccountDoor,
  createAccountReader,
  createGrantDoor,
  createSessionDoor,
  type GrantDoor,
  type NewAccount,
  type SessionDoor,
  type StoredAccount,
} from './doors.ts'
export { type FirstPrice, unknownFirstPrice } from './first-price.ts'
export { createFlash, type Flash, type FlashCode, type FlashMessages } from './flash.ts'
export {
  type CheckGate,
  createGateCheck,
  createGuard,
  createLimitCheck,
  type GateOptions,
  type GateTerms,
  type Guard,
  type GuardResult,
  gateMiddleware,
  isSuccess,
  markPrivate,
  markShared,
  memberIn,
  sharedControl,
} from './gates.ts'
export {
  createIdentities,
  createLoginDeletions,
  dropEmailIdentities,
  type HostIdentity,
  type Identities,
  type LoginDeletions,
} from './identities.ts'
export { type Invalidation, takeBackDays } from './invalidation.ts'
export { memberLife } from './life.ts'
export { type ListedMember, listMembers, type MemberPage, type MemberQuery } from './listing-statements.ts'
export type { PageTools } from './page-tools.ts'
export { createProving, type Proving } from './proving.ts'
export { type FoundMember, foundColumns, searchMembers, searchStatements } from './searching-statements.ts'
export { createSessions, type Opening, type OpenSession, type Sessions } from './session.ts'
export {
  createLimitReader,
  type GrantRow,
  type LimitPart,
  memberColumns,
  oldSessions,
  subscriptionsOf,
} from './statements.ts'
export { askedLately, createUnnamedGates, type UnnamedGate, unnamedGatesSpace } from './unnamed-gates.ts'
export type { SubscriptionFilter } from './user.ts'
export {
  countersOf,
  holdingsOf,
  type OpensAfter,
  type ProviderData,
  staysOpen,
  toUser,
  type User,
  type UserData,
  type UserRules,
  unusedPaymentsOf,
} from './user.ts'
export {
  createGrantSteps,
  createUsers,
  type NewGrant,
  type NewMember,
  newRow,
  type PageUsers,
  type Users,
} from './users.ts'
export {
  type ProviderView,
  requireOwnView,
  toView,
  type View,
  type ViewRules,
  wrapView,
} from './view.ts'
export { oldWallCounts } from './wall-statements.ts'
export {
  auditMemberId,
  createWalls,
  type GateAnswer,
  mergedWalls,
  type WallOptions,
  type Walls,
} from './walls.ts'
