export { createFakePolar } from './fake.ts'
export type { FakePolar } from './options.ts'
