import test, { type ExecutionContext } from 'ava'
import {
  addMonths,
  createStore,
  createWorld,
  type Fact,
  type FakeServer,
  type FakeServerOptions,
  type Kind,
  openCheckout,
  openFakeServer,
  payCheckout,
  planPause,
  resumeSubscription,
  type Speech,
  startSubscription,
  type World,
} from '../../src/fakes/engine/index.ts'
import { createFakeServer } from '../../src/testkit/index.ts'

const start = new Date('2026-01-15T12:00:00Z')
function at(text: string): number {
  return Date.parse(text) / 1000
}
const jan15 = at('2026-01-15T12:00:00Z')

/** The smallest fake server: objects as they are, one message for a fact, one route. */
async function openAcme(
  options: FakeServerOptions = {},
  more: { agree?: Speech['agree']; idFor?: (kind: string) => string | undefined } = {},
) {
  let world!: World
  const fake = await openFakeServer(options, ({ url, clock, ids, messages, wait }) => {
    world = createWorld({
      settings: {
        draftSeconds: 0,
        dunning: { retryDays: [3], outcome: 'cancel' },
        tax: options.tax ?? null,
      },
      clock,
      store: createStore(),
      idFor: (kind) => more.idFor?.(kind) ?? ids(kind),
      tell: (fact, object) => {
        const body = JSON.stringify({ fact, object })
        messages.append({ id: ids('msg'), type: fact, created: clock.seconds(), body })
      },
    })
    return {
      secret: 'key',
      world,
      show: (object) => object,
      refusalText: (refused) => `refused: ${refused}`,
      errorOf: ({ code }) => new Error(code),
      ...(more.agree ? { agree: more.agree } : {}),
      api: {
        owns: (path) => path.startsWith('/api/'),
        keyOf: () => undefined,
        failure: (status) => ({ status, body: {} }),
        handle: async ({ body }) => {
          await wait()
          const made = sell(world, (JSON.parse(body) as { price: string }).price)
          return { status: 201, body: { url: `${url}/pay/${made}` } }
        },
      },
      page: async () => null,
      sign: ({ id }, secret) => ({ 'acme-signature': `${secret} ${id}` }),
      requestId: (requestIds) => requestIds('req'),
      paramsOf: ({ body }) => ({ body }),
    }
  })
  return Object.assign(fake, { world })
}

function sell(world: World, price: string, more: { keeps?: boolean } = {}): string {
  const { rhythm, currency } = world.store.get('price', price)
  return openCheckout(world, {
    mode: rhythm === null ? 'payment' : 'subscription',
    lines: [{ price, quantity: 1 }],
    currency,
    coupon: null,
    code: null,
    allows_codes: false,
    customer: null,
    email: null,
    allows_guests: more.keeps !== true,
    needs_method: more.keeps ?? rhythm !== null,
    trial: null,
    without_method: 'cancel',
    metadata: {},
    subscription_metadata: {},
    payment_metadata: {},
    success_url: null,
    cancel_url: null,
    expires_at: world.clock.seconds() + 3600,
  }).id
}

async function open(t: ExecutionContext, options: FakeServerOptions = {}) {
  const fake = async () => (given?: FakeServerOptions) => openAcme(given) as Promise<FakeServer>
  const acme = (await createFakeServer({ key: 'acme', fake }, { seed: 1, start, ...options })) as Awaited<
    ReturnType<typeof openAcme>
  >
  t.teardown(acme.close)
  acme.addPrice({ id: 'month', unit_amount: 1000, currency: 'eur', recurring: { interval: 'month' } })
  acme.addPrice({ id: 'once', unit_amount: 1000, currency: 'eur' })
  const all = <K extends Kind>(kind: K) => acme.world.store.list(kind)
  return {
    acme,
    all,
    buy: async (price: string, card?: string) =>
      acme.pay(sell(acme.world, price), { email: 'a@example.com', card }),
    facts: (): Fact[] => acme.events().map(({ fact }) => fact as Fact),
    subscription: () => all('subscription')[0]!,
  }
}

test('a minimal fake server sells over HTTP, renews, and reports each fact in its own events', async (t) => {
  const { acme, facts, subscription } = await open(t)
  const answer = await fetch(`${acme.url}/api/checkouts`, { method: 'POST', body: '{"price":"month"}' })
  const { url } = (await answer.json()) as { url: string }
  const { session } = await acme.pay(url.split('/').at(-1)!, { email: 'a@example.com' })
  t.is((session as { status: string }).status, 'complete')
  t.is(facts().at(-1), 'checkout completed')
  const before = facts().length
  await acme.advance({ months: 1, days: 1 })
  t.is(subscription().items[0]?.end, addMonths(jan15, 2))
  t.deepEqual(facts().slice(before), [
    'subscription changed',
    'invoice added',
    'invoice finalized',
    'payment opened',
    'charge paid',
    'payment paid',
    'invoice paid',
  ])
})

test('a declined renewal is retried on the fake server’s schedule, then the subscription ends', async (t) => {
  const { acme, all, buy, facts, subscription } = await open(t)
  t.is((await buy('month', '4000000000000341')).refusal, 'refused: generic')
  t.is(all('subscription').length, 0)
  await buy('month')
  acme.useCard(subscription().customer, '4000000000000341')
  await acme.advance({ months: 1, days: 1 })
  t.is(subscription().status, 'past_due')
  await acme.advance({ days: 3 })
  t.is(subscription().status, 'canceled')
  t.is(subscription().ended_at, addMonths(jan15, 1) + 3 * 86_400)
  t.is(facts().filter((fact) => fact === 'invoice failed').length, 2)
})

test('tax is added to or included in every amount, and is refunded with the money', async (t) => {
  const added = await open(t, { tax: { percent: 19, included: false } })
  await added.buy('month')
  await added.acme.advance({ months: 1, days: 1 })
  t.deepEqual(
    added.all('invoice').map(({ subtotal, tax, total, paid }) => [subtotal, tax, total, paid]),
    [
      [1000, 190, 1190, 1190],
      [1000, 190, 1190, 1190],
    ],
  )
  added.acme.refund(added.all('payment')[0]!.id)
  t.is(added.all('charge')[0]?.refunded, 1190)
  const within = await open(t, { tax: { percent: 25, included: true } })
  await within.buy('once')
  // A fifth of what is paid.
  t.like(within.all('checkout')[0], { subtotal: 1000, tax: 200, total: 1000 })
  t.is(within.all('payment')[0]?.amount, 1000)
})

test('an approved purchase is paid when the seller captures it; a page and its subscription may share an id', async (t) => {
  const agreed: string[] = []
  const acme = await openAcme(
    { seed: 1, start },
    {
      idFor: (kind) => (kind === 'checkout' || kind === 'subscription' ? 'both_1' : undefined),
      agree: (world, id) => {
        agreed.push(id)
        return { checkout: world.store.get('checkout', id), refusal: null }
      },
    },
  )
  t.teardown(acme.close)
  acme.addPrice({ id: 'month', unit_amount: 1000, currency: 'eur', recurring: { interval: 'month' } })
  const { session } = await acme.pay(sell(acme.world, 'month'), { email: 'a@example.com' })
  t.deepEqual([(session as { status: string }).status, agreed], ['open', ['both_1']])
  t.is(acme.world.store.list('payment').length, 0)
  payCheckout(acme.world, 'both_1', { email: 'a@example.com' })
  await acme.advance({ months: 1, days: 1 })
  t.is(acme.world.store.get('subscription', 'both_1').items[0]?.end, addMonths(jan15, 2))
})

test('a planned pause begins at the end of the paid period, and ends with a new paid period', async (t) => {
  const { acme, buy, all, subscription } = await open(t)
  await buy('month')
  const until = at('2026-04-01T00:00:00Z')
  planPause(acme.world, subscription(), until)
  await acme.advance({ days: 10 })
  t.is(subscription().status, 'active')
  await acme.advance(new Date('2026-03-31T00:00:00Z'))
  t.like(subscription(), { status: 'paused', paused_at: addMonths(jan15, 1) })
  t.is(all('invoice').length, 1)
  await acme.advance(new Date('2026-04-01T00:00:00Z'))
  t.like(subscription(), { status: 'active', paused_at: null, resumes_at: null })
  t.like(subscription().items[0], { start: until, end: addMonths(until, 1) })
  t.is(all('invoice').at(-1)?.status, 'paid')
})

test('a pause continues if resuming cannot be paid; a pause that has not begun is undone', async (t) => {
  const { acme, buy, subscription } = await open(t)
  await buy('month')
  planPause(acme.world, subscription(), at('2026-03-01T00:00:00Z'))
  resumeSubscription(acme.world, subscription(), 'now')
  t.like(subscription(), { status: 'active', pause_at: null, resumes_at: null })
  planPause(acme.world, subscription(), at('2026-03-01T00:00:00Z'))
  acme.useCard(subscription().customer, '4000000000000341')
  await acme.advance({ months: 6 })
  t.like(subscription(), { status: 'paused', resumes_at: null })
})

test('a first payment that stores its card lets a later subscription charge it', async (t) => {
  const { acme, all } = await open(t)
  await acme.pay(sell(acme.world, 'once', { keeps: true }), { email: 'a@example.com' })
  const [method] = all('method')
  t.is(all('payment')[0]?.method, method?.id)
  const begun = startSubscription(acme.world, {
    customer: method!.customer,
    currency: 'eur',
    items: [{ price: acme.world.store.get('price', 'month'), quantity: 2 }],
    metadata: {},
    method: method!.id,
    trialEnd: null,
    withoutMethod: 'cancel',
    coupon: null,
    code: null,
  })
  t.is(begun.status, 'active')
  t.deepEqual(
    all('charge').map(({ amount, method: of, status }) => [amount, of, status]),
    [
      [1000, method?.id, 'paid'],
      [2000, method?.id, 'paid'],
    ],
  )
})
