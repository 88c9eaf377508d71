export { createSessions, type Sessions } from './session.ts'
export { type ProviderData, toUser, type User, type UserData, type UserRules } from './user.ts'
export { createUsers, type NewGrant, type NewMember, type Users } from './users.ts'
export { type ProviderView, toView, type View, type ViewRules } from './view.ts'
