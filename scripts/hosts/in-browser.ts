/** Looks at a running site in Chromium, as the buyer or as a visitor. `PICTURES` names a folder for pictures of pages. */
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import type { FakeStripe } from '../../src/testkit/index.ts'
import { tabTo } from '../../test/browser/keyboard.ts'
import { violations } from '../../test/browser/looks.ts'
import { findChromium, launchChromium } from '../../test/support/chromium.ts'
import { must } from './walk.ts'

/** A running site with the cookies of its buyer, and everything that nobody may find in what browsers get. */
export interface Shown {
  readonly name: string
  readonly site: string
  readonly fake: FakeStripe
  readonly cookies: ReadonlyMap<string, string>
  readonly secrets: readonly string[]
}

interface Visit {
  readonly page: Page
  /** Every text that the browser got, by its address. */
  readonly texts: () => Promise<readonly (readonly [url: string, text: string])[]>
}

const closedText = 'CLOSED-TEXT'

/** Opens Chromium for a look; without Chromium it only says so. */
export async function inChromium(
  { name, site, cookies }: Pick<Shown, 'name' | 'site' | 'cookies'>,
  look: (visitor: () => Promise<Visit>, buyer: () => Promise<Visit>) => Promise<void>,
): Promise<void> {
  const executable = findChromium()
  if (executable === null) return console.log(`No Chromium here: ${name} is not looked at.`)
  const chromium = await launchChromium(executable)
  const visit = async (given: ReadonlyMap<string, string>): Promise<Visit> => {
    const viewport = { width: 900, height: 560 }
    const context = await chromium.newContext({ bypassCSP: true, viewport, locale: 'en-GB' })
    context.setDefaultTimeout(60_000)
    await context.addCookies([...given].map(([cookie, value]) => ({ name: cookie, value, url: site })))
    return { page: await context.newPage(), texts: textsOf(context) }
  }
  try {
    await look(
      () => visit(new Map()),
      () => visit(cookies),
    )
  } finally {
    await chromium.close()
  }
}

function textsOf(context: BrowserContext): Visit['texts'] {
  const texts: Promise<readonly [string, string]>[] = []
  context.on('response', (answer) => {
    // A redirect has no body.
    texts.push(
      answer.text().then(
        (text) => [answer.url(), text] as const,
        () => [answer.url(), ''] as const,
      ),
    )
  })
  return () => Promise.all(texts)
}

/** Saves a picture, if a folder is named. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) })
}

/**
 * Follows the link of the first page to the closed one, as a browser does: the host's own script loads it
 * before the click, and changes the page without a new document.
 */
export async function followsLink(shown: Shown): Promise<void> {
  await inChromium(shown, async (visitor, buyer) => {
    const closed = await visitor()
    await follow(closed.page, shown.site)
    const leaks = (await closed.texts()).filter(([, text]) => text.includes(closedText))
    must(leaks.length === 0, `a visitor’s browser gets the closed text from ${leaks.map(([url]) => url)}`)
    must(!(await closed.page.content()).includes(closedText), 'a visitor’s browser shows the closed text')
    await closed.page.goto(`${shown.site}/archive`, { waitUntil: 'networkidle' })
    await picture(closed.page, shown.name)
    await mustBeAccessible(closed.page, 'the page of a visitor')

    const open = await buyer()
    await follow(open.page, shown.site)
    await open.page
      .getByText(closedText)
      .first()
      .waitFor()
      .catch(() => undefined)
    must((await open.page.content()).includes(closedText), 'the buyer’s link does not show the text')
  })
}

async function follow(page: Page, site: string): Promise<void> {
  await page.goto(site, { waitUntil: 'networkidle' })
  const link = page.getByRole('link', { name: 'The archive' })
  await link.hover()
  await page.waitForLoadState('networkidle')
  await link.click()
  await page.waitForURL(/\/archive$/)
  await page.waitForLoadState('networkidle')
}

/** @throws with what axe-core finds in the page */
export async function mustBeAccessible(page: Page, what: string): Promise<void> {
  const found = await violations(page, null)
  must(found.length === 0, `axe-core finds in ${what}: ${found.join('\n')}`)
}

/**
 * Uses the parts of `membership/react` with the keyboard, on the page `/react` and, without a rendering on
 * the server, on `/react/browser`. Then looks for secrets in everything that the browsers got.
 */
export async function usesReactParts(shown: Shown): Promise<void> {
  const { site, fake } = shown
  await inChromium(shown, async (visitor, buyer) => {
    const reader = await visitor()
    for (const path of ['/react', '/react/browser']) {
      await reader.page.goto(site + path, { waitUntil: 'networkidle' })
      await mustBeAccessible(reader.page, `${path} of a visitor`)
      must(
        (await reader.page.getByRole('region', { name: 'Pro' }).count()) > 0,
        `${path} has no region of the plan`,
      )
      const buy = reader.page.getByRole('link', { name: /: Pro, / }).first()
      await tabTo(reader.page, buy)
      if (path === '/react') await picture(reader.page, 'react')
      await reader.page.keyboard.press('Enter')
      await reader.page.waitForURL(/\/membership\//)
    }
    mustAskOnce(await reader.texts(), 1)
    mustHide(await reader.texts(), [...secretsOf(shown), ...idsAt(fake), 'ann@example.com', closedText])

    const owner = await buyer()
    for (const path of ['/react', '/react/browser']) {
      await owner.page.goto(site + path, { waitUntil: 'networkidle' })
      await mustBeAccessible(owner.page, `${path} of the buyer`)
      const card = owner.page.getByRole('region', { name: /account/i }).first()
      must((await card.getByText('Pro').count()) > 0, `${path}: the card of the buyer does not show the plan`)
      const button = owner.page.getByRole('button', { name: 'Export' })
      await tabTo(owner.page, button)
      const again = owner.page.waitForResponse(/\/membership\/me$/)
      await owner.page.keyboard.press('Enter')
      must((await again).status() === 200, `${path}: the hook does not load the visitor again`)
      await button.waitFor()
    }
    // Twice by its button, and once without a rendering on the server.
    mustAskOnce(await owner.texts(), 3)
    const [own = ''] = idsAt(fake, 'subscription').slice(-1)
    const others = idsAt(fake).filter((id) => id !== own)
    const session = shown.cookies.get('membership_session') ?? ''
    must(session !== '', 'the buyer has no session')
    mustHide(await owner.texts(), [...secretsOf(shown), ...others, session])
  })
}

function mustAskOnce(texts: Awaited<ReturnType<Visit['texts']>>, times: number): void {
  const asked = texts.filter(([url]) => url.endsWith('/membership/me')).length
  must(asked === times, `GET /membership/me was asked ${asked} times instead of ${times}`)
}

function secretsOf({ secrets }: Shown): string[] {
  return [...secrets, 'told@example.com', 'bob@example.com']
}

/** Every id that the provider gave to what it keeps for buyers. */
function idsAt(fake: FakeStripe, ...kinds: readonly Kind[]): string[] {
  return (kinds.length > 0 ? kinds : allKinds).flatMap((kind) =>
    (fake.objects.list(kind) as { id: string }[]).map(({ id }) => id),
  )
}
const allKinds = ['customer', 'subscription', 'invoice', 'payment_intent', 'checkout.session'] as const
type Kind = (typeof allKinds)[number]

function mustHide(texts: Awaited<ReturnType<Visit['texts']>>, hidden: readonly string[]): void {
  must(texts.length > 0, 'the browser got nothing')
  for (const [url, text] of texts)
    for (const secret of hidden) must(!text.includes(secret), `${url} has ${secret}`)
}
