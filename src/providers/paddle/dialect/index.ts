export { createFakePaddle } from './fake.ts'
export type { FakePaddle } from './options.ts'
