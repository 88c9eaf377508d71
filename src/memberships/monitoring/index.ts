export { createClockWatch } from './clock.ts'
export { createDeliveries, type Received } from './deliveries.ts'
export { createHealth, type Health } from './health.ts'
export { createWatch, type GivenUp } from './monitoring.ts'
export { healthRouter } from './router.ts'
export { type Endpoint, endpointOf } from './silence.ts'
export { databaseClock } from './statements.ts'
export {
  type Alert,
  createTroubles,
  type Noticed,
  type Trouble,
  type TroubleKind,
  type Troubles,
} from './troubles.ts'
