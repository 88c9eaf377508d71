export type { MergeNote, Moves } from './look.ts'
export {
  createMerging,
  type Merge,
  type MergeWish,
  type Merging,
  type MergingRoom,
  mergeDays,
  type Unmerge,
  type UnmergeWish,
} from './merging.ts'
