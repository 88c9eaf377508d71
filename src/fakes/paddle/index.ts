export { createFakePaddle, type FakePaddle } from './fake.ts'
export type { NewPaddlePrice, PaddleAmount, PaddleInterval } from './prices.ts'
