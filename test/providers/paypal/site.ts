import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { FakeServerOptions } from '../../../src/fakes/engine/index.ts'
import type { FakePayPal } from '../../../src/fakes/paypal/index.ts'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { keepAliveTimeout } from '../../support/patience.ts'
import { createVisitor, prove, type Visitor } from '../../support/visitor.ts'

export const start = new Date('2026-01-15T12:00:00Z')
const webhookId = '96605875FF6516633'

/** A site that sells through PayPal, and PayPal's double, with one clock that only moves when it is told to. */
export async function openPayPalSite(
  t: ExecutionContext,
  given: {
    /** Settings below `membership.providers.paypal`. */
    readonly settings?: Record<string, unknown>
    readonly options?: MembershipOptions
    readonly fake?: FakeServerOptions
  } = {},
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
  const paypal = await createFakeServer('paypal', {
    seed: 1,
    start,
    webhook: { url: `${site}/membership/webhooks/paypal`, secret: webhookId },
    ...given.fake,
  })
  t.teardown(() => paypal.close())
  const monthly = { currency: 'usd', recurring: { interval: 'month' as const }, product: 'PROD-SITE' }
  paypal.addPrice({ id: 'P-PRO', unit_amount: 900, ...monthly })
  paypal.addPrice({ id: 'P-TEAM', unit_amount: 2500, ...monthly })
  paypal.addPrice({ id: 'P-OTHER', unit_amount: 4000, ...monthly, product: 'PROD-OTHER' })
  const log: string[] = []
  const settings: MembershipOptions = {
    ...(await freshDatabase()),
    'membership.provider.handler': 'paypal',
    'membership.providers.paypal': {
      client_id: paypal.clientId,
      secret: paypal.secret,
      webhook: webhookId,
      api_base: paypal.url,
      livemode: false,
      plans: {
        pro: { group: 'membership', prices: ['P-PRO'], quantity: { max: 5 } },
        team: { group: 'membership', prices: ['P-TEAM'], quantity: { max: 5 } },
        other: { group: 'membership', prices: ['P-OTHER'] },
        book: { prices: [{ id: 'book', amount: 1900, currency: 'USD' }] },
      },
      ...given.settings,
    },
    'membership.ratelimit.limit': 10_000,
    install: false,
    'membership.compare.automatic': false,
    root: false,
    now: () => paypal.now(),
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...given.options,
  }
  const m = await createMembership(settings)
  const listener = m.listener()
  t.teardown(() => m.close())
  /** Messages arrive, and what they ask for is asked. */
  const settle = async () => {
    for (let round = 0; round < 2; round++) {
      await paypal.deliver()
      await paypal.advance({ ms: 5000 })
      await m.runDueJobs()
    }
  }
  const memberOf = (email = ann) => m.users.findByEmail(email)
  const choose = async (path: string, fields: Record<string, string> = {}, visitor = createVisitor(site)) => {
    const begun = await visitor.send(path, fields)
    t.is(begun.status, 201, begun.text)
    const { json } = begun
    const [mode] = path.split('/').slice(2)
    const back = `/membership/${mode}/${json.intent_id}`
    return { visitor, back, url: json.url as string, intent: json.intent_id as string, id: idIn(json.url) }
  }
  const lookAt = async (visitor: Visitor, back: string): Promise<string> =>
    (await visitor.get(back, { accept: 'application/json' })).json.status
  /** Chooses, agrees, comes back. */
  const subscribe = async (fields: Record<string, string> = {}, plan = 'pro') => {
    const chosen = await choose(`/membership/subscribe/${plan}`, fields)
    await paypal.pay(chosen.id, { email: ann })
    t.is(await lookAt(chosen.visitor, chosen.back), 'paid')
    await prove(m, chosen.visitor)
    await settle()
    return chosen
  }
  const own = async () => (await memberOf())!.subscriptions()[0]!
  const opens = async (gate: string, email = ann) => (await memberOf(email))?.hasGate(gate as never) === true
  return { m, settings, paypal, site, log, settle, choose, lookAt, subscribe, memberOf, own, opens }
}
export type PayPalSite = Awaited<ReturnType<typeof openPayPalSite>>

export const ann = 'ann@example.com'
/** A card that can be kept, and is refused. */
export const badCard = '4000000000000341'

/** What a page is for: an order's id, or that of a subscription. */
function idIn(url: string): string {
  const { searchParams } = new URL(url)
  return searchParams.get('token') ?? String(searchParams.get('ba_token')).slice('BA-'.length)
}

const tokens = new WeakMap<FakePayPal, { readonly authorization: string; readonly until: number }>()

async function authorize(paypal: FakePayPal): Promise<string> {
  const known = tokens.get(paypal)
  if (known !== undefined && known.until > paypal.now().getTime()) return known.authorization
  const basic = `Basic ${Buffer.from(`${paypal.clientId}:${paypal.secret}`).toString('base64')}`
  const answer = await fetch(`${paypal.url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number }
  const authorization = `Bearer ${access_token}`
  tokens.set(paypal, { authorization, until: paypal.now().getTime() + (expires_in - 60) * 1000 })
  return authorization
}

/** Asks PayPal itself, as anybody with its credentials. */
export async function askPayPal(paypal: FakePayPal, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${paypal.url}${path}`, {
    method,
    headers: { authorization: await authorize(paypal), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests read what PayPal answers
  return { status: answer.status, json: (text === '' ? null : JSON.parse(text)) as any }
}
