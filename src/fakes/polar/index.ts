export { createFakePolar, type FakePolar } from './fake.ts'
