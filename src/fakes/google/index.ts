export { createFakeGoogle, type FakeGoogle, type FakeGoogleOptions } from './fake.ts'
