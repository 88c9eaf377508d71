export { createFakeCreem, type FakeCreem } from './fake.ts'
