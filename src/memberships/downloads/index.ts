export {
  createFeeds,
  type FeedAnswer,
  type FeedHandler,
  type FeedRequest,
  type Feeds,
  type MemberFeed,
  type SharedFeed,
} from './feeds.ts'
export {
  type AllowedFile,
  createFiles,
  type FileLink,
  type Files,
  type PresignFile,
} from './files.ts'
export { downloadLife } from './life.ts'
export { downloadRouter } from './router.ts'
export { createEnding } from './statements.ts'
