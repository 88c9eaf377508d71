export { createFakeLemonSqueezy } from './fake.ts'
export type { FakeLemonSqueezy } from './options.ts'
