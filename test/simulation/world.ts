import { createBrowser } from '../support/browser.ts'
import type { Figures } from './figures.ts'
import { type Answer, type Person, send } from './person.ts'
import type { Site } from './site.ts'

/** Everything that an action may touch. */
export interface World {
  readonly site: Site
  readonly people: Person[]
  readonly figures: Figures
  /** What was found broken on the way: the fault, and the report about it. */
  readonly broken: Map<string, string>
  /** Requests that are still to stay without an answer. */
  timeouts: number
}

/** What somebody has at the provider, through the payment pages that were made for them. */
export function ownedBy({ site: { fake } }: World, person: Person) {
  const customers = new Set<string>()
  for (const id of person.sessions.keys()) {
    const session = fake.objects.get(id)
    if (session?.object === 'checkout.session' && session.customer !== null) customers.add(session.customer)
  }
  const isOwn = (item: { customer: string | null }) => item.customer !== null && customers.has(item.customer)
  return {
    customers,
    subscriptions: () => fake.objects.list('subscription').filter(isOwn),
    charges: () => fake.objects.list('charge').filter(isOwn),
  }
}

export function isLiving({ status }: { status: string }): boolean {
  return status !== 'canceled' && status !== 'incomplete_expired' && status !== 'incomplete'
}

/** Does one thing and keeps the books about it. */
export async function act(
  world: World,
  person: Person,
  { name, path, fields }: { name: string; path: string; fields?: Record<string, string> },
  browser = person.browsers[0]!,
): Promise<Answer> {
  const { figures } = world
  const answer = await send(browser, path, fields).catch(
    (error: unknown): Answer => ({ status: 0, body: { code: String(error).slice(0, 60) } }),
  )
  figures.count('actions', name)
  const code = String(answer.body.code ?? answer.status)
  if (answer.status === 0 || answer.status >= 500) figures.count('failed', `${name} ${code}`)
  else if (answer.status >= 400) figures.count('refused', code)
  const { code: refusal } = answer.body
  if (refusal === 'ERR_LOGIN_REQUIRED' || refusal === 'ERR_UNVERIFIED') person.inside.delete(browser)
  note(
    world,
    person,
    `${name} ${path.slice(0, 60)} ${JSON.stringify(fields ?? {})} → ${answer.status} ${code}`,
  )
  return answer
}

export function note({ site }: World, person: Person, line: string): void {
  person.history.push(`${site.fake.now().toISOString()} ${line}`)
}

/** Notes a payment page that somebody was given; null for any other address. */
export function given(
  { site: { fake } }: World,
  person: Person,
  { url, browser = person.browsers[0]! }: { url: unknown; browser?: Person['browsers'][number] },
): string | null {
  if (typeof url !== 'string' || !url.includes('/c/pay/')) return null
  const id = url.split('/').at(-1)!
  const session = fake.objects.get(id)
  if (session?.object === 'checkout.session' && !person.sessions.has(id))
    person.sessions.set(id, {
      browser,
      signedOut: session.customer === null && session.customer_email === null,
      at: fake.now().getTime(),
    })
  return id
}

/** Another machine, on which nobody knows them yet. */
export function newBrowser({ site }: World, person: Person) {
  const browser = createBrowser(site.site)
  person.browsers.unshift(browser)
  // The last two stay in use.
  for (const old of person.browsers.splice(2)) person.inside.delete(old)
  return browser
}

/** Logs in by the link in a mail. False when no mail came, or the site was away. */
export async function login(world: World, person: Person, browser = person.browsers[0]!): Promise<boolean> {
  const { mails } = world.site
  const seen = mails.length
  await act(
    world,
    person,
    { name: 'login', path: '/membership/login', fields: { email: person.email } },
    browser,
  )
  const link = await mailed(world, { to: person.email, kind: 'magic-link', since: seen })
  if (link === null) return false
  const { status } = await act(world, person, { name: 'open the link', path: link }, browser)
  if (status === 200) person.inside.set(browser, world.site.fake.now().getTime())
  return status === 200
}

/** The path of the link in the newest mail of that kind; the outbox is worked off meanwhile as it would be. */
export async function mailed(
  { site }: World,
  wanted: { to: string; kind: string; since: number },
): Promise<string | null> {
  for (let tries = 0; tries < 4; tries++) {
    await new Promise((next) => setTimeout(next, 2))
    const found = site.mails
      .slice(wanted.since)
      .findLast(({ to, kind }) => to === wanted.to && kind === wanted.kind)
    const path = found && /https?:\/\/[^/\s]+(\/membership\/\S+)/.exec(found.text)?.[1]
    if (path) return path
    if (tries === 1 && site.instances() > 0) await site.m().runDueJobs()
  }
  return null
}
