/**
 * The visits of people to sites with logins of their own: docs/your-own-login.md, passport.md, authjs.md and
 * better-auth.md.
 */
import { join } from 'node:path'
import { createMembership } from '../../src/index.ts'
import { createBrowser, tokenOf, until } from '../../test/support/browser.ts'
import { inChromium, mustBeAccessible, picture } from '../hosts/in-browser.ts'
import { must } from '../hosts/walk.ts'
import type { RunningSite } from './running-site.ts'

interface Site extends RunningSite {
  /** True if a member has that address, in the site's own database. */
  readonly isMember: (email: string) => Promise<boolean>
}

const email = 'ada@example.com'
const bob = 'bob@example.com'
const password = 'correct horse battery staple'

/** How a person of each site proves their address and logs in. */
interface Login {
  readonly signUp: (site: Site) => Promise<void>
  readonly logIn: (site: Site) => Promise<void>
  /** True if the login has a session for this browser; absent where logout and deletion are the site's own. */
  readonly isLoggedIn?: (site: Site) => Promise<boolean>
  readonly more?: (site: Site) => Promise<void>
}
const logins: Readonly<Record<string, Login>> = {
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
    isLoggedIn: async ({ browser }) =>
      (await (await browser.request('/api/auth/get-session')).json()) !== null,
    more: async (site) => {
      await withTeam(site)
      await deletedThere(site)
    },
  },
  passport: {
    signUp: async (site) => {
      await site.browser.post('/login', { email: 'eve@example.com', password })
      must((await site.browser.open('/me')).html.includes('eve@'), 'Passport does not know Eve')
      const { html } = await site.browser.open('/')
      must(html.includes('Log in'), 'an address without a proof counts as logged in')
      site.browser.cookies.clear()
      const wanting = await site.browser.open('/membership/login?redirect=/membership/account')
      must(wanting.path === '/login', `the login here sent a visitor to ${wanting.path}`)
    },
    logIn: async ({ browser }) => {
      const answer = await browser.post('/login', { email, password })
      must(answer.headers.get('location') === '/', `the login was answered ${answer.status}`)
    },
    isLoggedIn: async ({ browser }) => (await (await browser.request('/me')).json()) !== null,
    more: (site) => leaves(site, ({ browser }) => browser.post('/login', { email: bob, password })),
  },
  authjs: {
    signUp: async (site) => {
      await logInAtAuthJs(site, 'eve@example.com')
      const session = await (await site.browser.request('/auth/session')).text()
      must(session.includes('eve@'), `Auth.js does not know Eve: ${session}`)
      const { html } = await site.browser.open('/')
      must(html.includes('Log in'), 'an address without a proof counts as logged in')
      site.browser.cookies.clear()
    },
    logIn: (site) => logInAtAuthJs(site, email),
    isLoggedIn: async ({ browser }) => (await (await browser.request('/auth/session')).json()) !== null,
    more: (site) => leaves(site, (own) => logInAtAuthJs(own, bob)),
  },
}

async function logInAtAuthJs({ browser }: Site, address: string): Promise<void> {
  const { csrfToken } = (await (await browser.request('/auth/csrf')).json()) as { csrfToken: string }
  const body = new URLSearchParams({ csrfToken, email: address, password })
  const answer = await browser.request('/auth/callback/credentials', { method: 'POST', body })
  must(answer.status === 302, `the login of ${address} was answered ${answer.status}`)
}

/** A user whom the site deletes at the login is deleted here. */
async function leaves(site: Site, logIn: (own: Site) => Promise<unknown>): Promise<void> {
  const own = { ...site, browser: createBrowser(site.origin) }
  await logIn(own)
  await buy(own)
  must(await site.isMember(bob), 'the buyer is no member')
  await own.browser.post('/leave', {})
  must(!(await site.isMember(bob)), 'the member stays after the deletion there')
}

/** Signs a person up at better-auth and logs them in. */
async function arrive(site: Site, address: string): Promise<Site> {
  const own = { ...site, browser: createBrowser(site.origin) }
  const made = await json(own, '/api/auth/sign-up/email', { email: address, password, name: address })
  must(made.ok, `the sign-up was answered ${made.status}`)
  const mail = new RegExp(`Mail to ${address}: confirm your address: (\\S+)`)
  const link = new URL(await site.said(mail))
  await own.browser.open(link.pathname + link.search)
  own.browser.cookies.clear()
  const answer = await json(own, '/api/auth/sign-in/email', { email: address, password })
  must(answer.ok, `the login of ${address} was answered ${answer.status}`)
  return own
}

/** An organisation of better-auth beside a team of ours. Somebody who accepts gets a seat; a removed person loses it. */
async function withTeam(site: Site): Promise<void> {
  const owner = await arrive(site, 'owner@example.com')
  await buy(owner, '/team')
  const made = await json(owner, '/api/auth/organization/create', { name: 'Ink', slug: 'ink' })
  const { id: organizationId } = (await made.json()) as { id: string }
  const guest = await arrive(site, 'guest@example.com')
  must((await guest.browser.open('/archive')).status === 403, 'a guest reads without a seat')
  const wish = { email: 'guest@example.com', role: 'member', organizationId }
  const asked = await json(owner, '/api/auth/organization/invite-member', wish)
  const invitation = (await asked.json()) as { id: string }
  must(asked.ok, `the invitation was answered ${asked.status}: ${JSON.stringify(invitation)}`)
  const accepted = await json(guest, '/api/auth/organization/accept-invitation', {
    invitationId: invitation.id,
  })
  must(accepted.ok, `accepting was answered ${accepted.status}: ${await accepted.text()}`)
  const mailed = await site.said(/(http\S+\/membership\/join\/[\w.-]+)/)
  const { pathname } = new URL(mailed)
  await guest.browser.open(pathname)
  const joined = await guest.browser.submit(pathname, {})
  must(joined.status === 200, `taking the seat was answered ${joined.status}`)
  must((await guest.browser.open('/archive')).html === 'The archive.', 'a seat opens nothing')
  await showsAccount(owner, 'better-auth')
  const removed = await json(owner, '/api/auth/organization/remove-member', {
    memberIdOrEmail: 'guest@example.com',
    organizationId,
  })
  must(removed.ok, `removing was answered ${removed.status}: ${await removed.text()}`)
  must((await guest.browser.open('/archive')).status === 403, 'a removed person reads on')
}

/** A user deleted at better-auth is deleted here. */
async function deletedThere(site: Site): Promise<void> {
  const leaver = await arrive(site, 'leaver@example.com')
  await buy(leaver)
  must(await site.isMember('leaver@example.com'), 'the buyer is no member')
  const gone = await json(leaver, '/api/auth/delete-user', { password })
  must(gone.ok, `the deletion there was answered ${gone.status}: ${await gone.text()}`)
  must(!(await site.isMember('leaver@example.com')), 'the member stays after the deletion there')
}

/** Logout and deletion here hold at the login, too. */
async function agrees(site: Site, login: Login): Promise<void> {
  const { browser } = site
  const isLoggedIn = login.isLoggedIn!
  await browser.open('/membership/account')
  await browser.submit('/membership/logout', {})
  must(!(await isLoggedIn(site)), 'the session of the login goes on after the logout here')
  await login.more?.(site)
  await login.logIn(site)
  const page = await browser.open('/membership/account/delete')
  must(tokenOf(page.html) !== '', `the page of the deletion was answered ${page.status}`)
  await browser.submit('/membership/account/delete', { confirm: 'delete' })
  must(!(await isLoggedIn(site)), 'the session of the login goes on after the deletion here')
  must(!(await site.isMember(email)), 'the member stays after the deletion here')
  const logsIn = () => {
    // A session in a token goes on when its user is gone, so each try begins without one.
    browser.cookies.clear()
    return login.logIn(site).then(
      () => isLoggedIn(site),
      () => false,
    )
  }
  must(
    !(await until(logsIn, (isThere) => !isThere, 20_000)),
    'the user stays at the login after the deletion here',
  )
}

function json({ browser, origin }: Site, path: string, body: unknown): Promise<Response> {
  return browser.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin },
  })
}

/** Buys as a member does: the button of the first page, the checkout, the page after paying. */
async function buy({ browser }: Site, at = '/'): Promise<string> {
  const { html } = await browser.open(at)
  const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const given = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
  const paying = await browser.submit(action, given)
  const paid = await browser.submit(paying.path, { email, name: 'Ada', card: '4242424242424242' })
  must(paid.status === 200, `the payment was answered ${paid.status}`)
  return paying.html
}

/** Express offers a page by these addresses, and to programs. */
async function readsNothing({ browser }: Site, who: string): Promise<void> {
  const json = { headers: { accept: 'application/json' } }
  for (const [path, init] of [['/archive'], ['/archive/'], ['/ARCHIVE'], ['/archive', json]] as [
    string,
    RequestInit?,
  ][]) {
    const answer = await browser.request(path, init)
    const text = await answer.text()
    must(
      answer.status === 403 && !text.includes('The archive.'),
      `${who} was answered ${answer.status} by ${path}: ${text.slice(0, 200)}`,
    )
  }
}

async function walkOne(site: Site, name: string): Promise<void> {
  const { browser } = site
  const login = logins[name]!
  await readsNothing(site, 'a visitor')
  await login.signUp(site)
  await login.logIn(site)
  await readsNothing(site, 'a member without the plan')
  const checkout = await buy(site)
  must(checkout.includes(email), 'the checkout does not know the address of the login')
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
  if (name !== 'better-auth') await showsAccount(site, name)
  if (login.isLoggedIn !== undefined) await agrees(site, login)
}

/** Opens the account in a real browser, with the cookies of the login. */
async function showsAccount({ browser, origin }: Site, name: string): Promise<void> {
  await inChromium({ name, site: origin, cookies: browser.cookies }, async (_, member) => {
    const { page } = await member()
    await page.goto(`${origin}/membership/account`, { waitUntil: 'networkidle' })
    await picture(page, name)
    await mustBeAccessible(page, 'the account')
  })
}

/** Visits one of these sites, in the folder where it keeps its data. */
export function visitOwnLogin(site: RunningSite, name: string, folder: string): Promise<void> {
  const isMember = (address: string) => isMemberIn(join(folder, 'data/membership.db'), address)
  return walkOne({ browser: site.browser, origin: site.origin, said: site.said, isMember }, name)
}

async function isMemberIn(file: string, address: string): Promise<boolean> {
  const m = await createMembership({
    root: false,
    install: false,
    'membership.database.url': `sqlite:${file}`,
  })
  try {
    return (await m.users.findByEmail(address)) !== null
  } finally {
    await m.close()
  }
}
