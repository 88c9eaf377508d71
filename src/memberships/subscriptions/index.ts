export {
  type ChangeArgs,
  type ChangeKind,
  type ChangeRequest,
  type Changes,
  closeCheckout,
  createChanges,
  offers,
  type RequestedBy,
  type SubscriptionChangeKind,
} from './changes.ts'
export { isFailure, isFinal } from './final-answers.ts'
export { subscriptionsLife } from './life.ts'
export { oldChangeRequests } from './statements.ts'
