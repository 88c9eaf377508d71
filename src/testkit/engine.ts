/**
 * The engine of every fake server, for building the fake server of a site's own provider.
 *
 * @module membership/testkit/engine
 */

export type { ErrorExtras, Speaking } from '../fakes/engine/api.ts'
export type { TestCard } from '../fakes/engine/cards.ts'
export type { ChangePlan } from '../fakes/engine/changing.ts'
export type { NewCustomer } from '../fakes/engine/customers.ts'
export * from '../fakes/engine/index.ts'
export type { createMessages } from '../fakes/engine/messages.ts'
export type { MerchantActions } from '../fakes/engine/options.ts'
export type { Payer } from '../fakes/engine/payments.ts'
export type { createIds } from '../fakes/engine/random.ts'
export type { createReplica, Lag, Restore } from '../fakes/engine/replica.ts'
export type { Seconds } from '../fakes/engine/stamps.ts'
export type { NewSubscription } from '../fakes/engine/starting.ts'
