import { type MemberLife, nothing } from '../life.ts'

/** Requests to providers in the life of a member. */
export const subscriptionsLife = {
  name: 'subscriptions',
  tables: ['change_requests'],
  eraseRecords: nothing,
  lock: nothing,
  // They prove what staff did, by ids alone.
  erase: nothing,
  export: nothing,
  merge: nothing,
  unmerge: nothing,
  restore: nothing,
} as const satisfies MemberLife
