export { createFakeRevenueCat, type FakePurchase, type FakeRevenueCat } from './fake.ts'
