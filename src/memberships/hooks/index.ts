export type { DomainEvent } from './difference.ts'
export { createNotificationDoor } from './door.ts'
export {
  type AfterEvents,
  type AfterHooks,
  afterHookNames,
  type BeforeEvents,
  type BeforeHooks,
  beforeHookNames,
  type Hooks,
  hookAliases,
  type Refusal,
} from './hook-events.ts'
export { createHooks, type HooksService } from './hooks.ts'
export { type Departures, hookLife } from './life.ts'
export { type Consumer, createNotifier, type MemberChanges, type Notifier } from './notifier.ts'
export {
  createReceivers,
  eventLane,
  isForReceiver,
  type OutgoingEvent,
  type OutgoingMember,
  type Receiver,
  receiverKind,
  receiverKinds,
  receiverKindsOf,
  send,
  waitingMove,
} from './receivers.ts'
export { type Ahead, closingOf, upcomingOf, yearlyReminderOf } from './reminders.ts'
export { createStoreWriter, type UserStore } from './store.ts'
