/** The visit to a site that was started from a page: people look, buy, log in by a mail and read their invoice. */
import type { createBrowser } from '../../test/support/browser.ts'
import { until } from '../../test/support/browser.ts'
import { inChromium, picture } from '../hosts/in-browser.ts'
import { must, press } from '../hosts/walk.ts'
import type { RunningSite } from './running-site.ts'

type Browser = ReturnType<typeof createBrowser>

export const email = 'ada@example.com'
const invoiceOfSandbox = /[\w/]*\/membership\/invoices\/[^"]+/

/** How one site sells, and where it shows what. */
interface Shop {
  readonly buy: (site: RunningSite) => Promise<void>
  /** A page for members. */
  readonly archive: string
  /** The path of the site, where it is not the root of its host. */
  readonly base?: string
  readonly account?: string
  /** A path of the invoice, in the member's account. */
  readonly invoice?: RegExp
  /** The link of a login mail; by default what the site printed. */
  readonly mailedLink?: (site: RunningSite) => Promise<string>
}

/** Visits a site from a closed page to the invoice. */
export async function visit(site: RunningSite, shop: Shop): Promise<void> {
  const { archive, base = '' } = shop
  const { browser } = site
  must(!(await isOpen(site, archive)), 'a visitor passes the gate')
  await shop.buy(site)
  must(await isOpen(site, archive), 'the buyer is stopped at the gate')

  browser.cookies.clear()
  must(!(await isOpen(site, archive)), 'the gate stays open without a session')
  await logInByMail(site, shop.mailedLink, base)
  must(await isOpen(site, archive), 'the gate is closed after the login')
  await hasInvoice(site, shop.invoice ?? invoiceOfSandbox, shop.account ?? `${base}/membership/account`)
}

/** Members alone see the page: a 200 that is neither the first page nor the one that asks to join. */
export async function isOpen({ browser }: Pick<RunningSite, 'browser'>, path: string): Promise<boolean> {
  const answer = await browser.request(path)
  const html = await answer.text()
  return answer.status === 200 && !/This page is for members|>Log in</.test(html)
}

/** The first form of a page of prices that begins a subscription or a payment: where it leads, and its fields. */
export function firstOffer(
  html: string,
  kind: 'subscribe/' | 'payment',
): [action: string, fields: Record<string, string>] {
  const [form = ''] =
    new RegExp(`<form[^>]* action="[\\w/]*/membership/${kind}[\\s\\S]*?</form>`).exec(html) ?? []
  const [, action = ''] = /action="([^"]+)"/.exec(form) ?? []
  must(action !== '', `the prices offer nothing: ${html.slice(0, 400)}`)
  const fields = form.matchAll(/<(?:input|button)[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g)
  return [action, Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))]
}

/** Logs in with the link that the site mailed. */
export async function logInByMail(
  site: RunningSite,
  linkIn: Shop['mailedLink'] = ({ said }) => said(/(http\S+\/membership\/login\/[\w.~-]+)/),
  base = '',
): Promise<void> {
  const { browser } = site
  await browser.open(`${base}/membership/login`)
  const sent = await browser.submit(`${base}/membership/login`, { email })
  must(sent.status < 300, `the login form was answered ${sent.status}`)
  const link = await linkIn(site)
  must(link !== '', 'no mail with a login link arrives')
  const { pathname } = new URL(link)
  must(pathname.startsWith(`${base}/membership/`), `the mail leads to ${link}`)
  await browser.open(pathname)
  const loggedIn = await browser.submit(pathname, {})
  must(loggedIn.status === 200, `the login was answered ${loggedIn.status}`)
}

export async function hasInvoice(
  { browser }: RunningSite,
  path: RegExp,
  at = '/membership/account',
): Promise<void> {
  const account = await browser.open(at)
  const [invoice = ''] = path.exec(account.html) ?? []
  must(invoice !== '', 'the account has no invoice')
  const shown = await browser.open(invoice)
  must(shown.status === 200 && /€\d/.test(shown.html), `the invoice was answered ${shown.status}`)
}

async function payInSandbox(browser: Browser, paying: { path: string; html: string }): Promise<void> {
  must(paying.path.includes('/sandbox/checkout/'), `the purchase led to ${paying.path}`)
  const paid = await browser.submit(paying.path, { email, name: 'Ada', card: '4242424242424242' })
  must(paid.status === 200, `the payment was answered ${paid.status}`)
}

async function chooseAndPay({ browser }: RunningSite, prices: string, kind: 'subscribe/' | 'payment') {
  const { html } = await browser.open(prices)
  await payInSandbox(browser, await browser.order(...firstOffer(html, kind)))
}

/** The demo: a magazine with its own pages, and a mailbox that everybody can read. */
export async function visitDemo(site: RunningSite): Promise<void> {
  await visit(site, {
    buy: async (shown) => {
      await chooseAndPay(shown, '/pricing', 'subscribe/')
      // A plan may begin with free days, and an issue is paid at once.
      await chooseAndPay(shown, '/pricing', 'payment')
    },
    archive: '/articles/the-slow-line-south',
    account: '/account',
    mailedLink: linkInMailbox,
  })
  await inChromium(
    { name: 'the mailbox', site: site.origin, cookies: site.browser.cookies },
    async (_, member) => {
      const { page } = await member()
      await page.goto(`${site.origin}/demo/mailbox`, { waitUntil: 'networkidle' })
      await page
        .getByRole('link', { name: /log ?in/i })
        .first()
        .click()
      await page.waitForLoadState('networkidle')
      // The whole mail, with its button.
      await page.setViewportSize({ width: 900, height: 1150 })
      await picture(page, 'mailbox')
    },
  )
}

/** The login link of the demo's newest mails. */
async function linkInMailbox({ browser, origin }: RunningSite): Promise<string> {
  const find = async (): Promise<string> => {
    const { html } = await browser.open('/demo/mailbox')
    for (const [, path = ''] of html.matchAll(/href="(\/demo\/mailbox\/[^"/]+)"/g)) {
      const mail = await (await browser.request(`${path}/html`)).text()
      const [link] = /https?:\/\/[^"\s<]+\/membership\/login\/[\w.~-]+/.exec(mail) ?? []
      if (link !== undefined) return link
    }
    return ''
  }
  const link = await until(find, (found) => found !== '', 20_000)
  must(link.startsWith(origin) || link === '', `the mail leads to ${link}`)
  return link
}

/** A site that sells by the package's own page of prices. */
export function visitPrices(site: RunningSite, archive: string, base = ''): Promise<void> {
  return visit(site, {
    archive,
    base,
    buy: (shown) => chooseAndPay(shown, `${base}/membership/prices`, 'subscribe/'),
  })
}

/** The site of `init`: its first plan begins with free days, so the invoice is that of the handbook. */
export function visitInit(site: RunningSite): Promise<void> {
  return visit(site, {
    buy: async (shown) => {
      await chooseAndPay(shown, '/membership/prices', 'subscribe/')
      await chooseAndPay(shown, '/membership/prices', 'payment')
    },
    archive: '/archive',
  })
}

/** Next, whose first page has a form that posts to itself. */
export function visitNext(site: RunningSite): Promise<void> {
  return visit(site, {
    buy: async ({ browser, origin }) => {
      const answer = await press(origin, browser, '/')
      const location = answer.headers.get('location') ?? ''
      must(
        location !== '',
        `a purchase was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
      )
      await payInSandbox(browser, await browser.open(location))
    },
    archive: '/archive',
  })
}

/** A site that sells through Paddle. Paddle's fake has a page in place of Paddle.js, which no machine here can load. */
export function visitPaddle(site: RunningSite, paddle: string): Promise<void> {
  return visit(site, {
    buy: async ({ browser }) => {
      const { html } = await browser.open('/membership/prices')
      const answer = await browser.post(...firstOffer(html, 'subscribe/'))
      const url = new URL(answer.headers.get('location') ?? '/', site.origin)
      must(url.searchParams.has('_ptxn'), `the purchase was answered ${answer.status} and led to ${url}`)
      const page = await browser.open(url.pathname + url.search)
      must(page.html.includes('paddle.js'), 'the page of the purchase does not load Paddle.js')
      const body = new URLSearchParams({ email, card: '4242424242424242' })
      const paid = await fetch(`${paddle}/pay${url.search}`, { method: 'POST', body })
      must(paid.ok, `the payment was answered ${paid.status}`)
      // Paddle.js leads the buyer there.
      await browser.open(/data-success="([^"]+)"/.exec(page.html)?.[1] ?? '/')
    },
    archive: '/archive',
    // Paddle keeps the invoice; the site has a confirmation of the payment.
    invoice: /\/membership\/payments\/[^"]+/,
  })
}
