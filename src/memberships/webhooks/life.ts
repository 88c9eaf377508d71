import { type MemberLife, nothing } from '../life.ts'

/** Received events in the life of a member. */
export const webhooksLife = {
  name: 'webhooks',
  tables: ['events', 'past_events'],
  lock: nothing,
  // Their bodies are emptied before, with the records of purchases.
  erase: nothing,
  export: nothing,
  merge: nothing,
  unmerge: nothing,
  restore: nothing,
} as const satisfies MemberLife
