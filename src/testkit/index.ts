/**
 * For a site's own tests: merchants that play a provider's side, signed deliveries, views from plain data, a clock.
 *
 * @module membership/testkit
 */

/** The engine behind every test double: what a dialect of your own provider is made with. */

export type { Merchant, MerchantOptions } from '../fakes/engine/index.ts'
export * as merchant from '../fakes/engine/index.ts'
export type { FakeStripe, FakeStripeOptions } from '../fakes/stripe/index.ts'
export { type Clock, createClock } from './clock.ts'
export { createFakeStripe, createMerchant } from './merchants.ts'
export { type ContractCheck, providerContract } from './provider-contract.ts'
export { signed } from './signed.ts'
export { type PlainView, viewFrom } from './view.ts'
