export { createFakeMollie } from './fake.ts'
export type { FakeMollieOptions } from './options.ts'
