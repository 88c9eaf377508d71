export { createGroupMails, type GroupMailsDeps } from './group-mails.ts'
export {
  createGroups,
  type Group,
  type GroupSeat,
  type GroupsService,
  type Invitation,
  type Removal,
} from './groups.ts'
export { createInvitedTo } from './invited.ts'
export { groupLife } from './life.ts'
export { groupRouter } from './router.ts'
