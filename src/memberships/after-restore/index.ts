export { createRestoring, type EndedByLives, type Restored } from './after-restore.ts'
export { createLostDays } from './lost-days.ts'
