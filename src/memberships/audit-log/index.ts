export { createDeeds, type Deed, type DeedName, type Deeds, type NotedDeed } from './audit-log.ts'
export { deedBegins } from './statements.ts'
