export { createFakeStripe } from './fake.ts'
export type { FakeStripe, FakeStripeOptions } from './options.ts'
export type * from './shapes.ts'
