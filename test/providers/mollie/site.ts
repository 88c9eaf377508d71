import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createFakeMollie, type FakeMollieOptions } from '../../../src/fakes/mollie/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { keepAliveTimeout } from '../../support/patience.ts'
import { createMailbox, logIn, type Visitor } from '../../support/visitor.ts'

const start = new Date('2026-01-15T12:00:00Z')

/**
 * A site that sells through Mollie, and Mollie's side, with its client between them and pings over HTTP. Both
 * share one clock, which only moves when it is told to.
 */
export async function openMollieSite(
  t: Pick<ExecutionContext, 'teardown'>,
  options: MembershipOptions = {},
  fakeOptions: FakeMollieOptions = {},
) {
  const server = createServer({ keepAliveTimeout }, (request, response) =>
    listener(request, response),
  ).listen(0, '127.0.0.1')
  // Each closes what is open, even where the site refuses its configuration.
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const webhook = { url: `${site}/membership/webhooks/mollie`, secret: 'a signing secret' }
  const fake = await createFakeMollie({ seed: 1, start, webhook, ...fakeOptions })
  t.teardown(() => fake.close())
  const mailbox = createMailbox()
  const log: string[] = []
  const monthly = { currency: 'EUR', interval: 'month' as const }
  const settings: MembershipOptions = {
    ...(await freshDatabase()),
    'membership.provider.handler': 'mollie',
    'membership.providers.mollie': {
      secret: fake.secret,
      webhook: webhook.secret,
      api_base: `${fake.url}/v2`,
      plans: {
        pro: { group: 'membership', prices: [{ id: 'pro', amount: 900, ...monthly }], quantity: { max: 5 } },
        team: { group: 'membership', prices: [{ id: 'team', amount: 2500, ...monthly }] },
        tried: { group: 'tried', prices: [{ id: 'tried', amount: 700, trial_days: 14, ...monthly }] },
        book: { prices: [{ id: 'book', amount: 1900, currency: 'EUR' }] },
      },
    },
    'membership.ratelimit.limit': 10_000,
    install: false,
    'membership.compare.automatic': false,
    root: false,
    now: () => fake.now(),
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...mailbox.options,
    ...options,
  }
  const m = await createMembership(settings)
  const listener = m.listener()
  t.teardown(() => m.close())
  /** A member in a browser of their own. */
  const visitorOf = async (email: string): Promise<Visitor> => {
    if ((await m.users.findByEmail(email)) === null) await m.users.create({ email, verified: true })
    return logIn({ m, site }, mailbox, email)
  }
  return { m, fake, site, log, options: settings, visitorOf }
}
/** What `openMollieSite` gives. */
export type MollieSite = Awaited<ReturnType<typeof openMollieSite>>

/** Chooses something, and says where it is paid. */
export async function choose(visitor: Visitor, what: string, fields: Record<string, string> = {}) {
  const begun =
    what === 'book'
      ? await visitor.send('/membership/payment', { product: 'book', ...fields })
      : await visitor.send(`/membership/subscribe/${what}`, fields)
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
  const { url, intent_id: intentId } = begun.json as { url: string; intent_id: string }
  const back = `/membership/${what === 'book' ? 'payment' : 'subscribe'}/${intentId}`
  return { url, intentId, back, payment: new URL(url).pathname.split('/').at(-1)! }
}

/** Buys, comes back, and lets the pings arrive. */
export async function purchase(opened: MollieSite, email: string, what = 'pro', fields = {}) {
  const { m, fake, visitorOf } = opened
  const visitor = await visitorOf(email)
  const { payment, back } = await choose(visitor, what, fields)
  await fake.pay(payment)
  await passing(fake)
  await visitor.get(back)
  await settled(opened)
  return { visitor, payment, id: (await memberOf(m, email)).subscriptions()[0]?.id ?? '' }
}

/** A few seconds, so that what is asked is newer than what was told. */
export function passing(fake: MollieSite['fake']): Promise<void> {
  return fake.advance({ ms: 5000 })
}

/** Until all pings have arrived and nothing is asked for any more. */
export async function settled({ m, fake }: Pick<MollieSite, 'm' | 'fake'>): Promise<void> {
  await fake.deliver()
  for (let round = 0; round < 5; round++) {
    await m.runDueJobs()
    await passing(fake)
  }
}

/** The member of that address. */
export async function memberOf(m: Membership, email: string) {
  return (await m.users.findByEmail(email))!
}

/** Asks Mollie's API as its dashboard would. */
export async function ask(
  { fake }: Pick<MollieSite, 'fake'>,
  path: string,
  method = 'GET',
  body?: Readonly<Record<string, unknown>>,
) {
  const headers = { authorization: `Bearer ${fake.secret}` }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`${fake.url}/v2${path}`, { method, headers, ...sent })
  // biome-ignore lint/suspicious/noExplicitAny: tests read what Mollie answers
  return (await answer.json()) as any
}

/** What was charged, in the order in which it was. */
export async function charged(opened: Pick<MollieSite, 'fake'>): Promise<string[]> {
  return (await ask(opened, '/payments'))._embedded.payments
    .filter(({ status }: { status: string }) => status === 'paid')
    .map(({ amount }: { amount: { value: string } }) => amount.value)
    .reverse()
}
