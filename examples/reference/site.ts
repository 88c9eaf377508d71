/** The site on which the examples of the reference run, anew for each: it sells through a fake Stripe. */
import { deepStrictEqual } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Koa from 'koa'
import inject from 'light-my-request'
import {
  createMembership,
  isMembershipError,
  type Membership,
  type MembershipOptions,
  type User,
} from 'membership'
import { createFakeStripe } from 'membership/testkit'

/** What an example finds. */
export interface Given {
  readonly m: Membership
  readonly fake: Awaited<ReturnType<typeof createFakeStripe>>
  /** Ann pays for `pro` each month. */
  readonly ann: User
  /** Bob has bought nothing. */
  readonly bob: User
  /** A Koa app of the example's own. */
  readonly app: Koa
  /** Pays on Stripe's page, and brings the webhooks. */
  readonly pay: (url: string) => Promise<void>
  /** Opens a page of the app, in a browser that remembers its cookies. */
  readonly open: (
    path: string,
    form?: Readonly<Record<string, string>>,
  ) => Promise<{ status: number; text: string }>
  /** The TXT records of a host, which prove it to the website index. */
  readonly txt: Map<string, string>
  /** Addresses and texts of the mails that the site sent. */
  readonly mails: { readonly to: string; readonly subject: string; readonly text: string }[]
}

/** The examples of a page by the name of their method. */
export type Examples = Readonly<Record<string, (given: Given) => void | Promise<void>>>

/** Stands on the page as `actual // expected`. */
export function equal<T>(actual: T, expected: T): void {
  deepStrictEqual(actual, expected)
}

/** Runs what has to fail, and returns the code of its error. */
export async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (isMembershipError(error)) return error.code
    throw error
  }
  return 'no error'
}

const plans: MembershipOptions['membership.plans'] = {
  pro: {
    name: 'Pro',
    opens: ['export'],
    limits: { exports: { amount: 100, every: 'month' } },
    prices: [
      'price_month',
      'price_year',
      'price_dearer',
      { id: 'price_gift', gives: { plan: 'pro', months: 12 } },
    ],
  },
  team: { name: 'Team', seats: 'quantity', quantity: { min: 2, max: 50 }, prices: ['price_team'] },
  book: { name: 'The book', prices: ['price_book'] },
}

const addPrices = (fake: Given['fake']): void => {
  const monthly = { currency: 'eur', recurring: { interval: 'month' as const } }
  fake.addPrice({ id: 'price_month', unit_amount: 900, ...monthly })
  fake.addPrice({ id: 'price_dearer', unit_amount: 1200, ...monthly })
  fake.addPrice({ id: 'price_team', unit_amount: 500, ...monthly })
  fake.addPrice({ id: 'price_year', unit_amount: 9000, currency: 'eur', recurring: { interval: 'year' } })
  fake.addPrice({ id: 'price_book', unit_amount: 1900, currency: 'eur' })
  fake.addCoupon({ id: 'stay', percent_off: 50 })
  fake.addPrice({ id: 'price_gift', unit_amount: 5000, currency: 'eur' })
}

/** Opens the site with its two members. */
export async function openSite(
  more: MembershipOptions = {},
): Promise<Given & { close: () => Promise<void> }> {
  const fake = await createFakeStripe({ start: new Date('2026-01-15T12:00:00Z') })
  addPrices(fake)
  const mails: Given['mails'] = []
  const api = await openApi(fake)
  const txt: Given['txt'] = new Map()
  const m = await createMembership({
    'membership.url': 'https://example.com',
    'membership.secret': 'a secret of at least thirty-two characters',
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': {
      secret: fake.secret,
      api_base: api.url,
      webhook: 'whsec_reference',
      pause: { max_days: 90 },
      discount: { percent: 50, coupon: 'stay' },
    },
    'membership.plans': plans,
    'membership.files.folder': import.meta.dirname,
    'membership.compare.automatic': false,
    'membership.shop.country': 'DE',
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@example.com',
    'membership.reports.crawl': {
      enabled: false,
      pause_seconds: 0,
      seeds: ['http://studio.example/', 'http://plain.example/'],
    },
    reports: webOf(new URL(api.web).port, txt),
    feeds: { '/podcast.xml': ({ view }) => `<rss>${view.allows('pro') ? 'closed episode' : ''}</rss>` },
    mails: {
      transport: async ({ to, subject, text }) => void mails.push({ to, subject, text }),
      siteName: 'Example',
    },
    install: false,
    root: false,
    now: fake.now,
    log: () => {},
    ...more,
  })
  fake.sendTo({
    url: 'https://example.com/membership/webhooks/stripe',
    secret: 'whsec_reference',
    fetch: m.fetch,
  })
  const pay = async (url: string): Promise<void> => {
    await fake.pay(url)
    await fake.deliver()
  }
  const { id } = await m.users.create({ email: 'ann@example.com', name: 'Ann', verified: true })
  const buyer = (await m.users.findById(id))!
  await pay((await m.checkout.start({ user: buyer, price: 'price_month' })).url)
  // An answer of the same moment as an event would be no newer than it.
  await fake.advance({ ms: 10_000 })
  const ann = (await m.users.findById(id))!
  const bob = await m.users.create({ email: 'bob@example.com', verified: true })
  const app = new Koa()
  app.silent = true
  return {
    m,
    fake,
    ann,
    bob,
    app,
    pay,
    open: browserOf(app),
    txt,
    mails,
    close: async () => {
      await m.close()
      await api.close()
      await fake.close()
    },
  }
}

function browserOf(app: Koa): Given['open'] {
  const cookies = new Map<string, string>()
  return async (path, form) => {
    const answer = await inject(app.callback(), {
      method: form === undefined ? 'GET' : 'POST',
      url: path,
      headers: {
        host: 'example.com',
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form === undefined
          ? {}
          : { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.com' }),
      },
      ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
    })
    for (const { name, value } of answer.cookies) cookies.set(name, value)
    return { status: answer.statusCode, text: answer.payload }
  }
}

const kirbyPage =
  '<html><head><title>Studio</title><meta name="generator" content="Kirby 4.5.0"></head><body><img src="/media/pages/home/0a1b2c3d4e-1700000000/a.jpg" alt=""></body></html>'

/** Three websites, two of which Kirby runs. The index finds no others, and begins with two of them. */
const websites: Readonly<Record<string, string>> = {
  'studio.example': kirbyPage,
  'old.example': kirbyPage,
  'plain.example': '<html><head><title>By hand</title></head><body></body></html>',
}

const webOf = (port: string, txt: Given['txt']): MembershipOptions['reports'] => ({
  policy: { allowsHost: (host) => host.endsWith('.example'), allowsAddress: () => true },
  resolve: async (host) => {
    if (host in websites) return [{ address: '127.0.0.1', port: Number(port) }]
    throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' })
  },
  resolveTxt: async (host) => (txt.has(host) ? [[txt.get(host)!]] : []),
})

/** Stripe's API: the fake's, and the endpoints of webhooks, which the fake does not keep. The websites stand beside it. */
async function openApi(
  fake: Given['fake'],
): Promise<{ url: string; web: string; close: () => Promise<void> }> {
  const web = createServer((request, response) => {
    const page = request.url === '/' ? websites[String(request.headers.host).replace(/:.*/, '')] : undefined
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => web.once('listening', ready))
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const body = await text(request)
    if (url.startsWith('/v1/webhook_endpoints')) {
      const made = { id: 'we_1', object: 'webhook_endpoint', enabled_events: [], secret: 'whsec_new' }
      const answer = method === 'GET' ? { object: 'list', data: [], has_more: false } : made
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
      return
    }
    const sent = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const answer = await fake.fetch(
      new Request(new URL(url, fake.url), { method, headers: sent, body: method === 'GET' ? null : body }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    web: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    close: async () => {
      web.closeAllConnections()
      web.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
