import test from 'ava'
import fc from 'fast-check'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { countMembers } from '../../../src/office/counting-statements.ts'
import { countFigures } from '../../../src/office/figures.ts'
import { doctorQueries } from '../../../src/site/doctor/statements.ts'
import { signed } from '../../../src/testkit/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { secret } from '../../support/host.ts'
import {
  invoiceObject,
  month,
  priceObject,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'

type Metadata = Readonly<Record<string, string>>

/** Words that are fields of what is stored, beside any others. Our own notes begin with `membership`. */
const words = [
  'cancel_at',
  'cancel_at_period_end',
  'trial_ends_at',
  'status',
  'whole',
  'shown',
  'past_due_since',
  'amount_refunded',
  'opens_at',
  'customer_id',
  'member_id',
  'paused',
  'price_id',
  '__proto__',
]
const texts = [
  'true',
  '2026-03-02T00:00:00.000Z',
  'canceled',
  'null',
  '0',
  '","cancel_at":"2026-03-02"',
  '\u0000',
]
const metadata = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...words),
    fc.string({ minLength: 1, maxLength: 40 }).filter((key) => !key.startsWith('membership')),
  ),
  fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 100 })),
  { maxKeys: 8 },
)

function now() {
  return new Date((start + 86_400) * 1000)
}

/** Sends one subscription that goes on and one free trial, with this metadata and this name everywhere. */
async function send(m: Membership, said: Metadata, name: string) {
  const price = priceObject({ metadata: said, nickname: name, lookup_key: name })
  const item = subscriptionItem({ metadata: said, price })
  const items = { object: 'list', data: [item], has_more: false, total_count: 1 }
  for (const [type, object] of [
    ['customer.subscription.created', subscriptionObject({ metadata: said, items, description: name })],
    ['invoice.paid', invoiceObject({ metadata: said, customer_name: name })],
    [
      'customer.subscription.created',
      subscriptionObject({
        id: 'sub_2',
        metadata: said,
        description: name,
        items,
        status: 'trialing',
        trial_start: start,
        trial_end: start + month,
      }),
    ],
  ] as const) {
    const outcome = await m.webhooks.receive(
      'stripe',
      signed('stripe', stripeEvent(type, object), { secret, now: now() }),
    )
    if (outcome !== 'processed') throw new TypeError(`${type}: ${outcome}`)
  }
  await m.runDueJobs()
}

/** Everything that is decided by what is stored. */
async function decisionsOf(m: Membership) {
  const user = (await m.users.findByEmail('ann@example.com'))!
  const { storage } = m
  const counted = (statuses: string[], more: object) => countMembers(storage, { statuses, ...more }, 10)
  const { twice, ...figures } = await countFigures({
    storage,
    plans: () => m.plans(),
    inIso: ({ amount }: { amount: number }) => amount,
    now,
  })
  return {
    subscriptions: user
      .subscriptions()
      .map(({ metadata: _, items, ...decided }) => ({ ...decided, items: items.length })),
    payments: user.payments().map(({ metadata: _, ...decided }) => decided),
    gate: user.explain('gold'),
    ending: await counted(['active', 'trialing'], { only: 'stopping' }),
    trials: await counted(['trialing'], { trialEndsBy: '2099-01-01' }),
    former: await counted(['canceled'], { only: 'former' }),
    cut: await doctorQueries.cutSubscriptions(storage),
    figures: { ...figures, twice: twice.length },
  }
}

const options: MembershipOptions = {
  'membership.providers.stripe.webhook': secret,
  'membership.providers.stripe.plans': { gold: { prices: ['price_gold'] } },
  install: false,
  root: false,
  log: () => {},
  now,
}

test('metadata and names never decide anything', async (t) => {
  const decided = async (said: Metadata, name: string) => {
    const m = await createMembership({ ...options, ...(await freshDatabase()) })
    try {
      await send(m, said, name)
      return await decisionsOf(m)
    } finally {
      await m.close()
    }
  }
  const expected = await decided({}, 'Ann')
  t.is(expected.subscriptions.length, 2)
  t.is(expected.trials, 1)
  t.is(expected.ending, 0)
  t.deepEqual(await decided({ cancel_at: '2026-03-02', trial_ends_at: '2026-03-02' }, 'null'), expected)
  await fc.assert(
    fc.asyncProperty(metadata, fc.oneof(fc.constantFrom(...words), fc.string()), async (said, name) => {
      t.deepEqual(await decided(said, name), expected)
    }),
    { numRuns: 25 },
  )
})
