export { createFakeCreem } from './fake.ts'
export type { FakeCreem } from './options.ts'
