export { createMergedAccounts, type MergedAccounts } from './door.ts'
export { mergingLife } from './life.ts'
export {
  createMerging,
  type Merge,
  type MergeInput,
  type Merging,
  type MergingService,
  mergeDays,
  type Unmerge,
  type UnmergeInput,
} from './merging.ts'
export type { MergeNote, Moves } from './pair.ts'
