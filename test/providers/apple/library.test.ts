import {
  AutoRenewStatus,
  Environment,
  InAppOwnershipType,
  type JWSRenewalInfoDecodedPayload,
  type JWSTransactionDecodedPayload,
  NotificationTypeV2,
  OfferType,
  PriceIncreaseStatus,
  type ResponseBodyV2DecodedPayload,
  Status,
  Type,
} from '@apple/app-store-server-library'
import test from 'ava'
import { createFakeApple } from '../../../src/fakes/apple/index.ts'
import { boughtChanges, types } from '../../../src/providers/apple/changes.ts'
import { livemodeOf } from '../../../src/providers/apple/facts.ts'
import { apple } from '../../../src/providers/apple/index.ts'
import type { Notification, Renewal, Transaction } from '../../../src/providers/apple/payload.ts'
import { offers, wordOf } from '../../../src/providers/apple/subscription.ts'
import { providerContract } from '../../../src/testkit/index.ts'

// Apple's own package is the judge: every field and every word that is read here exists there, and every word that is
// there is read, or named with the reason why it is not.

// Fields of purchases of several seats came with API 1.23, after the package's last version:
// https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo
type Newer = 'multiSeatInfo' | 'additionalTransactionReason' | 'renewalQuantity'
type Missing<Ours, Theirs> = Exclude<Extract<keyof Ours, string>, keyof Theirs | Newer>
true satisfies [Missing<Transaction, JWSTransactionDecodedPayload>] extends [never]
  ? true
  : 'a field is missing'
true satisfies [Missing<Renewal, JWSRenewalInfoDecodedPayload>] extends [never] ? true : 'a field is missing'
true satisfies [Missing<Notification, ResponseBodyV2DecodedPayload>] extends [never]
  ? true
  : 'a field is missing'

function numbers(words: object): number[] {
  return Object.values(words).filter((each) => typeof each === 'number')
}

const left: Readonly<Record<string, string>> = {
  CONSUMPTION_REQUEST: 'Asks the site for data about a refund, which it does not give.',
  EXTERNAL_PURCHASE_TOKEN: 'Sales outside of the store.',
  METADATA_UPDATE: 'Texts of advanced commerce.',
  MIGRATION: 'A move to advanced commerce.',
  REFUND_DECLINED: 'Changes nothing.',
  RENEWAL_EXTENSION: 'The end of an extension for many; each gets its own RENEWAL_EXTENDED.',
  RESCIND_CONSENT: 'A parent took back the consent to the app, which is no purchase.',
  TEST: 'A test.',
}

test('every type of notification of Apple’s package is read, or left for a reason', (t) => {
  const theirs = Object.values(NotificationTypeV2) as string[]
  t.deepEqual(
    theirs.filter((type) => !types.has(type) && left[type] === undefined),
    [],
  )
  t.deepEqual(
    [...types, ...Object.keys(left)].filter((type) => !theirs.includes(type)),
    [],
  )
  t.deepEqual(
    Object.keys(left).filter((type) => types.has(type)),
    [],
  )
})

test('every status, offer, environment and kind of Apple’s package has a meaning here', (t) => {
  const bought = (status: unknown) => ({ status, transaction: {}, renewal: {} })
  t.deepEqual(
    numbers(Status).map((status) => wordOf(bought(status))),
    ['active', 'expired', 'billing_retry', 'grace_period', 'revoked'],
  )
  t.is(wordOf(bought(99)), null)
  t.deepEqual([...offers.keys()].sort(), numbers(OfferType).sort())
  t.deepEqual(numbers(PriceIncreaseStatus).sort(), [0, 1])
  t.deepEqual(numbers(AutoRenewStatus).sort(), [0, 1])
  for (const environment of Object.values(Environment))
    t.is(livemodeOf(environment), environment === Environment.PRODUCTION, environment)
  t.is(Type.AUTO_RENEWABLE_SUBSCRIPTION, 'Auto-Renewable Subscription' as never)
  t.is(InAppOwnershipType.FAMILY_SHARED, 'FAMILY_SHARED' as never)
})

test('an unknown status opens nothing', (t) => {
  const transaction = {
    originalTransactionId: '1',
    transactionId: '1',
    productId: 'pro',
    type: 'Auto-Renewable Subscription',
    purchaseDate: 1_772_323_200_000,
    expiresDate: 1_999_999_999_000,
    signedDate: 1_772_323_200_000,
  }
  const [change] = boughtChanges({ status: 99, transaction, renewal: {} }, { isLast: true })
  t.like(change, { type: 'subscription', data: { status: 'incomplete' } })
})

test('the provider contract holds for everything that the App Store tells', async (t) => {
  const store = await createFakeApple({
    products: { pro: { price: 9990 }, book: { price: 990, type: 'Consumable' } },
  })
  t.teardown(() => store.close())
  const id = store.buy({ product: 'pro', token: '5a1f3c9e-2b6d-8e4a-9c11-0123456789ab' })
  store.buy({ product: 'book', token: '5a1f3c9e-2b6d-8e4a-9c11-0123456789ab' })
  store.setAutoRenew(id, false)
  store.setAutoRenew(id, true)
  store.moveTo(new Date('2026-04-02T00:00:00Z'))
  store.failRenewal(id, 6)
  store.endGrace(id)
  store.refund(store.renew(id))
  const events = store.notifications.map(({ body }) => body.toString('utf8'))
  const checks = providerContract(apple, { events })
  for (const { title, run } of checks) await t.notThrowsAsync(async () => run(), title)
  t.true(checks.length >= 8)
})
