export type { MergeNote, Moves } from './look.ts'
export { createMerging, type Merge, type MergeWish, type Merging, type Unmerge } from './merging.ts'
