export { createFakeDodo, type FakeDodo } from './fake.ts'
