import test from 'ava'
import fc from 'fast-check'
import type { PaymentData, SubscriptionData } from '../../../src/core/dto/index.ts'
import { toSubscriptionData } from '../../../src/providers/stripe/subscription.ts'
import type { Membership } from '../../../src/site/membership.ts'
import {
  contestedCount,
  deliver,
  openInstance,
  plansOfHistories,
  random,
  settings,
  shuffled,
} from '../../support/converge.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { type FakeStripe, startFakeStripe } from '../../support/fake-stripe.ts'
import {
  actions,
  createStripeModel,
  histories,
  type ModelEvent,
  type StripeModel,
} from '../../support/stripe-model.ts'

// Theorem (b): with access to the provider's API the state ends equal to the provider's.

let stripe: FakeStripe
test.before(async () => {
  stripe = await startFakeStripe()
})
test.after.always(() => stripe.close())

function open(url: string, model: StripeModel) {
  return openInstance(url, model.now, {
    ...plansOfHistories,
    'membership.providers.stripe.secret': 'sk_test_x',
    'membership.providers.stripe.api_base': stripe.url,
  })
}

/** Lets time pass and works until nothing is left to ask. */
async function settle(m: Membership, model: StripeModel): Promise<void> {
  for (let round = 0; round < 60; round++) {
    const waiting = await m.storage.read((db) => db.selectFrom('fetches').select('id'))
    if (waiting.length === 0) return
    model.pass(5000)
    await m.runDueJobs()
  }
  throw new Error('there is always something to ask')
}

/** What the provider has and what we say, only where they differ. */
async function differences(m: Membership, model: StripeModel): Promise<unknown[]> {
  const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select(['id', 'data']))
  const ours = new Map(rows.map((row) => [row.id, JSON.parse(row.data) as SubscriptionData]))
  const subscriptions = model.all('subscription').map(({ id }) => {
    const {
      provider: _p,
      account: _a,
      updated_at: _u,
      past_due_since: _s,
      ...data
    } = ours.get(String(id)) ?? ({} as SubscriptionData)
    return [toSubscriptionData(model.read(String(id)) ?? {}, false), data]
  })
  const payments = await m.storage.read((db) => db.selectFrom('payments').select(['id', 'data']))
  const paid = new Map(payments.map((row) => [row.id, JSON.parse(row.data) as PaymentData]))
  const intents = model.all('payment_intent').map((intent) => {
    const { id, amount, amount_refunded, status } = paid.get(String(intent.id)) ?? ({} as PaymentData)
    return [paymentOf(model, intent), { id, amount, amount_refunded, status }]
  })
  const extra = payments.filter(({ id }) => !model.all('payment_intent').some((intent) => intent.id === id))
  return [...subscriptions, ...intents].filter(([a, b]) => sorted(a) !== sorted(b)).concat(extra as never)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function paymentOf(model: StripeModel, intent: Record<string, unknown>) {
  const charges = model.all('charge').filter((c) => c.payment_intent === intent.id)
  const refunded = charges.reduce((sum, c) => sum + Number(c.amount_refunded), 0)
  const disputes = model.all('dispute').filter((d) => d.payment_intent === intent.id)
  const amount = Number(intent.amount)
  const status = (): PaymentData['status'] => {
    if (disputes.some((d) => d.status === 'needs_response' || d.status === 'lost')) return 'disputed'
    if (intent.status === 'succeeded') {
      if (refunded === 0) return 'paid'
      return refunded === amount ? 'refunded' : 'partially_refunded'
    }
    const isBilled = model.all('invoice').some((i) => (i.model as { intent: string }).intent === intent.id)
    // No event tells of an open checkout page; an open invoice is tried again.
    return charges.length === 0 || isBilled ? 'pending' : 'failed'
  }
  return { id: intent.id, amount, amount_refunded: refunded, status: status() }
}

async function verify(m: Membership, model: StripeModel, how?: 'contested or not'): Promise<void> {
  await settle(m, model)
  const found = await differences(m, model)
  if (found.length > 0) throw new Error(`the provider’s and ours: ${JSON.stringify(found, null, 1)}`)
  if (how === undefined && (await contestedCount(m)) > 0) throw new Error('facts are contested')
}

const runsOn = { sqlite: 120, postgres: 10 }

for (const openDatabase of allDatabases) {
  const name = openDatabase.name.startsWith('sqlite') ? 'sqlite' : 'postgres'
  const only = process.env.FC_DATABASE
  if (only && only !== name) continue

  test.serial(
    `${name}: with its API the state converges to the provider’s, in any order of events`,
    async (t) => {
      const database = await openDatabase()
      try {
        await fc.assert(
          fc.asyncProperty(histories, fc.integer(), async (history, seed) => {
            const model = createStripeModel(history.shape)
            for (const action of history.actions) model.act(action)
            stripe.serve(model)
            const m = await open(await database.url(), model)
            try {
              for (const event of shuffled(model.events, seed)) await deliver(m, event)
              await verify(m, model)
            } finally {
              await m.close()
            }
          }),
          settings(runsOn[name]),
        )
        t.pass()
      } finally {
        await database.close()
      }
    },
  )

  test.serial(
    `${name}: it converges to the provider’s state while events arrive during a fetch`,
    async (t) => {
      const database = await openDatabase()
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.record({
              shape: fc.constantFrom('old' as const, 'basil' as const),
              actions: fc.array(actions, { minLength: 2, maxLength: 14, size: 'max' }),
            }),
            fc.integer(),
            async (history, seed) => {
              const model = createStripeModel(history.shape)
              const m = await open(await database.url(), model)
              try {
                await live(m, model, { todo: [...history.actions], next: random(seed) })
                await verify(m, model)
              } finally {
                await m.close()
              }
            },
          ),
          settings(runsOn[name]),
        )
        t.pass()
      } finally {
        await database.close()
      }
    },
  )
}

test.serial(
  'without its API it also converges to the provider’s state if events are seconds apart',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      await fc.assert(
        fc.asyncProperty(histories, fc.integer(), async (history, seed) => {
          // Later versions name what pays an invoice only once it is paid.
          const model = createStripeModel('old')
          for (const action of history.actions) {
            model.act(action)
            model.pass(5000)
          }
          const m = await openInstance(await database.url(), model.now, plansOfHistories)
          try {
            for (const event of shuffled(model.events, seed)) await deliver(m, event)
            await verify(m, model, 'contested or not')
          } finally {
            await m.close()
          }
        }),
        settings(100),
      )
      t.pass()
    } finally {
      await database.close()
    }
  },
)

/** Things happen at the provider, some of their events arrive, questions are asked, in any mixture. */
async function live(
  m: Membership,
  model: StripeModel,
  { todo, next }: { todo: Parameters<StripeModel['act']>[0][]; next: () => number },
): Promise<void> {
  const underWay: ModelEvent[] = []
  let seen = 0
  const happen = async (): Promise<void> => {
    const action = todo.shift()
    if (action) model.act(action)
    underWay.push(...model.events.slice(seen))
    seen = model.events.length
    while (underWay.length > 0 && next() < 0.6) {
      const [event] = underWay.splice(Math.floor(next() * underWay.length), 1)
      if (!event) continue
      await deliver(m, event)
      if (next() < 0.2) underWay.push(event)
    }
  }
  stripe.serve(model, async () => {
    if (next() < 0.5) model.pass(Math.floor(next() * 400))
    if (next() < 0.5) await happen()
  })
  while (todo.length > 0 || underWay.length > 0) {
    await happen()
    if (next() < 0.4) await m.runDueJobs()
  }
}
