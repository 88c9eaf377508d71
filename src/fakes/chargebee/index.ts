export { createFakeChargebee, type FakeChargebee } from './fake.ts'
