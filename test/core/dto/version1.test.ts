import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import {
  type SubscriptionData,
  subscriptionSchema,
  toSubscription,
  type Version1Read,
  version1Fields,
  version1Reads,
  watchSubscriptions,
} from '../../../src/core/dto/index.ts'
import { changeOf, dtoProperties, onlyStripe } from '../../../src/migrate/templates/api.ts'
import { toSubscriptionData } from '../../../src/providers/stripe/subscription.ts'
import { payload } from '../../support/payload.ts'

const stripe = {
  id: 'sub_1',
  status: 'active',
  customer: 'cus_1',
  items: { data: [{ id: 'si_1', quantity: 1, price: { id: 'price_1' } }] },
}
function data(): SubscriptionData {
  return Object.assign(toSubscriptionData(payload(stripe), false)!, {
    provider: 'stripe',
    account: 'default',
    livemode: false,
    past_due_since: null,
    updated_at: '2026-01-01T00:00:00.000Z',
  })
}

test.serial('a field of version 1 is reported once for each place, with the field of version 2', (t) => {
  const reads: Version1Read[] = []
  const restore = watchSubscriptions((read) => reads.push(read))
  try {
    const subscription = toSubscription(data()) as unknown as Record<string, unknown>
    for (const _ of [1, 2]) {
      t.is(subscription.customer, undefined)
      t.is((subscription.items as { data?: unknown }).data, undefined)
    }
    t.deepEqual(
      reads.map(({ name, advice }) => [name, advice]),
      [
        ['customer', 'In version 2 read customer_id.'],
        ['data', 'In version 2 read items itself, which is a list.'],
      ],
    )
    for (const { place } of reads) t.regex(place, /version1\.test\.ts:\d+:\d+$/)
    t.true(reads.every((read) => version1Reads().includes(read)))
    // Fields of version 2, and reading it as a whole, are no reads of version 1.
    JSON.stringify(subscription)
    t.is(subscription.status, 'active')
    t.is(reads.length, 2)
  } finally {
    restore()
  }
})

test.serial('a watched subscription is equal to one that is not', (t) => {
  const plain = toSubscription(data())
  const restore = watchSubscriptions(() => undefined)
  try {
    const watched = toSubscription(data())
    t.is(JSON.stringify(watched), JSON.stringify(plain))
    t.deepEqual(Object.keys(watched), Object.keys(plain))
    t.deepEqual({ ...watched }, { ...plain })
    t.deepEqual(structuredClone(watched), structuredClone(plain))
    t.true(isDeepStrictEqual(watched, plain))
    t.deepEqual(watched, plain)
    t.true(Object.isFrozen(watched) && Object.isFrozen(watched.items))
  } finally {
    restore()
  }
})

test('every field of version 1 that the schema lacks is watched, and no other', (t) => {
  const known = [...Object.keys(subscriptionSchema.shape), ...dtoProperties]
  const candidates = [...onlyStripe, 'customer', 'start', 'start_date', 'trial_end', 'pause_collection']
  t.deepEqual([...version1Fields].sort(), [...new Set(candidates)].sort())
  for (const name of version1Fields) t.false(known.includes(name), name)
  for (const name of candidates.filter((candidate) => !onlyStripe.has(candidate)))
    t.not(changeOf([name]).kind, 'none', name)
})
