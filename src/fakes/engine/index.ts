export {
  type CreateAccount,
  findPage,
  type OpenedAccount,
  openAccount,
  openOwnAccount,
  reportSubscriptions,
  settingsOf,
  type TellFact,
} from './account.ts'
export {
  ApiError,
  type Call,
  createApi,
  type Json,
  mistakeText,
  type Route,
  readJson,
  routesBelow,
  textsOf,
} from './api.ts'
export { cancelSubscription, resumeSubscription } from './canceling.ts'
export * from './cards.ts'
export * from './catalogue.ts'
export { changeSubscription, planChange, type SubscriptionChange } from './changing.ts'
export {
  type Buyer,
  expireCheckout,
  type NewCheckout,
  openCheckout,
  type PaidCheckout,
  payCheckout,
  saleOf,
} from './checkout.ts'
export type { ClockState } from './clock.ts'
export { createFakeClock, type FakeClock } from './clock.ts'
export { collect, finalizeInvoice, markPaid } from './collecting.ts'
export { addCustomer, type CustomerChange, deleteCustomer, failNext, updateCustomer } from './customers.ts'
export type { Chaos, Delivered, SignMessage, Webhook } from './delivery.ts'
export { cancelLater, cancellationAt, expireChange, keepSubscription, noCancellation } from './ending.ts'
export type { Endpoint, Endpoints } from './endpoints.ts'
export { openFakeServer } from './engine.ts'
export { endpointsOf, type JsonViews, type ServerContext, type Speech } from './fake-server.ts'
export { type FaultName, faults, type Outage, type OutageKind } from './faults.ts'
export { type Answer, createIdempotency, type Idempotency, type KeyTrouble } from './idempotency.ts'
export { addOnce, voidInvoice, waitingLines } from './invoices.ts'
export { createLife } from './life.ts'
export {
  type ApiHandlerOf,
  type ListingFakeServer,
  type ListingParts,
  openListingServer,
  type Shapes,
  showAs,
} from './listing-server.ts'
export { type Message, type Messages, readingOnce } from './messages.ts'
export type * from './objects.ts'
export type { FakeServer, FakeServerOptions, LoggedRequest, OpenFakeServer, Views } from './options.ts'
export { answerPayment, buyerIn, checkoutPage, payAsKnown, payForm, payOpen } from './pages.ts'
export { pauseSubscription, planPause } from './pausing.ts'
export { charge, openPayment } from './payments.ts'
export { addIntervals, addMonths, day, hour, type Interval, periodEnd, type Rhythm } from './periods.ts'
export { previewInvoice } from './preview.ts'
export type { ItemChange } from './proration.ts'
export { type Ids, toUuid } from './random.ts'
export { Refusal, type RefusalCode } from './refusal.ts'
export { type Replica, trackMap, trackSet } from './replica.ts'
export { endDispute, findCharge, openDispute, refund } from './returning.ts'
export { type Tracking, trackValue } from './saving.ts'
export { cancelSchedule, releaseSchedule, reschedule, scheduleFrom, scheduleNext } from './scheduling.ts'
export type { Answered, ApiHandler, Asked, PageAnswer, PageAsked, PageHandler } from './server.ts'
export { clockPath } from './server.ts'
export { iso, isoOrNull, microseconds, milliseconds } from './stamps.ts'
export { addDiscount, startSubscription } from './starting.ts'
export { createStore, type Store } from './store.ts'
export { createWorld, type Fact, type Settings, type Tax, type Tell, type World } from './world.ts'
