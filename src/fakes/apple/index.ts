export { createFakeApple, type FakeApple, type FakeAppleOptions } from './fake.ts'
