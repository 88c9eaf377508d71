import { setTimeout as pause } from 'node:timers/promises'
import { type FakeStripe, signed } from '../../src/testkit/index.ts'
import { createBrowser, tokenOf, until } from '../../test/support/browser.ts'
import {
  customerObject,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../test/support/stripe-events.ts'

/** What a host's run showed; `wrong` is the first thing that was not as it must be. */
export interface Walked {
  readonly events: boolean
  readonly gate: boolean
  readonly sells: boolean
  readonly wrong?: string
}

/** A site that runs, and who plays its provider. */
export interface Place {
  readonly site: string
  readonly fake: FakeStripe
  readonly secret: string
  readonly showsLocked: boolean
  /** Whether that address is a member with the price, in the site's own database. */
  readonly isMember: (email: string) => Promise<boolean>
  /** Makes a member who bought nothing, in the site's own database. */
  readonly join: (email: string) => Promise<void>
  /** Everything that the site printed, such as its mails. */
  readonly printed: () => string
  /** Every way to read the closed text that the host offers, by name. */
  readonly ways?: Ways | undefined
  /** Addresses that have the closed text for nobody. */
  readonly noWays?: Ways | undefined
  /** Looks further with the browser of the buyer. */
  readonly boughtBy?: (buyer: Browser) => Promise<void>
}

/** Addresses at which a host shows a text, with what else is sent. */
export type Ways = Readonly<Record<string, string | readonly [path: string, init: RequestInit]>>

/** Walks a running site as strangers, a provider and a buyer would, until something is not as it must be. */
export async function walk(place: Place): Promise<Walked> {
  const shown = { events: false, gate: false, sells: false }
  try {
    await up(place.site)
    const visitor = createBrowser(place.site)
    await isStopped(place, visitor)
    await isTold(place)
    shown.events = true
    if (place.ways !== undefined) {
      await readsNothing(place, createBrowser(place.site), 'a visitor')
      await readsNothing(place, await memberWithoutPlan(place), 'a member without the plan')
    }
    await buys(place, visitor)
    if (place.ways !== undefined) {
      await readsEverything(place, visitor)
      // What the buyer was shown is kept for nobody else.
      await readsNothing(place, createBrowser(place.site), 'a visitor after the buyer')
    }
    await place.boughtBy?.(visitor)
    shown.gate = true
    await press(place.site, visitor, '/cancel')
    mustBeCancelled(place.fake)
    shown.sells = true
    return shown
  } catch (error) {
    return { ...shown, wrong: (error as Error).message }
  }
}

/** @throws where the cancellation did not reach the provider */
export function mustBeCancelled(fake: FakeStripe): void {
  const [subscription] = fake.objects.list('subscription') as { cancel_at_period_end: boolean }[]
  must(subscription?.cancel_at_period_end === true, 'the cancellation did not reach the provider')
}

async function isStopped({ showsLocked }: Place, visitor: Browser): Promise<void> {
  const stopped = await visitor.request('/archive')
  const isAway = stopped.status === 403 || (stopped.status >= 300 && stopped.status < 400)
  must(isAway, `a visitor was answered ${stopped.status} behind the gate`)
  await stopped.text()
  if (!showsLocked) return
  const locked = await visitor.request('/archive', { headers: { accept: 'text/html' } })
  const page = await locked.text()
  const isShown = locked.status === 403 && page.includes('<html') && page.includes('/membership/login')
  must(isShown, `a browser behind the gate was answered ${locked.status}: ${page.slice(0, 200)}`)
}

async function isTold({ site, secret, isMember }: Place): Promise<void> {
  const hook = `${site}/membership/webhooks/stripe`
  const forged = await fetch(hook, {
    method: 'POST',
    body: '{}',
    headers: { 'stripe-signature': 't=1,v1=00' },
  })
  must(forged.status === 403, `a bad signature was answered ${forged.status}`)

  const item = subscriptionItem({ price: { id: 'price_pro' } })
  for (const event of [
    stripeEvent('customer.created', customerObject({ email: 'told@example.com' })),
    stripeEvent('customer.subscription.created', subscriptionObject({ items: { data: [item] } })),
  ]) {
    const { body, headers } = signed('stripe', event, { secret })
    const taken = await fetch(hook, {
      method: 'POST',
      body: new Uint8Array(body),
      // As the provider says it: SvelteKit reads no body without.
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    })
    const said = await taken.text()
    must(taken.status === 200 && /processed/.test(said), `a signed event was answered ${taken.status}`)
  }
  must(await isMember('told@example.com'), 'signed events made no member')
}

async function buys({ site, fake }: Place, visitor: Browser): Promise<void> {
  const url = await buy(site, visitor)
  must(url.startsWith(fake.url), `a purchase led to ${url}`)
  await fake.pay(new URL(url).pathname.split('/').at(-1)!, { email: 'ann@example.com' })
  await fake.deliver()
  const [session] = fake.objects.list('checkout.session') as { success_url: string }[]
  const back = new URL(session!.success_url)
  await (await visitor.request(`${back.pathname}${back.search}`)).text()
  const archive = await visitor.request('/archive')
  const page = await archive.text()
  must(
    archive.status === 200 && page.includes('The archive.'),
    `the buyer was answered ${archive.status}: ${page.slice(0, 200)}`,
  )
  const shared = archive.headers.get('cache-control') ?? ''
  must(/private/.test(shared) && /no-store/.test(shared), `a paid page says Cache-Control: ${shared}`)
}

type Browser = ReturnType<typeof createBrowser>

const closedText = 'CLOSED-TEXT'

async function textsFor(
  { ways = {}, site, fake, secret }: Place,
  browser: Browser,
): Promise<[string, string][]> {
  const texts: [string, string][] = []
  for (const [name, way] of Object.entries(ways)) {
    const [path, init] = typeof way === 'string' ? [way, {}] : way
    let answer = await browser.request(path, init)
    for (let hops = 0; hops < 3 && answer.headers.has('location'); hops++)
      answer = await browser.request(new URL(answer.headers.get('location')!, site).href, init)
    const text = await answer.text()
    must(!text.includes(fake.secret) && !text.includes(secret), `${name} has a secret of the site`)
    texts.push([name, text])
  }
  return texts
}

async function readsNothing(place: Place, browser: Browser, who: string): Promise<void> {
  const tried = { ...place, ways: { ...place.ways, ...place.noWays } }
  const open = (await textsFor(tried, browser)).filter(([, text]) => text.includes(closedText))
  must(open.length === 0, `${who} reads the closed text by: ${open.map(([name]) => name).join(', ')}`)
  const map = await (await browser.request('/sitemap.xml')).text()
  must(map.includes('/archive') && !map.includes(closedText), `the sitemap: ${map.slice(0, 200)}`)
}

// Else an empty answer would pass for a closed one.
async function readsEverything(place: Place, browser: Browser): Promise<void> {
  const closed = (await textsFor(place, browser)).filter(([, text]) => !text.includes(closedText))
  const said = closed.map(([name, text]) => `${name} (${text.slice(0, 200)})`).join(', ')
  must(closed.length === 0, `the buyer does not read by: ${said}`)
}

async function memberWithoutPlan({ site, join, printed }: Place): Promise<Browser> {
  const email = 'bob@example.com'
  await join(email)
  const browser = createBrowser(site)
  await sendForm(site, browser, { path: '/membership/login', fields: { email } })
  const link = /To bob@example\.com[\s\S]*?(http\S+\/membership\/login\/[\w.~-]+)/
  await until(
    async () => printed(),
    (text) => link.test(text),
    20_000,
  )
  const { pathname } = new URL(link.exec(printed())?.[1] ?? site)
  await sendForm(site, browser, { path: pathname, fields: {} })
  const account = await browser.open('/membership/account')
  must(account.html.includes(email), `the member without the plan is not logged in: ${account.status}`)
  return browser
}

// With its origin: frameworks take no form without one.
async function sendForm(
  site: string,
  browser: Browser,
  { path, fields }: { readonly path: string; readonly fields: Readonly<Record<string, string>> },
): Promise<void> {
  const { html } = await browser.open(path)
  const body = new URLSearchParams({ token: tokenOf(html), ...fields })
  const sent = await browser.request(path, { method: 'POST', headers: { origin: site }, body })
  must(sent.status < 400, `the form of ${path} was answered ${sent.status}: ${await sent.text()}`)
}

async function buy(site: string, visitor: Browser): Promise<string> {
  const answer = await press(site, visitor, '/buy')
  const location = answer.headers.get('location') ?? ''
  must(location !== '', `a purchase was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`)
  return location
}

/** A button of the site: the route of that name, or, where the first page has a form that posts to itself, that. */
export async function press(site: string, visitor: Browser, route: string): Promise<Response> {
  const html = await (await visitor.request('/')).text()
  const headers = { origin: site }
  if (!html.includes('$ACTION')) return visitor.request(route, { method: 'POST', headers })
  const body = new FormData()
  for (const [, name = '', value = ''] of html.matchAll(
    /<(?:input|button)[^>]*? name="([^"]+)"(?: value="([^"]*)")?/g,
  ))
    body.append(name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
  return visitor.request('/', { method: 'POST', headers, body })
}

/** Waits for a site that starts. */
export async function up(site: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (
      await fetch(site).then(
        () => true,
        () => false,
      )
    )
      return
    await pause(200)
  }
  throw new Error('the site did not come up within a minute')
}

/** @throws what is said otherwise */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
