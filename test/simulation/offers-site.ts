import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership, type Membership, type MembershipOptions, type User } from '../../src/index.ts'
import { own } from '../support/own-providers.ts'
import { createMailbox, createVisitor, logIn, type Visitor } from '../support/visitor.ts'
import type { Seller } from './sellers.ts'

/** A price at the provider, in euros. */
export interface SoldPrice {
  readonly id: string
  readonly unit_amount: number
  readonly isMonthly: boolean
  readonly metadata?: Readonly<Record<string, string>>
}

export const start = new Date('2026-01-15T06:00:00Z')

/** The id of another price at the same provider, made from that of the book; `digit` where ids are numbers. */
export function idLike({ prices: { book } }: Pick<Seller, 'prices'>, name: string, digit: string): string {
  return book.includes('book') ? book.replace('book', name) : book.replace(/3$/, digit)
}

interface SiteOptions<Name extends string> {
  readonly seller: Seller
  readonly names: readonly Name[]
  readonly prices: readonly SoldPrice[]
  readonly plans: object
  /** More settings below the provider's key. */
  readonly settings?: object
  readonly options?: MembershipOptions
  readonly listener: (m: Membership) => RequestListener
}

/** Opens a site on one provider, with accounts of these names that are logged in. */
export async function openOffersSite<Name extends string>({
  seller,
  names,
  prices,
  ...site_
}: SiteOptions<Name>) {
  let listener: RequestListener = (_, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { key } = seller
  const fake = await seller.open({
    seed: 1,
    start,
    webhook: { url: `${site}/membership/webhooks/${key}`, secret: seller.webhook },
  })
  for (const { isMonthly, ...price } of prices)
    fake.addPrice({
      ...price,
      currency: 'eur',
      ...(isMonthly ? { recurring: { interval: 'month' }, product: 'prod_site' } : {}),
    })
  const mailbox = createMailbox()
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': site,
    'membership.provider.handler': key as 'stripe',
    ...(own({
      [`membership.providers.${key}`]: {
        webhook: seller.webhook,
        secret: fake.secret,
        livemode: false,
        api_base: `${fake.url}${seller.apiPath ?? ''}`,
        ...seller.settings?.(fake),
        ...site_.settings,
        plans: site_.plans,
      },
    }) as MembershipOptions),
    'membership.ratelimit.limit': 10_000_000,
    'membership.secret': 'a secret of the simulation, long enough',
    'membership.compare.automatic': false,
    install: false,
    root: false,
    now: () => fake.now(),
    log: () => {},
    ...mailbox.options,
    ...site_.options,
  })
  listener = site_.listener(m)
  const visitors = {} as Record<Name, Visitor>
  for (const name of names) {
    await m.users.create({ email: addressOf(name), verified: true })
    visitors[name] = await logIn({ m, site }, mailbox, addressOf(name), createVisitor(site))
  }
  return {
    seller,
    fake,
    m,
    site,
    mailbox,
    visitors,
    counts: new Map<string, number>(),
    broken: [] as string[],
    log: [] as string[],
    close: async () => {
      server.closeAllConnections()
      server.close()
      await m.close()
      await fake.close()
    },
  }
}
type Site<Name extends string> = Omit<Awaited<ReturnType<typeof openOffersSite<Name>>>, 'close'>

export function addressOf(name: string): string {
  return `${name}@example.com`
}

export function note({ counts }: { readonly counts: Map<string, number> }, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

export async function userOf({ m }: { readonly m: Membership }, name: string): Promise<User> {
  return (await m.users.findByEmail(addressOf(name)))!
}

/** Messages arrive, and jobs run until what they asked for has come. */
export async function arrive({ fake, m }: Pick<Site<string>, 'fake' | 'm'>): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
}

/** Lets days pass, and the site work meanwhile. */
export async function elapse(site: Pick<Site<string>, 'fake' | 'm' | 'counts'>, days: number, step = 3) {
  for (let left = days; left > 0; left -= step) {
    await site.fake.advance({ days: Math.min(left, step) })
    await arrive(site)
  }
  note(site, `${days} days`)
}

/** Orders something by a form, pays it, and comes back. Null where the site refuses it. */
export async function order<Name extends string>(
  site: Site<Name>,
  name: Name,
  path: string,
  fields: Record<string, string>,
): Promise<string | null> {
  const { seller, fake, visitors } = site
  const begun = await sendForm(site, name, path, fields)
  site.log.push(`${fake.now().toISOString()} ${name} ${path} ${JSON.stringify(fields)}: ${begun.status}`)
  if (begun.status !== 201) {
    note(site, `refused ${begun.json?.code ?? begun.status}`)
    return null
  }
  const { url, intent_id } = begun.json as { url: string; intent_id: string }
  const page = seller.checkoutIn(url)
  if (page === null) throw new Error(`${path} leads to ${url}`)
  await fake.pay(page, { email: addressOf(name), name })
  await fake.advance({ ms: 5000 })
  await visitors[name].get(
    `/membership/${path.includes('subscribe') ? 'subscribe' : 'payment'}/${intent_id}`,
    {
      accept: 'application/json',
    },
  )
  await arrive(site)
  return intent_id
}

/** Sends a form; a session that has ended begins anew. */
export async function sendForm<Name extends string>(
  site: Site<Name>,
  name: Name,
  path: string,
  fields: Record<string, string> = {},
) {
  const visitor = site.visitors[name]
  const answer = await visitor.send(path, fields)
  if (answer.json?.code !== 'ERR_LOGIN_REQUIRED') return answer
  return (await comeBack(site, name)) ? visitor.send(path, fields) : answer
}

/** Logs in anew. False where the address got too many links. */
export async function comeBack<Name extends string>(site: Site<Name>, name: Name): Promise<boolean> {
  const visitor = site.visitors[name]
  visitor.cookies.delete('membership_session')
  try {
    await logIn(site, site.mailbox, addressOf(name), visitor)
    return true
  } catch {
    // An address gets few mails in a real minute, in which months of this world pass.
    note(site, 'no link to log in')
    return false
  }
}
