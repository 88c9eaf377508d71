import { type MemberLife, nothing } from '../life.ts'

/** Members who moved to another provider, in the life of a member. */
export const switchingLife = {
  name: 'switching',
  tables: ['switches'],
  eraseRecords: nothing,
  lock: nothing,
  // Ids of subscriptions alone.
  erase: nothing,
  export: nothing,
  merge: nothing,
  unmerge: nothing,
  restore: nothing,
} as const satisfies MemberLife
