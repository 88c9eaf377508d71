/**
 * Walks Payload on SQLite in an empty folder: `npm run hosts payload`. It looks for closed text in every way
 * that Payload offers to read it, for a visitor, a member without the plan, a member with it, and an editor.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeStripe, type FakeStripe } from '../../src/testkit/index.ts'
import { createBrowser, tokenOf, until } from '../../test/support/browser.ts'
import { findChromium, launchChromium } from '../../test/support/chromium.ts'
import { freePort } from '../../test/support/databases.ts'
import { installInto } from '../install.ts'
import { startSite } from '../walks/running-site.ts'
import { must } from './walk.ts'

type Browser = ReturnType<typeof createBrowser>

const version = '3.90.1'
/** Everything that is installed for it. */
export const packages = [
  ...['payload', '@payloadcms/db-sqlite', '@payloadcms/next', '@payloadcms/plugin-search'].map(
    (name) => `${name}@${version}`,
  ),
  'stripe',
  'graphql@16',
  'next@16',
  'react@19',
  'react-dom@19',
  'typescript@5',
  '@types/react@19',
  'tsx',
]
const example = join(import.meta.dirname, '../../examples/hosts/payload')
const secret = 'whsec_of_the_walk'
const password = 'correct horse battery staple'
const closed = 'CLOSED-TEXT'
const draft = 'DRAFT-TEXT'

function query(text: string): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify({ query: text }),
    // GraphQL over HTTP answers nothing to whom accepts HTML alone.
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  }
}

/** Every way to read that Payload and Next offer, by name. */
function waysTo(id: string, versionId: string): Readonly<Record<string, readonly [string, RequestInit?]>> {
  return {
    page: ['/posts/gated'],
    'prefetch payload': ['/posts/gated', { headers: { RSC: '1', 'Next-Router-Prefetch': '1' } }],
    'page payload': ['/posts/gated', { headers: { RSC: '1' } }],
    'page of a draft': ['/posts/draft'],
    'REST, list': ['/api/posts?limit=100&depth=2'],
    'REST, drafts': ['/api/posts?limit=100&draft=true'],
    'REST, one': [`/api/posts/${id}?depth=2`],
    'REST, one draft': [`/api/posts/${id}?draft=true`],
    'REST, versions': ['/api/posts/versions?limit=100'],
    'REST, one version': [`/api/posts/versions/${versionId}`],
    'REST, field and relationship': ['/api/notes?depth=3'],
    'REST, chosen population': ['/api/notes?depth=2&populate[posts][body]=true&select[about]=true'],
    'REST, search': ['/api/search?depth=2&limit=100'],
    'REST, change': [
      `/api/posts/${id}`,
      { method: 'PATCH', body: '{"title":"Mine"}', headers: { 'content-type': 'application/json' } },
    ],
    'REST, copy': [`/api/posts/${id}/duplicate`, { method: 'POST' }],
    GraphQL: ['/api/graphql', query('{ Posts(limit: 100) { docs { title body } } }')],
    'GraphQL, one': ['/api/graphql', query(`{ Post(id: ${id}, draft: true) { title body } }`)],
    'GraphQL, one version': ['/api/graphql', query(`{ versionPost(id: ${versionId}) { version { body } } }`)],
    'GraphQL, drafts': ['/api/graphql', query('{ Posts(limit: 100, draft: true) { docs { title body } } }')],
    'GraphQL, versions': [
      '/api/graphql',
      query('{ versionsPosts(limit: 100) { docs { version { body } } } }'),
    ],
    'GraphQL, relationship': ['/api/graphql', query('{ Notes { docs { recipe about { body } } } }')],
    'GraphQL, search': ['/api/graphql', query('{ Searches { docs { title excerpt } } }')],
  }
}

/** Questions whose count of answers would tell of a closed text. */
const probes: readonly string[] = [
  '/api/posts?where[body][like]=CLOSED',
  '/api/posts/count?where[body][like]=CLOSED',
  '/api/posts/versions?where[version.body][like]=CLOSED',
  '/api/search?where[excerpt][like]=CLOSED',
  '/api/notes?where[recipe][like]=CLOSED',
  '/api/notes?where[about.body][like]=CLOSED',
]

/** An order that would tell of closed text. */
const order = '/api/notes?sort=recipe'

async function textsFor(browser: Browser, ids: readonly [string, string]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const [name, [path, init]] of Object.entries(waysTo(...ids)))
    texts[name] = await (await browser.request(path, init)).text()
  return texts
}

function waysWith(texts: Readonly<Record<string, string>>, text: string): string[] {
  return Object.entries(texts).flatMap(([name, found]) => (found.includes(text) ? [name] : []))
}

async function nothingLeaks(browser: Browser, ids: readonly [string, string], who: string): Promise<void> {
  const texts = await textsFor(browser, ids)
  const leaks = [...waysWith(texts, closed), ...waysWith(texts, draft)]
  must(leaks.length === 0, `${who} reads closed text by: ${leaks.join(', ')}`)
  must((texts['REST, list'] ?? '').includes('Everybody reads this.'), `${who} does not read the free post`)
  // An answer that nobody gets proves nothing.
  for (const [way, text] of Object.entries(texts).filter(([name]) => name.startsWith('GraphQL')))
    must(/"data":|"errors":/.test(text), `${who} gets no answer by ${way}: ${text.slice(0, 200)}`)
  must(
    (texts.GraphQL ?? '').includes('Everybody reads this.'),
    `${who} does not read the free post by GraphQL`,
  )
  for (const path of probes) {
    const { totalDocs = 0 } = (await (await browser.request(path)).json()) as { totalDocs?: number }
    must(totalDocs === 0, `${who} learns of closed text by ${path}`)
  }
  const ordered = await (await browser.request(order)).text()
  must(/"errors":/.test(ordered), `${who} learns of closed text by ${order}: ${ordered.slice(0, 300)}`)
}

async function logIn(origin: string, collection: string, email: string): Promise<Browser> {
  const browser = createBrowser(origin)
  const answer = await browser.request(`/api/${collection}/login`, {
    method: 'POST',
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json' },
  })
  must(answer.ok, `the login of ${email} was answered ${answer.status}: ${await answer.text()}`)
  return browser
}

async function json(browser: Browser, path: string, init?: RequestInit) {
  return (await (await browser.request(path, init)).json()) as Record<string, never> & {
    docs: { id: string; title?: string; email?: string }[]
  }
}

async function walkSite(origin: string, fake: FakeStripe, data: string): Promise<void> {
  const editor = await logIn(origin, 'editors', 'ed@example.com')
  const posts = await json(editor, '/api/posts?limit=100')
  const id = posts.docs.find(({ title }) => title === 'Gated')?.id ?? ''
  const versions = await json(editor, `/api/posts/versions?limit=100&where[parent][equals]=${id}`)
  const ids = [id, versions.docs.at(-1)?.id ?? ''] as const
  await nothingLeaks(createBrowser(origin), ids, 'a visitor')
  const bob = await logIn(origin, 'members', 'bob@example.com')
  await nothingLeaks(bob, ids, 'a member without the plan')

  const ada = await logIn(origin, 'members', 'ada@example.com')
  const { html } = await ada.open('/membership/prices')
  const [, action = ''] = /<form[^>]* action="([^"]*subscribe[^"]*)"/.exec(html) ?? []
  must(action !== '', `the prices have no button: ${html.slice(0, 300)}`)
  const sent = await ada.post(action, { price: 'price_pro' })
  const paying = sent.headers.get('location') ?? ''
  must(paying.startsWith(fake.url), `the purchase was answered ${sent.status}, and led to "${paying}"`)
  await fake.pay(new URL(paying).pathname.split('/').at(-1) ?? '', { email: 'ada@example.com' })
  await fake.deliver()
  const texts = await textsFor(ada, ids)
  const open = waysWith(texts, closed)
  for (const way of ['page', 'REST, list', 'REST, one', 'GraphQL', 'REST, search', 'GraphQL, relationship'])
    must(open.includes(way), `the buyer does not read by: ${way}: ${texts[way]?.slice(0, 300)}`)
  must(
    texts['REST, field and relationship']?.includes('CLOSED-TEXT recipe') === true,
    'the field stays closed',
  )
  const drafts = waysWith(texts, draft)
  must(drafts.length === 0, `the buyer reads drafts by: ${drafts.join(', ')}`)
  await nothingLeaks(bob, ids, 'a member without the plan, later')

  const edited = await textsFor(editor, ids)
  must(waysWith(edited, draft).includes('REST, drafts'), 'an editor sees no drafts')
  const members = await json(editor, '/api/members')
  const shown = JSON.stringify(members.docs.find(({ email }) => email === 'ada@example.com'))
  must(shown.includes('"membershipPlans":["Pro"]'), `the editor does not see the plans: ${shown}`)
  await nobodyReadsPlansOfOthers(
    origin,
    bob,
    members.docs.find(({ email }) => email === 'ada@example.com')?.id,
  )
  await seesAdmin(origin)
  const hook = await fetch(`${origin}/api/membership/webhooks/stripe`, { method: 'POST', body: '{}' })
  must(hook.status === 403, `a forged delivery below /api was answered ${hook.status}: ${await hook.text()}`)

  const account = await ada.open('/membership/account')
  must(tokenOf(account.html) !== '', `the account was answered ${account.status}`)
  await ada.submit('/membership/logout', {})
  const me = await json(ada, '/api/members/me')
  must(me.user === null, 'Payload’s session goes on after the logout here')

  await bob.open('/membership/account')
  const bobs = members.docs.find(({ email }) => email === 'bob@example.com')?.id
  const gone = await editor.request(`/api/members/${bobs}`, { method: 'DELETE' })
  must(gone.ok, `the deletion was answered ${gone.status}`)
  must((await bob.open('/membership/account')).html.includes('bob@example.com') === false, 'Bob stays')

  const again = await logIn(origin, 'members', 'ada@example.com')
  await again.open('/membership/account/delete')
  writeFileSync(join(data, refusing), '')
  await again.submit('/membership/account/delete', { confirm: 'delete' })
  const isThere = async () =>
    (await json(editor, '/api/members')).docs.some(({ email }) => email === 'ada@example.com')
  const isRefused = async () => readFileSync(join(data, refusing), 'utf8') !== ''
  must(await until(isRefused, (was) => was, 150_000), 'Payload was never asked to delete Ada’s user')
  must(await isThere(), 'Ada’s user went although a hook of the site refused')
  rmSync(join(data, refusing))
  // Ada has just bought. Stripe dates its answers in whole seconds, so the answer to the cancellation may seem older
  // than the purchase. Then the deletion looks again a minute later, with the next round of jobs.
  must(!(await until(isThere, (stays) => !stays, 150_000)), 'Ada’s user stays after the deletion here')
}

/** A file in the site's data: while it is there, a hook of the site refuses to delete members, and notes that in it. */
const refusing = 'refuses-deletions'

/** Adds that hook to the members of a copy of the example. */
function addRefusal(folder: string): void {
  const file = join(folder, 'payload.config.ts')
  const config = readFileSync(file, 'utf8')
  const members = "{ slug: 'members', auth: { verify: true },"
  must(config.includes(members), 'the example has no members to refuse')
  const hook = `{
      slug: 'members',
      auth: { verify: true },
      hooks: {
        beforeDelete: [
          () => {
            if (!existsSync(join(data, '${refusing}'))) return
            writeFileSync(join(data, '${refusing}'), 'refused')
            throw new Error('This member has an open order.')
          },
        ],
      },`
  const imports = "import { existsSync, writeFileSync } from 'node:fs'\n"
  writeFileSync(file, imports + config.replace(members, hook))
}

/** Payload lets every user who is logged in read the members; their plans are for editors and themselves. */
async function nobodyReadsPlansOfOthers(
  origin: string,
  bob: Browser,
  ada: string | undefined,
): Promise<void> {
  const asked = '{ Members(limit: 100) { docs { id email membershipPlans } } }'
  const answers = {
    'REST, list': await (await bob.request('/api/members?limit=100&depth=2')).text(),
    'REST, one': await (await bob.request(`/api/members/${ada}`)).text(),
    GraphQL: await (await bob.request('/api/graphql', query(asked))).text(),
  }
  for (const [way, text] of Object.entries(answers)) {
    must(text.includes('ada@example.com'), `nothing is proved by ${way}: ${text.slice(0, 300)}`)
    must(!text.includes('Pro'), `a member reads another member’s plans by ${way}`)
  }
  const own = await logIn(origin, 'members', 'ada@example.com')
  const me = await (await own.request('/api/members/me')).text()
  must(me.includes('"membershipPlans":["Pro"]'), `a member does not read the own plans: ${me.slice(0, 300)}`)
}

/**
 * Looks at the admin as an editor: the plans of a member, the choices of a post, and the link to the office.
 * `PICTURES` names a folder for pictures of the pages.
 */
async function seesAdmin(origin: string): Promise<void> {
  const executable = findChromium()
  if (executable === null) return console.log('No Chromium here: the admin is not looked at.')
  const chromium = await launchChromium(executable)
  try {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } })
    const open = async (path: string) => {
      await page.goto(`${origin}${path}`, { waitUntil: 'networkidle', timeout: 120_000 })
    }
    const picture = async (name: string) => {
      if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) })
    }
    const mustShow = async (selector: string, what: string) => {
      await page
        .locator(selector)
        .first()
        .waitFor({ timeout: 30_000 })
        .catch(() => picture('missing'))
      must((await page.locator(selector).count()) > 0, `the admin does not show ${what}`)
    }
    await open('/admin/login')
    await page.fill('#field-email', 'ed@example.com')
    await page.fill('#field-password', password)
    await page.click('button[type=submit]')
    await page.waitForURL(/\/admin$/, { timeout: 60_000 })
    await mustShow('a[href="/membership/office"]', 'the link to the office')
    await picture('payload-admin')
    const idOf = async (path: string): Promise<string> => {
      const found = await page.evaluate(async (from) => (await fetch(from)).json(), path)
      return (found as { docs: { id: string }[] }).docs[0]?.id ?? ''
    }
    await open(
      `/admin/collections/members/${await idOf('/api/members?where[email][equals]=ada@example.com')}`,
    )
    await mustShow('text=Plans', 'the plans of a member')
    await mustShow('text=Pro', 'the plan Pro of the buyer')
    await picture('payload-member')
    await open(`/admin/collections/posts/${await idOf('/api/posts?where[slug][equals]=gated')}`)
    await mustShow('#field-gate', 'the field gate')
    await page.click('#field-gate .rs__control')
    await mustShow('.rs__option:has-text("Pro")', 'the plan Pro as a choice')
    await picture('payload-gate')
  } finally {
    await chromium.close()
  }
}

/** Builds and walks the site; true if all went well. */
export async function walkPayload(tarball: (place: string) => string): Promise<boolean> {
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-payload-'))
  const began = Date.now()
  const fake = await createFakeStripe({ seed: 1, running: true })
  let running: Awaited<ReturnType<typeof startSite>> | null = null
  try {
    if (kept === undefined) installInto(folder, [tarball(folder), ...packages])
    cpSync(example, folder, { recursive: true, filter: (file) => !file.endsWith('package.json') })
    addRefusal(folder)
    const data = join(folder, 'data')
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data)
    const port = await freePort()
    const origin = `http://localhost:${port}`
    fake.addPrice({
      id: 'price_pro',
      unit_amount: 900,
      currency: 'eur',
      recurring: { interval: 'month' },
    })
    // Below Payload's own API, as a site configures it at the provider.
    fake.sendTo({ url: `${origin}/api/membership/webhooks/stripe`, secret })
    const env = {
      ...process.env,
      SITE_DATA: data,
      SITE_URL: origin,
      NEXT_TELEMETRY_DISABLED: '1',
      STRIPE_SECRET: fake.secret,
      STRIPE_API_BASE: fake.url,
      STRIPE_WEBHOOK_SECRET: secret,
    }
    const run = (args: readonly string[], mode: string) =>
      execFileSync(process.execPath, args, {
        cwd: folder,
        env: { ...env, NODE_ENV: mode },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    // The names of the admin's own components differ between its versions.
    run(['node_modules/payload/bin.js', 'generate:importmap'], 'development')
    run(['--import', 'tsx', 'seed.ts'], 'development')
    const next = 'node_modules/next/dist/bin/next'
    if (process.env.HOSTS_BUILT === undefined) run([next, 'build'], 'production')
    running = await startSite([process.execPath, next, 'start', '-p', String(port)], {
      cwd: folder,
      origin,
      env: { ...env, NODE_ENV: 'production' },
    })
    await walkSite(origin, fake, data)
    console.log(`✔ payload ${version} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    return true
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: Buffer; stderr?: Buffer }
    console.log(`✘ payload\n${message}\n${stdout}${stderr}\n${running?.output() ?? ''}`.slice(0, 3000))
    return false
  } finally {
    running?.stop()
    await fake.close()
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
