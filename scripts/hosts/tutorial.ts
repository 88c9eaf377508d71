/**
 * Walks the guides from the start to a server by their own code blocks: `npm run hosts tutorial`. Stripe's
 * test mode is Stripe's fake server. The server is a fresh Debian 12 with systemd and Caddy, whose
 * certificate comes from Caddy itself. It needs root, and Debian's packages `debootstrap`,
 * `systemd-container`, `slirp4netns`, `openssh-client` and `rsync`. `TUTORIAL_FOLDER` keeps the machine for
 * the next walk.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, setGlobalDispatcher } from 'undici'
import { createFakeStripe, type FakeStripe } from '../../src/testkit/index.ts'
import { createBrowser, until } from '../../test/support/browser.ts'
import { freePort } from '../../test/support/databases.ts'
import { withBuiltSqlite } from '../install.ts'
import { blocksIn } from '../walks/blocks.ts'
import { type RunningSite, startSite } from '../walks/running-site.ts'
import { email, firstOffer, hasInvoice, isOpen, logInByMail } from '../walks/visits.ts'
import { bootDebian, noDebian } from './debian.ts'
import { must } from './walk.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const pages = { start: 'docs/start.md', stripe: 'docs/connect-stripe.md', live: 'docs/go-live.md' } as const
const webhookSecret = 'whsec_of_the_tutorial'
const payment = /\/membership\/payments\/[^"]+/

/** Walks all steps; true if all went well. */
export async function walkTutorial(tarballIn: (place: string) => string): Promise<boolean> {
  const place = mkdtempSync(join(tmpdir(), 'membership-tutorial-'))
  let debian: Awaited<ReturnType<typeof bootDebian>> | null = null
  try {
    const packed = tarballIn(place)
    const tarball = join(place, basename(packed))
    if (packed !== tarball) cpSync(packed, tarball)
    const site = initSite(place, tarball)
    step('steps 1 and 2: init and npm install')
    await walkTestMode(site)
    const reason = noDebian()
    if (reason !== null) {
      console.log(`!! steps 4 and 5 are skipped: ${reason}`)
      return true
    }
    const machine = process.env.TUTORIAL_FOLDER ?? join(place, 'machine')
    mkdirSync(machine, { recursive: true })
    debian = await bootDebian(machine)
    step('a fresh Debian 12 answers to ssh')
    // `localhost` is the machine there, so the walk goes on in its network.
    const args = [
      '--import',
      import.meta.resolve('tsx'),
      join(import.meta.dirname, 'main.ts'),
      'tutorial',
      '--server',
      site,
    ]
    const env = { ...process.env, PATH: `${debian.bin}:${process.env.PATH}` }
    return (await debian.inNetwork(process.execPath, args, env)) === 0
  } catch (error) {
    return failed(error)
  } finally {
    debian?.stop()
    rmSync(place, { recursive: true, force: true })
  }
}

const began = Date.now()
function step(what: string): void {
  console.log(`✔ ${what} (${((Date.now() - began) / 1000).toFixed(0)} s)`)
}
function failed(error: unknown): false {
  const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
  console.log(`✘ ${message}\n${String(stdout).slice(-3000)}\n${String(stderr).slice(-3000)}`)
  return false
}

function textOf(name: string): string {
  return readFileSync(join(root, name), 'utf8')
}

/** Part of a page below a heading, up to the next heading of the same level. */
function sectionOf(name: string, heading: string): string {
  const text = textOf(name)
  const start = text.indexOf(`${heading}\n`)
  if (start === -1) throw new TypeError(`${name} has no "${heading}"`)
  const level = heading.split(' ')[0] ?? ''
  const end = text.slice(start + heading.length).search(new RegExp(`^#{1,${level.length}} `, 'm'))
  return end === -1 ? text.slice(start) : text.slice(start, start + heading.length + end)
}

/** Runs the tutorial's own `init` line with this tarball, and installs the site: its folder. */
function initSite(folder: string, tarball: string): string {
  const [line = ''] = /^npx .*membership init .*$/m.exec(textOf(pages.start)) ?? []
  const command = line.replace(/\$PWD\/[^"]+/, tarball).replace('../my-site', join(folder, 'my-site'))
  const env = { ...process.env, npm_config_ignore_scripts: 'true' }
  execFileSync('sh', ['-c', command], { cwd: folder, env, stdio: 'pipe' })
  const site = join(folder, 'my-site')
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', args, { cwd: site, env, stdio: 'pipe' })
  withBuiltSqlite(site)
  return site
}

/** Code of the shell blocks in a section, in their order. */
function shellIn(section: string): string[] {
  return blocksIn(pages.stripe, section)
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code)
}

async function openStripe(): Promise<FakeStripe> {
  const fake = await createFakeStripe({ seed: 1, running: true, secret: 'sk_test_of_the_tutorial' })
  fake.addPrice({
    id: 'price_basic',
    lookup_key: 'basic_monthly',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  return fake
}

/** The site asks the fake server; nothing else differs from the page. */
function pointToFake(site: string, fake: FakeStripe): void {
  mkdirSync(join(site, 'config'), { recursive: true })
  const api = JSON.stringify({ 'membership.providers.stripe.api_base': fake.url })
  writeFileSync(join(site, 'config/membership.json'), api)
}

/** Puts the keys where the page has "sk_test_…" and "whsec_…". */
function withKeys(text: string, fake: FakeStripe): string {
  return text.replace(/sk_(test|live)_…/g, fake.secret).replace(/whsec_…/g, webhookSecret)
}

async function walkTestMode(site: string): Promise<void> {
  const section = textOf(pages.stripe)
  const [install = '', environment = ''] = shellIn(section)
  execFileSync('sh', ['-ec', install], {
    cwd: site,
    stdio: 'pipe',
    env: { ...process.env, npm_config_ignore_scripts: 'true' },
  })
  for (const { file, code } of blocksIn(pages.stripe, section))
    if (file !== null) writeFileSync(join(site, file), code)
  const fake = await openStripe()
  writeFileSync(join(site, '.env'), withKeys(environment, fake))
  pointToFake(site, fake)
  const port = await freePort()
  const origin = `http://localhost:${port}`
  fake.sendTo({ url: `${origin}/membership/webhooks/stripe`, secret: webhookSecret })
  const { STRIPE_SECRET: _, STRIPE_WEBHOOK_SECRET: __, ...rest } = process.env
  const running = await startSite(['npm', 'start'], {
    cwd: site,
    origin,
    env: { ...rest, PORT: String(port) },
  })
  try {
    must(!(await isOpen(running.site, '/archive')), 'a visitor passes the gate')
    await buy(running.site, fake)
    must(await isOpen(running.site, '/archive'), 'the buyer is stopped at the gate')
    running.site.browser.cookies.clear()
    await logInByMail(running.site)
    await hasInvoice(running.site, payment)
    const { stdout } = await run('npx', ['membership', 'members', 'list'], { cwd: site })
    must(stdout.includes(email), `members list: ${stdout}`)
    step("step 3: a purchase in Stripe's test mode, a gate, a login, a receipt")
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${running.output().slice(-3000)}`)
  } finally {
    running.stop()
    await fake.close()
  }
}

async function buy(
  { browser }: Pick<RunningSite, 'browser'>,
  fake: FakeStripe,
  buyer = email,
): Promise<void> {
  const { html } = await browser.open('/membership/prices')
  const answer = await browser.post(...firstOffer(html, 'subscribe/'))
  const url = answer.headers.get('location') ?? ''
  must(url.startsWith(fake.url), `the purchase was answered ${answer.status} and led to ${url}`)
  await fake.pay(new URL(url).pathname.split('/').at(-1)!, { email: buyer })
  await fake.deliver()
  const session = (fake.objects.list('checkout.session') as { success_url: string }[]).at(-1)
  const back = new URL(session?.success_url ?? '/', 'http://x')
  await browser.open(back.pathname + back.search)
}

/** Steps 4 and 5 and the guide of deploying, in the network of the server. */
export async function walkServer(site: string): Promise<boolean> {
  const fake = await openStripe()
  try {
    pointToFake(site, fake)
    await walkRelease(site, fake)
    return true
  } catch (error) {
    return failed(error)
  } finally {
    await fake.close()
  }
}

const origin = 'https://localhost'
const hook = `${origin}/membership/webhooks/stripe`

async function walkRelease(site: string, fake: FakeStripe): Promise<void> {
  const here = (text: string) => withKeys(text.replaceAll('example.com', 'localhost'), fake)
  const [init = '', secrets = '', release = '', check = ''] = shellIn(textOf(pages.live)).map(here)
  const env: NodeJS.ProcessEnv = { ...process.env }
  const shell = async (code: string): Promise<string> => {
    const { stdout, stderr } = await run('sh', ['-ec', code], { cwd: site, env, maxBuffer: 1e8 })
    return stdout + stderr
  }
  const onServer = (code: string) => shell(`ssh root@localhost <<'END'\nset -e\n${code}\nEND`)
  // A machine that was kept has the site of the walk before.
  await onServer(
    'if [ -d /srv/my-site ]; then systemctl stop my-site; rm -rf /srv/my-site /var/backups/my-site*; fi',
  )
  await shell(init)
  await shell(secrets)
  await shell(release)
  step('step 4: released; the service runs')

  // Whoever visits trusts the authority of this Caddy, as browsers trust the public ones.
  const authority = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt'
  const ca = await shell(`ssh root@localhost cat ${authority}`)
  writeFileSync(join(site, '../ca.crt'), ca)
  Object.assign(env, {
    CURL_CA_BUNDLE: join(site, '../ca.crt'),
    NODE_EXTRA_CA_CERTS: join(site, '../ca.crt'),
  })
  setGlobalDispatcher(new Agent({ connect: { ca } }))
  fake.sendTo({ url: hook, secret: webhookSecret })

  const checked = await shell(check)
  must(/^HTTP\/2 200/m.test(checked), `the health check: ${checked}`)
  must(!/^problem/m.test(checked), `doctor: ${checked}`)
  step('health check and doctor')

  const browser = createBrowser(origin)
  must(!(await isOpen({ browser } as RunningSite, '/archive')), 'a visitor passes the gate')
  await buy({ browser }, fake)
  must(await isOpen({ browser } as RunningSite, '/archive'), 'the buyer is stopped at the gate')
  const plain = await fetch('http://localhost/archive', { redirect: 'manual' })
  must(plain.headers.get('location') === `${origin}/archive`, 'a request without TLS is not led to TLS')
  const member = await logsInSafely(onServer)
  step('a purchase through TLS, cookies that are secure, a login')

  await survives({ browser: member, onServer })
  await comesBack({ browser: member, onServer, fake })
  await goesLive({ shell, onServer, release, here, fake })
}

type Shell = (code: string) => Promise<string>

/** Logs in on another device, which ends the session of the purchase: its address was not proved. */
async function logsInSafely(onServer: Shell): Promise<ReturnType<typeof createBrowser>> {
  const printed = async (line: RegExp): Promise<string> => {
    const text = await until(
      () => onServer('journalctl -b -u my-site --no-pager -o cat'),
      (said) => line.test(said),
      20_000,
    )
    return line.exec(text)?.[1] ?? ''
  }
  const browser = createBrowser(origin)
  await logInByMail({ browser, origin, said: printed })
  await hasInvoice({ browser, origin, said: printed }, payment)
  const set = await browser.request('/membership/login')
  const cookies = set.headers.getSetCookie()
  must(
    [...cookies].every((cookie) => /;\s*secure/i.test(cookie)) && [...browser.cookies].length > 0,
    `cookies: ${cookies.join(' | ')}`,
  )
  return browser
}

/** A killed process comes back by itself, and a restart loses no request. */
async function survives({
  browser,
  onServer,
}: {
  browser: ReturnType<typeof createBrowser>
  onServer: Shell
}) {
  await onServer('systemctl kill --signal=KILL my-site')
  const isBack = () => isOpen({ browser } as RunningSite, '/archive')
  must(await until(isBack, (isThere) => isThere), 'the killed site does not come back')
  const restart = onServer('systemctl restart my-site')
  const answers: number[] = []
  for (let tries = 0; tries < 30; tries++) {
    answers.push((await browser.request('/archive')).status)
    await new Promise((next) => setTimeout(next, 100))
  }
  await restart
  must(
    answers.every((status) => status === 200),
    `answers during a restart: ${answers.join(' ')}`,
  )
  step('a killed site comes back, and a restart loses no request')
}

interface Server {
  readonly browser: ReturnType<typeof createBrowser>
  readonly onServer: Shell
  readonly fake: FakeStripe
}

/** Destroys the site, and restores it by the guide's block. */
async function comesBack({ browser, onServer, fake }: Server): Promise<void> {
  await onServer('systemctl start my-site-backup')
  const late = createBrowser(origin)
  await late.open('/membership/prices')
  await buy({ browser: late }, fake, 'late@example.com')
  await onServer('systemctl stop my-site; rm -rf /srv/my-site/data/* /srv/my-site/.env')
  const [block = ''] = shellIn(sectionOf('docs/deploying.md', '## Backups'))
  const [, ...lines] = block.split('\n')
  const said = await onServer(lines.join('\n'))
  must(/Restored\. Now start the site/.test(said), `the restore: ${said}`)
  must(!(await isOpen({ browser } as RunningSite, '/archive')), 'a session of before the restore goes on')
  const members = await onServer('cd /srv/my-site && runuser -u my-site -- npx membership members list')
  must(members.includes(email) && members.includes('late@example.com'), `after the restore: ${members}`)
  step('a backup, and a restore by the guide')
}

/** Step 5, still with the keys of the test mode: its fake server has no other. */
async function goesLive({
  shell,
  onServer,
  release,
  here,
  fake,
}: Omit<Server, 'browser'> & { shell: Shell; release: string; here: (text: string) => string }) {
  const [, move = ''] = /`(ssh root@example\.com 'systemctl stop[^`]+)`/.exec(textOf(pages.live)) ?? []
  await shell(here(move))
  await shell(release)
  const empty = await onServer('cd /srv/my-site && runuser -u my-site -- npx membership members list')
  must(!empty.includes(email), `members of test mode are there still: ${empty}`)
  const browser = createBrowser(origin)
  await buy({ browser }, fake)
  must(await isOpen({ browser } as RunningSite, '/archive'), 'the buyer is stopped at the gate')
  step('step 5: without the data of test mode, released again, bought once')
}
