import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { FakeServer, FakeServerOptions } from '../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions, type User } from '../../src/index.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { freshDatabase } from './databases.ts'
import { keepAliveTimeout } from './patience.ts'
import { createMailbox, createVisitor, logIn, prove, type Visitor } from './visitor.ts'

const start = new Date('2026-01-15T12:00:00Z')

/**
 * A site that sells through one provider, or through several beside it, and the providers' sides: their real
 * clients between them, webhooks over HTTP. The site goes by the clock of the first, which only moves when it
 * is told to.
 */
export async function openSellingSite(
  t: Pick<ExecutionContext, 'teardown'>,
  sellingCase: SellingCase,
  options: MembershipOptions = {},
  fakeOptions: FakeServerOptions = {},
  beside: readonly SellingCase[] = [],
) {
  let listener: RequestListener
  const closing: (() => Promise<void>)[] = []
  const server = createServer({ keepAliveTimeout }, (request, response) =>
    listener(request, response),
  ).listen(0, '127.0.0.1')
  // Closes what is open, even where the site refuses its configuration.
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    for (const close of closing) await close()
  })
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { fake, settings: ownSettings } = await openSeller(closing, sellingCase, site, fakeOptions)
  const others = await Promise.all(beside.map((other) => openSeller(closing, other, site)))
  const log: string[] = []
  const mailbox = createMailbox()
  const settings: MembershipOptions = {
    ...(await freshDatabase()),
    'membership.provider.handler': sellingCase.key,
    ...ownSettings,
    ...Object.assign({}, ...others.map((other) => other.settings)),
    'membership.ratelimit.limit': 10_000,
    // What a test asks for is what is asked; asking by itself has tests of its own.
    'membership.compare.automatic': false,
    install: false,
    root: false,
    now: () => fake.now(),
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...mailbox.options,
    ...options,
  }
  let running: Membership
  const run = async (more: MembershipOptions = {}) => {
    const m = await createMembership({ ...settings, ...more })
    running = m
    listener = m.listener()
    t.teardown(() => m.close())
    /** In a browser of somebody who was logged out meanwhile. */
    const visitorOf = (email: string) => logIn({ m, site }, mailbox, email)
    return { m, visitorOf }
  }
  const started = await run()
  /** The same site, stopped and started with other settings. */
  const restart = async (more: MembershipOptions) => {
    await running.close()
    return { ...opened, ...(await run(more)) }
  }
  /** The provider as the site has it. */
  const provider = () =>
    bareProvider(
      sellingCase.definition,
      { secret: fake.secret, api_base: fake.url },
      { plans: () => running.plans() },
    )
  const fakes = [fake, ...others.map((other) => other.fake)] as const
  const opened = {
    sellingCase,
    ...started,
    fake,
    fakes,
    site,
    log,
    options: settings,
    provider,
    restart,
  }
  return opened
}
export type SellingSite = Awaited<ReturnType<typeof openSellingSite>>

/** One provider's side of the site at that address, and the settings by which the site sells through it. */
async function openSeller(
  closing: (() => Promise<void>)[],
  sellingCase: SellingCase,
  site: string,
  options: FakeServerOptions = {},
) {
  const { key, prices, webhook } = sellingCase
  const fake = await sellingCase.open({
    seed: 1,
    start,
    webhook: { url: `${site}/membership/webhooks/${key}`, secret: webhook },
    ...options,
  })
  closing.push(() => fake.close())
  const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const
  fake.addPrice({ id: prices.month, unit_amount: 900, ...monthly })
  fake.addPrice({ id: prices.team, unit_amount: 2500, ...monthly })
  fake.addPrice({ id: prices.book, unit_amount: 1900, currency: 'eur' })
  const settings = {
    [`membership.providers.${key}`]: {
      secret: fake.secret,
      webhook,
      api_base: fake.url,
      livemode: false,
      pause: { max_days: 90 },
      plans: plansOf(sellingCase),
      ...sellingCase.settings?.(fake),
    },
  }
  return { fake, settings: settings as MembershipOptions }
}

function plansOf({ prices }: SellingCase) {
  const priced = (id: string, amount: number) => ({ id, amount, currency: 'EUR', interval: 'month' as const })
  return {
    pro: { group: 'membership', prices: [priced(prices.month, 900)], quantity: { max: 5 } },
    team: { group: 'membership', prices: [priced(prices.team, 2500)], quantity: { max: 10 } },
    book: { prices: [{ id: prices.book, amount: 1900, currency: 'EUR' }] },
  }
}

/** Chooses a plan on the site, and answers where it is paid. */
export async function choose(
  { sellingCase, site }: Pick<SellingSite, 'sellingCase' | 'site'>,
  what: 'pro' | 'team' | 'book',
  visitor: Visitor = createVisitor(site),
  fields: Record<string, string> = {},
) {
  const begun =
    what === 'book'
      ? await visitor.send('/membership/payment', { product: sellingCase.prices.book, ...fields })
      : await visitor.send(`/membership/subscribe/${what}`, fields)
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`)
  const { url, intent_id } = begun.json as { url: string; intent_id: string }
  const back = `/membership/${what === 'book' ? 'payment' : 'subscribe'}/${intent_id}`
  return { visitor, url, intentId: intent_id, back, checkout: sellingCase.checkoutIn(url) }
}

/** Buys, comes back, and lets the messages arrive. */
export async function purchase(
  opened: SellingSite,
  email: string,
  what: 'pro' | 'team' | 'book' = 'pro',
): Promise<{ visitor: Visitor; id: string }> {
  const { fake, m } = opened
  const { visitor, url, checkout, back } = await choose(opened, what)
  await fake.pay(url, { email })
  await passing(fake)
  await comeBack(opened, { visitor, checkout, back })
  await fake.deliver()
  await prove(m, visitor)
  return { visitor, id: (await memberOf(m, email)).subscriptions()[0]?.id ?? '' }
}

/** Comes back from the provider's page after paying. */
export async function comeBack(
  { sellingCase, fake }: Pick<SellingSite, 'sellingCase' | 'fake'>,
  { visitor, ...begun }: { readonly visitor: Visitor; readonly checkout: string; readonly back: string },
) {
  if (sellingCase.wayBack) await visitor.get(sellingCase.wayBack(fake, begun))
  return visitor.get(begun.back, { accept: 'application/json' })
}

/** A few seconds, so that what is asked is newer than what was told. */
export function passing(fake: Pick<FakeServer, 'advance'>): Promise<void> {
  return fake.advance({ ms: 5000 })
}

/** The member of that address. */
export async function memberOf(m: Membership, email: string): Promise<User> {
  return (await m.users.findByEmail(email))!
}
