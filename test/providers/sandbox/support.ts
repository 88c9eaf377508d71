import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import Koa from 'koa'
import type { Plan, Price, SubscriptionData } from '../../../src/core/dto/index.ts'
import { createDocuments, openStorage, type Storage } from '../../../src/core/storage/index.ts'
import { plainVoice } from '../../../src/core/words/index.ts'
import type { RouteTools } from '../../../src/providers/contract.ts'
import { createSandbox } from '../../../src/providers/sandbox/index.ts'
import type { SandboxEvent } from '../../../src/providers/sandbox/objects.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { atNewest } from '../../support/databases.ts'

export const secret = 'the secret of the shop'

type Definition = Pick<Price, 'id' | 'amount'> & Partial<Price>

function price(plan: string, given: Definition): Price {
  return {
    plan,
    provider: 'sandbox',
    type: given.interval === null ? 'one_time' : 'recurring',
    currency: 'EUR',
    interval: 'month',
    interval_count: 1,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
    ...given,
  }
}
function plan(id: string, prices: Definition[]): Plan {
  return {
    id,
    provider: 'sandbox',
    name: id,
    description: null,
    lines: [],
    features: [],
    prices: prices.map((definition) => price(id, definition)),
  }
}

/** Amounts that halve and third without a rest; `second` costs one cent per second of a month of 30 days. */
export const plans: readonly Plan[] = [
  plan('pro', [
    { id: 'small', amount: 1000 },
    { id: 'large', amount: 2000 },
    { id: 'year', amount: 10_000, interval: 'year' },
    { id: 'trial', amount: 1000, trial_days: 7 },
    { id: 'second', amount: 2_592_000 },
    { id: 'second2', amount: 5_184_000 },
    { id: 'day', amount: 100, interval: 'day' },
    { id: 'yen', amount: 1000, currency: 'JPY' },
    { id: 'old', amount: 700, retired: true },
  ]),
  plan('archive', [{ id: 'once', amount: 3000, interval: null, interval_count: null }]),
]

export const cards = {
  works: '4242 4242 4242 4242',
  waits: '4000 0000 0000 3220',
  asks: '4000 0025 0000 3155',
  asksAlways: '4000 0027 6000 3184',
  failsLater: '4000 0000 0000 0341',
  declined: '4000 0000 0000 0002',
}

/** A sandbox on a real database, with a site that takes its webhooks and a clock that stands still. */
export async function openSandbox(t: ExecutionContext, start: string, given: { storage?: Storage } = {}) {
  const clock = createClock(start)
  const storage =
    given.storage ??
    (await openStorage({
      url: await atNewest('sqlite::memory:'),
      synchronous: 'full',
      pool: 2,
      now: clock.now,
    }))
  const received: SandboxEvent[] = []
  const log: string[] = []
  let isDown = false

  const app = new Koa()
  app.silent = true
  app.use(async (ctx, next) => {
    if (ctx.path !== '/membership/webhooks/sandbox') return next()
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    ctx.status = isDown ? 503 : 200
    if (isDown) return
    sandbox().verify({ body, headers: ctx.headers }, [{ label: '', secret }], clock.now())
    received.push(JSON.parse(body.toString()) as SandboxEvent)
  })
  app.use((ctx, next) => routes()(ctx as never, next))
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const localUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  let made = 0
  const open = () =>
    createSandbox({
      options: { codes: { TIDE: 20 } },
      livemode: null,
      now: clock.now,
      randomId: () => `random${++made}`,
      store: createDocuments(storage, 'sandbox'),
      storedCustomer: async () => null,
      plans: () => plans,
      webhookSecret: () => secret,
      log: (message) => log.push(message),
    })
  let current = open()
  const sandbox = () => current
  const tools: RouteTools = {
    render: (_name, data) => JSON.stringify(data),
    voiceOf: async () => plainVoice(),
    formToken: () => 'token',
    checkForm: () => {},
    errorPage: async (ctx: { body: unknown }, problem: object) => {
      ctx.body = problem
    },
    accountPath: '/account',
    limit: (_ctx, next) => next(),
    log: (message) => log.push(message),
  }
  const routes = () => current.routes!(tools).routes()
  t.teardown(async () => {
    await current.close?.()
    await new Promise((done) => server.close(done))
    if (!given.storage) await storage.close()
  })

  const subscription = async (id: string): Promise<SubscriptionData> => {
    const [change] = (await sandbox().fetch?.({ kind: 'subscription', id }))?.changes ?? []
    if (change?.type !== 'subscription') throw new TypeError(`no subscription ${id}`)
    return {
      livemode: false,
      ...change.data,
      provider: 'sandbox',
      account: '',
      updated_at: change.at ?? '',
      past_due_since: null,
    }
  }
  /** The messages of one kind, as far as the site has them. */
  const events = async (object?: SandboxEvent['object']): Promise<SandboxEvent[]> => {
    await sandbox().controls.offered()
    return received.filter((event) => object === undefined || event.object === object)
  }
  /** What was paid or tried so far: the newest state of each payment, in the order of their first messages. */
  const payments = async (): Promise<[string, number][]> => {
    const all = new Map<string, [string, number]>()
    for (const event of await events('payment'))
      if (event.object === 'payment') all.set(event.data.id, [event.data.status, event.data.amount])
    return [...all.values()]
  }

  const begin = (
    priceId: string,
    intentId = 'intent',
    quantity = 1,
    customerId: string | null = null,
    code: string | null = null,
  ) =>
    sandbox().checkout!({
      intentId,
      signedIntent: intentId,
      mode: priceId === 'once' ? 'payment' : 'subscription',
      priceId,
      quantity,
      currency: null,
      code,
      trialDays: priceId === 'trial' ? 7 : null,
      email: null,
      customerId,
      returnUrl: 'http://site.example/back',
      cancelUrl: 'http://site.example/away',
      localUrl,
      extra: {},
      metadata: {},
    })
  const submit = (path: string, fields: Record<string, string>) =>
    fetch(`${localUrl}${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: 'token', ...fields }),
    })
  /** Buys, and gives the subscription's id; of a payment, the payment's. */
  const buy = async (
    priceId: string,
    {
      card = cards.works,
      intent = 'intent',
      quantity = 1,
      customer = null as string | null,
      code = null as string | null,
    } = {},
  ): Promise<string> => {
    const { id, url } = await begin(priceId, intent, quantity, customer, code)
    const answer = await submit(url!, { email: 'ada@example.com', name: 'Ada', card, bank: 'yes' })
    if (answer.status !== 303) throw new TypeError(`not paid: ${answer.status} ${await answer.text()}`)
    const [change] = (await sandbox().fetch!({ kind: 'checkout', id }))!.changes
    if (change?.type !== 'money') throw new TypeError('no checkout')
    return change.data.subscription_id ?? change.data.refs[0]?.id ?? ''
  }

  return {
    clock,
    storage,
    received,
    log,
    localUrl,
    sandbox,
    subscription,
    events,
    payments,
    /** As after a new start of the process: nothing is known but the documents. */
    restart: async () => {
      await current.close?.()
      current = open()
    },
    setDown: (down: boolean) => {
      isDown = down
    },
    moveTo: async (moment: string) => {
      // What is under way was signed by the clock of before.
      await sandbox().controls.offered()
      clock.set(moment)
      await sandbox().work?.()
    },
    begin,
    submit,
    buy,
  }
}
export type TestSandbox = Awaited<ReturnType<typeof openSandbox>>
