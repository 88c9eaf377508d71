export { createFakeLemonSqueezy, type FakeLemonSqueezy } from './fake.ts'
