export type { Happening } from './difference.ts'
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
export { createHooks, type HooksRoom } from './hooks.ts'
export { type Ahead, upcomingOf } from './reminders.ts'
export { createStoreWriter, type UserStore } from './store.ts'
export { type Consumer, createTeller, type News, type Teller } from './tell.ts'
