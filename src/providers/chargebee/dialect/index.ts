export { createFakeChargebee } from './fake.ts'
export type { FakeChargebee } from './options.ts'
