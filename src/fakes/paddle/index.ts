export { createFakePaddle, type FakePaddle } from './fake.ts'
