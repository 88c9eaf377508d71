/** Copies the sites of docs/your-own-login.md into an empty folder, and walks each: `npm run hosts own-login`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/support/databases.ts'
import { installInto } from '../install.ts'
import { filesIn, packagesIn, type RunningSite, startSite } from './running-site.ts'
import { must } from './walk.ts'

type Site = RunningSite

const page = join(import.meta.dirname, '../../docs/your-own-login.md')
const email = 'ada@example.com'
const password = 'correct horse battery staple'

/** How a person of each site proves their address and logs in. */
const logins: Readonly<
  Record<string, { signUp: (site: Site) => Promise<void>; logIn: (site: Site) => Promise<void> }>
> = {
  express: {
    signUp: async (site) => {
      await site.browser.post('/signup', { email, password })
      await site.browser.post('/login', { email, password })
      const { html } = await site.browser.open('/')
      must(html.includes('action="/login"'), 'an address without a proof counts as logged in')
      await site.browser.open((await site.said(/confirm your address: (\S+)/)) || '/')
    },
    logIn: async ({ browser }) => {
      const answer = await browser.post('/login', { email, password })
      must(answer.status === 302, `the login was answered ${answer.status}`)
    },
  },
  'better-auth': {
    signUp: async (site) => {
      const answer = await json(site, '/api/auth/sign-up/email', { email, password, name: 'Ada' })
      must(answer.ok, `the sign-up was answered ${answer.status}: ${await answer.text()}`)
      const { html } = await site.browser.open('/')
      must(html.includes('Log in'), 'an address without a proof counts as logged in')
      const link = new URL(await site.said(/confirm your address: (\S+)/))
      await site.browser.open(link.pathname + link.search)
      site.browser.cookies.clear()
    },
    logIn: async (site) => {
      const answer = await json(site, '/api/auth/sign-in/email', { email, password })
      must(answer.ok, `the login was answered ${answer.status}: ${await answer.text()}`)
    },
  },
  authjs: {
    signUp: async () => undefined,
    logIn: async ({ browser }) => {
      const { csrfToken } = (await (await browser.request('/auth/csrf')).json()) as { csrfToken: string }
      const body = new URLSearchParams({ csrfToken, email, password })
      const answer = await browser.request('/auth/callback/credentials', { method: 'POST', body })
      must(answer.status === 302, `the login was answered ${answer.status}`)
    },
  },
}

const json = ({ browser, origin }: Site, path: string, body: unknown): Promise<Response> =>
  browser.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin },
  })

/** Buys as a member does: the button of the first page, the checkout, the page after paying. */
async function buy({ browser }: Site): Promise<void> {
  const { html } = await browser.open('/')
  const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const given = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
  const paying = await browser.submit(action, given)
  const paid = await browser.submit(paying.path, { email, name: 'Ada', card: '4242424242424242' })
  must(paid.status === 200, `the payment was answered ${paid.status}`)
}

async function walkOne(site: Site, name: string): Promise<void> {
  const { browser } = site
  const login = logins[name]!
  const stopped = await browser.open('/archive')
  must(stopped.status === 403, `a visitor was answered ${stopped.status} behind the gate`)
  await login.signUp(site)
  await login.logIn(site)
  await buy(site)
  must((await browser.open('/archive')).html === 'The archive.', 'the buyer is stopped at the gate')

  browser.cookies.clear()
  must((await browser.open('/archive')).status === 403, 'the gate stays open after the logout')
  await login.logIn(site)
  must((await browser.open('/archive')).html === 'The archive.', 'the purchase is not of the login')
  const account = await browser.open('/membership/account')
  const [, invoice = ''] = /href="(\/membership\/invoices\/[^"]+)"/.exec(account.html) ?? []
  must(invoice !== '', 'the account has no invoice')
  const shown = await browser.open(invoice)
  must(shown.status === 200 && shown.html.includes('€9'), `the invoice was answered ${shown.status}`)
}

/** Walks every site of the page, or those named; true if all went well. */
export async function walkOwnLogins(
  tarball: (place: string) => string,
  names: readonly string[] = Object.keys(logins),
): Promise<boolean> {
  const markdown = readFileSync(page, 'utf8')
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-own-login-'))
  if (kept === undefined) installInto(folder, [tarball(folder), ...packagesIn(markdown)])
  for (const { name, code } of filesIn(markdown)) writeFileSync(join(folder, name), code)
  let isWell = true
  for (const name of names) {
    const began = Date.now()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const env = { ...process.env, PORT: String(port), ADA_PASSWORD: password, NODE_ENV: 'development' }
    const running = await startSite([process.execPath, '--import', 'tsx', `${name}.ts`], {
      cwd: folder,
      origin,
      env,
    })
    try {
      await walkOne(running.site, name)
      console.log(`✔ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    } catch (error) {
      isWell = false
      console.log(`✘ ${name}\n${(error as Error).message}\n${running.output().slice(0, 4000)}`)
    } finally {
      running.stop()
    }
  }
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  return isWell
}
