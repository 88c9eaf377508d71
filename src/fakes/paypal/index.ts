export { createFakePayPal } from './fake.ts'
export type { FakePayPal, FakePayPalOptions } from './options.ts'
export type { PayPalViews } from './shapes.ts'
