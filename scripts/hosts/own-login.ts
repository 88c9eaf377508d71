/** Copies the sites of docs/your-own-login.md into an empty folder, and walks each: `npm run hosts own-login`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrowser, until } from '../../test/support/browser.ts'
import { freePort } from '../../test/support/databases.ts'
import { installInto } from '../install.ts'
import { must } from './walk.ts'

type Browser = ReturnType<typeof createBrowser>

interface Site {
  readonly browser: Browser
  readonly origin: string
  /** Waits for a line of the site's output, such as a mail. */
  readonly said: (line: RegExp) => Promise<string>
}

const page = join(import.meta.dirname, '../../docs/your-own-login.md')
const email = 'ada@example.com'
const password = 'correct horse battery staple'

/** The files of a page, by name: blocks such as ```ts server.ts. */
export function filesOf(markdown: string): { name: string; code: string }[] {
  return [...markdown.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
    name,
    code,
  }))
}

/** The packages that a page installs, without the package itself. */
export function packagesOf(markdown: string): string[] {
  const lines = [...markdown.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)].flatMap(([, names = '']) =>
    names.split(/\s+/),
  )
  return [...new Set(lines)].filter((name) => name !== '' && name !== 'membership')
}

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

/** Walks every site of the page; true if all went well. */
export async function walkOwnLogins(tarball: (place: string) => string): Promise<boolean> {
  const markdown = readFileSync(page, 'utf8')
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-own-login-'))
  if (kept === undefined) installInto(folder, [tarball(folder), ...packagesOf(markdown)])
  for (const { name, code } of filesOf(markdown)) writeFileSync(join(folder, name), code)
  let isWell = true
  for (const name of Object.keys(logins)) {
    const began = Date.now()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const env = { ...process.env, PORT: String(port), ADA_PASSWORD: password, NODE_ENV: 'development' }
    const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', `${name}.ts`], {
      cwd: folder,
      env,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
      })
    const said = async (line: RegExp): Promise<string> => {
      await until(
        async () => output,
        (text) => line.test(text),
        20_000,
      )
      return line.exec(output)?.[1] ?? ''
    }
    try {
      await until(
        () =>
          fetch(origin).then(
            () => true,
            () => false,
          ),
        (isUp) => isUp || child.exitCode !== null,
      )
      await walkOne({ browser: createBrowser(origin), origin, said }, name)
      console.log(`✔ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    } catch (error) {
      isWell = false
      console.log(`✘ ${name}\n${(error as Error).message}\n${output.slice(0, 4000)}`)
    } finally {
      child.kill('SIGKILL')
    }
  }
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  return isWell
}
