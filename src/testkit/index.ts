/**
 * Tools for a site's own tests: fake servers of providers, signed deliveries, views from plain data, and a
 * clock.
 *
 * @module membership/testkit
 */

export type { FakeServer, FakeServerOptions } from '../fakes/engine/index.ts'
export type { FakePaddle, NewPaddlePrice, PaddleAmount, PaddleInterval } from '../fakes/paddle/index.ts'
export type { FakePayPal, FakePayPalOptions, PayPalViews } from '../fakes/paypal/index.ts'
export type { FakeStripe, FakeStripeOptions } from '../fakes/stripe/index.ts'
export type { FakeEvent, Open, Shapes, StripeViews } from '../fakes/stripe/shapes.ts'
export { type Clock, createClock, type FollowedClock, followClock } from './clock.ts'
export {
  type CreateFakeServer,
  createFakeServer,
  createFakeStripe,
  createMerchant,
  type FakeServers,
} from './fake-servers.ts'
export { type ContractCheck, providerContract } from './provider-contract.ts'
export { signed } from './signed.ts'
export { type PlainView, viewFrom } from './view.ts'
