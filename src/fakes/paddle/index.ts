export { createFakePaddle, type FakePaddle } from './fake.ts'
export type { NewPaddlePrice } from './prices.ts'
