import { type MemberLife, nothing } from '../life.ts'

/** The record of trials in the life of a member. */
export const trialsLife = {
  name: 'trials',
  tables: ['trials'],
  eraseRecords: nothing,
  lock: nothing,
  // Hashes in which nobody reads a name; the steps that remember them belong to the deletion.
  erase: nothing,
  export: nothing,
  merge: nothing,
  unmerge: nothing,
  restore: nothing,
} as const satisfies MemberLife
