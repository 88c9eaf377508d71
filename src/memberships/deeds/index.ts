export { createDeeds, type Deed, type DeedName, type Deeds, type NotedDeed } from './deeds.ts'
export { deedBegins } from './statements.ts'
