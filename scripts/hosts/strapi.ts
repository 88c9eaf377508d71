/**
 * Walks Strapi 5 on SQLite in an empty folder: `npm run hosts strapi`. It looks for closed text in every way
 * that Strapi offers to read it, for a visitor, a member without the plan, a member with it, and an editor.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeStripe, type FakeStripe } from '../../src/testkit/index.ts'
import { createBrowser, until } from '../../test/support/browser.ts'
import { findChromium } from '../../test/support/chromium.ts'
import { freePort } from '../../test/support/databases.ts'
import { installInto, versionIn } from '../install.ts'
import { startSite } from '../walks/running-site.ts'
import { inChromium, picture } from './in-browser.ts'
import { must } from './walk.ts'

/** Everything that is installed for it. */
export const packages = [
  ...['strapi', 'plugin-users-permissions', 'plugin-graphql'].map((name) => `@strapi/${name}@5.54`),
  'react@18',
  'react-dom@18',
  'react-router-dom@6',
  'styled-components@6',
  'stripe',
  'better-sqlite3@12',
]
const example = join(import.meta.dirname, '../../examples/hosts/strapi')
const secret = 'whsec_of_the_walk'
const password = 'correct horse battery staple'
const closed = 'CLOSED-TEXT'
const draft = 'DRAFT-TEXT'

interface Person {
  readonly browser: ReturnType<typeof createBrowser>
  readonly ask: (path: string, init?: RequestInit) => Promise<string>
}

function personAt(origin: string, jwt?: string): Person {
  const browser = createBrowser(origin)
  if (jwt !== undefined) browser.cookies.set('jwt', jwt)
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(jwt === undefined ? {} : { authorization: `Bearer ${jwt}` }),
  }
  const ask = async (path: string, init: RequestInit = {}) => {
    const own: Record<string, string> = init.body === undefined ? {} : { 'content-type': 'application/json' }
    return (await browser.request(path, { ...init, headers: { ...headers, ...own } })).text()
  }
  return { browser, ask }
}

async function logIn(origin: string, identifier: string): Promise<Person> {
  const answer = await fetch(`${origin}/api/auth/local`, {
    method: 'POST',
    body: JSON.stringify({ identifier, password }),
    headers: { 'content-type': 'application/json' },
  })
  const { jwt } = (await answer.json()) as { jwt?: string }
  if (jwt === undefined) throw new Error(`the login of ${identifier} was answered ${answer.status}`)
  return personAt(origin, jwt)
}

/** Documents of the example, as an editor sees them. */
interface Ids {
  readonly article: string
  readonly recipe: string
  readonly note: string
}

type Way = readonly [path: string, init?: RequestInit]

function query(text: string): Way {
  return ['/graphql', { method: 'POST', body: JSON.stringify({ query: text }) }]
}
function write(method: string, data: object): RequestInit {
  return { method, body: JSON.stringify({ data }) }
}

/** Every way to read, by name. */
function waysTo({ article, recipe, note }: Ids): Readonly<Record<string, Way>> {
  return {
    'REST, list': ['/api/articles?populate=*'],
    'REST, one': [`/api/articles/${article}`],
    'REST, drafts': ['/api/articles?status=draft'],
    'REST, one draft': [`/api/articles/${article}?status=draft`],
    'REST, chosen fields': ['/api/recipes?fields[0]=body'],
    'REST, attributes': ['/api/recipes?populate=*'],
    'REST, one attribute': [`/api/recipes/${recipe}?populate[sources][populate]=*`],
    'REST, own attribute': [`/api/notes/${note}`],
    'REST, relation': ['/api/notes?populate=*'],
    'REST, relations behind relations': ['/api/notes?populate[about][populate][notes][populate]=about'],
    'REST, relation of a draft': ['/api/notes?populate=about&status=draft'],
    'REST, dynamic zone': ['/api/notes?populate[parts][populate]=*'],
    'REST, search': ['/api/articles?_q=TEXT&populate=*'],
    'REST, changed with its relation': [
      `/api/notes/${note}?populate[about]=true&populate[recipe]=true`,
      write('PUT', { title: 'A note' }),
    ],
    GraphQL: query('{ articles { documentId title body } }'),
    'GraphQL, drafts': query('{ articles(status: DRAFT) { title body } }'),
    'GraphQL, one': query(`{ article(documentId: "${article}") { body } }`),
    'GraphQL, connection': query('{ articles_connection { nodes { title body } pageInfo { total } } }'),
    'GraphQL, attributes': query('{ recipes { title body sources { title hint } } }'),
    'GraphQL, relation': query(
      '{ notes { title tip about { body } recipe { title body sources { title } } } }',
    ),
    'GraphQL, relations behind relations': query('{ notes { about { notes { about { body } tip } } } }'),
    'GraphQL, dynamic zone': query('{ notes { parts { ... on ComponentPartsExtra { title hint } } } }'),
    'GraphQL, change': query(
      `mutation { updateNote(documentId: "${note}", data: { title: "A note" }) { tip about { body } recipe { body } } }`,
    ),
  }
}

/** Changes that would open a document, or answer with it. */
function changesOf({ article }: Ids): readonly Way[] {
  return [
    [`/api/articles/${article}`, write('PUT', { title: 'Gated' })],
    [`/api/articles/${article}`, write('PUT', { gate: null })],
    query(`mutation { updateArticle(documentId: "${article}", data: { gate: null }) { title body } }`),
  ]
}

/** Questions whose answer would differ if closed text has the word. */
function probesFor(word: string): readonly Way[] {
  return [
    [`/api/articles?filters[body][$contains]=${word}`],
    [`/api/articles?filters[notes][about][body][$startsWith]=${word}`],
    [`/api/articles?_q=${word}`],
    [`/api/recipes?filters[body][$contains]=${word}`],
    [`/api/recipes?filters[body][$notContains]=${word}`],
    [`/api/recipes?filters[$not][body][$contains]=${word}`],
    [`/api/recipes?filters[$or][0][body][$startsWith]=${word}&filters[$or][1][title]=x`],
    [`/api/recipes?filters[sources][title][$contains]=${word}`],
    [`/api/recipes?_q=${word}`],
    [`/api/notes?filters[tip][$contains]=${word}`],
    [`/api/notes?filters[about][body][$contains]=${word}`],
    [`/api/notes?filters[about][body][$contains]=${word}&filters[$and][0][title][$notNull]=true`],
    [`/api/notes?filters[$and][0][about][$or][0][body][$contains]=${word}`],
    [`/api/notes?filters[$not][about][body][$contains]=${word}`],
    [`/api/notes?filters[recipe][body][$contains]=${word}`],
    [`/api/notes?populate[about][filters][body][$contains]=${word}`],
    [`/api/notes?populate[recipe][filters][body][$contains]=${word}`],
    [`/api/notes?_q=${word}`],
    query(`{ articles_connection(filters: { body: { contains: "${word}" } }) { pageInfo { total } } }`),
    query(`{ notes(filters: { tip: { contains: "${word}" } }) { documentId } }`),
    query(`{ notes(filters: { about: { body: { contains: "${word}" } } }) { documentId } }`),
    query(`{ notes(filters: { not: { recipe: { body: { contains: "${word}" } } } }) { documentId } }`),
    query(`{ recipes(filters: { not: { body: { notContains: "${word}" } } }) { documentId } }`),
  ]
}
/** Orders that would tell of closed text. */
const orders: readonly Way[] = [
  ['/api/recipes?sort=body'],
  ['/api/notes?sort=tip'],
  ['/api/notes?sort=about.body'],
  ['/api/notes?sort[0][recipe][body]=asc'],
  ['/api/articles?populate[notes][sort]=tip'],
  query('{ notes(sort: "tip") { documentId } }'),
  query('{ recipes(sort: "body:desc") { documentId } }'),
]

async function textsFor({ ask }: Person, ids: Ids): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const [name, [path, init]] of Object.entries(waysTo(ids))) texts[name] = await ask(path, init)
  return texts
}

function waysWith(texts: Readonly<Record<string, string>>, text: string): string[] {
  return Object.entries(texts).flatMap(([name, found]) => (found.includes(text) ? [name] : []))
}

async function nothingLeaks(person: Person, ids: Ids, who: string): Promise<void> {
  const texts = await textsFor(person, ids)
  const leaks = [...waysWith(texts, closed), ...waysWith(texts, draft)]
  must(leaks.length === 0, `${who} reads closed text by: ${leaks.join(', ')}`)
  // An answer that nobody gets proves nothing.
  for (const [way, free] of [
    ['REST, list', 'Everybody reads this.'],
    ['GraphQL', 'Everybody reads this.'],
    ['REST, attributes', 'Everybody drinks this.'],
    ['REST, attributes', 'Bread'],
    ['GraphQL, attributes', 'Everybody drinks this.'],
    ['GraphQL, relation', 'Bread'],
    ['REST, dynamic zone', 'Part'],
    ['GraphQL, dynamic zone', 'Part'],
  ] as const)
    must(texts[way]?.includes(free) === true, `${who} does not read by ${way}: ${texts[way]?.slice(0, 400)}`)
  const absent = probesFor('ABSENT')
  for (const [index, [path, init]] of probesFor('CLOSED').entries()) {
    const [text, other] = [await person.ask(path, init), await person.ask(...absent[index]!)]
    must(text === other, `${who} learns of closed text by ${path} ${init?.body ?? ''}: ${text}, not ${other}`)
  }
  for (const [path, init] of orders) {
    const text = await person.ask(path, init)
    must(/"errors?":/.test(text), `${who} learns of closed text by ${path} ${init?.body ?? ''}: ${text}`)
  }
  for (const [path, init] of changesOf(ids)) {
    const text = await person.ask(path, init)
    must(/"errors?":/.test(text) && !text.includes(closed), `${who} changes a closed document: ${text}`)
  }
  const policy = await person.ask('/api/archive')
  must(!policy.includes('The archive.'), `${who} passes the policy`)
}

async function idsFor({ ask }: Person): Promise<Ids> {
  const first = async (path: string) => {
    const { data } = JSON.parse(await ask(path)) as { data: { documentId: string }[] }
    return data[0]?.documentId ?? ''
  }
  return {
    article: await first('/api/articles?filters[title]=Gated'),
    recipe: await first('/api/recipes?filters[title]=Bread'),
    note: await first('/api/notes'),
  }
}

async function walkSite(origin: string, fake: FakeStripe): Promise<void> {
  const editor = await logIn(origin, 'eddy')
  const ids = await idsFor(editor)
  await nothingLeaks(personAt(origin), ids, 'a visitor')
  const bob = await logIn(origin, 'bob')
  await nothingLeaks(bob, ids, 'a member without the plan')

  const ada = await logIn(origin, 'ada')
  const { html } = await ada.browser.open('/membership/prices')
  const [, action = ''] = /<form[^>]* action="([^"]*subscribe[^"]*)"/.exec(html) ?? []
  must(action !== '', `the prices have no button: ${html.slice(0, 300)}`)
  const sent = await ada.browser.post(action, { price: 'price_pro' })
  const paying = sent.headers.get('location') ?? ''
  must(paying.startsWith(fake.url), `the purchase was answered ${sent.status}, and led to "${paying}"`)
  await fake.pay(new URL(paying).pathname.split('/').at(-1) ?? '', { email: 'ada@example.com' })
  await fake.deliver()

  const texts = await textsFor(ada, ids)
  const open = waysWith(texts, closed)
  const missed = Object.keys(texts).filter((way) => !open.includes(way) && !/draft/.test(way))
  must(missed.length === 0, `the buyer does not read by: ${missed.join(', ')}: ${texts[missed[0] ?? '']}`)
  must(waysWith(texts, draft).length === 0, `the buyer reads drafts by: ${waysWith(texts, draft).join(', ')}`)
  must((await ada.ask('/api/archive')) === 'The archive.', 'the policy stops the buyer')
  const found = await ada.ask('/api/notes?filters[about][body][$contains]=CLOSED&sort=tip')
  must(found.includes('A note'), `the buyer cannot filter: ${found}`)
  await nothingLeaks(bob, ids, 'a member without the plan, later')

  const edited = await textsFor(editor, ids)
  must(waysWith(edited, draft).includes('REST, drafts'), 'an editor sees no drafts')
  must(waysWith(edited, closed).includes('REST, one'), 'an editor does not read')
  const hook = await fetch(`${origin}/membership/webhooks/stripe`, { method: 'POST', body: '{}' })
  must(hook.status === 403, `a forged delivery was answered ${hook.status}: ${await hook.text()}`)
  await agrees({ origin, ada, bob, editor })
  await closesByAdmin(origin)
}

const admin = { email: 'admin@example.com', password: 'Correct-horse-battery-1' }

/** An editor closes an article in Strapi's admin: the select `gate` has the plans. */
async function closesByAdmin(origin: string): Promise<void> {
  const visitor = personAt(origin)
  const { data } = JSON.parse(await visitor.ask('/api/articles?filters[title]=Free')) as {
    data: { documentId: string }[]
  }
  must(data.length === 1, 'the free article is not read by a visitor')
  await inChromium({ name: 'strapi', site: origin, cookies: new Map() }, async (open) => {
    await visitor.ask('/admin/register-admin', {
      method: 'POST',
      body: JSON.stringify({ firstname: 'Ed', lastname: 'Itor', ...admin }),
    })
    const { page } = await open()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${origin}/admin/auth/login`, { waitUntil: 'networkidle' })
    await page.fill('input[name=email]', admin.email)
    await page.fill('input[name=password]', admin.password)
    await page.click('button[type=submit]')
    await page.waitForURL(/\/admin\/?$/)
    const articles = `${origin}/admin/content-manager/collection-types/api::article.article`
    await page.goto(`${articles}/${data[0]?.documentId}`, { waitUntil: 'networkidle' })
    const gate = page.getByRole('combobox', { name: 'gate' })
    await gate.click()
    const choice = page.getByRole('option', { name: 'pro', exact: true })
    await choice.waitFor()
    await picture(page, 'strapi')
    await choice.click()
    await page.getByRole('button', { name: 'Publish' }).click()
    const isOpen = async () => (await visitor.ask('/api/articles')).includes('Everybody reads this.')
    must(
      !(await until(isOpen, (stays) => !stays, 20_000)),
      'the article stays open after the editor closed it',
    )
  })
}

/** Logout and deletions hold on both sides. */
async function agrees({
  origin,
  ada,
  bob,
  editor,
}: Readonly<Record<'ada' | 'bob' | 'editor', Person>> & { readonly origin: string }): Promise<void> {
  const account = await ada.browser.open('/membership/account')
  must(account.html.includes('ada@example.com'), `the account was answered ${account.status}`)
  await ada.browser.submit('/membership/logout', {})
  must(!ada.browser.cookies.has('jwt'), 'the cookie of the login stays after the logout here')

  must((await bob.browser.open('/membership/account')).html.includes('bob@example.com'), 'Bob has no account')
  const users = JSON.parse(await editor.ask('/api/users')) as { id: number; email: string }[]
  const bobs = users.find(({ email }) => email === 'bob@example.com')?.id
  await editor.ask(`/api/users/${bobs}`, { method: 'DELETE' })
  must(!(await bob.browser.open('/membership/account')).html.includes('bob@example.com'), 'Bob stays')

  const again = await logIn(origin, 'ada')
  await again.browser.open('/membership/account/delete')
  await again.browser.submit('/membership/account/delete', { confirm: 'delete' })
  const isThere = async () => (await editor.ask('/api/users')).includes('ada@example.com')
  // Ada has just bought. Stripe dates its answers in whole seconds, so the answer to the cancellation may seem older
  // than the purchase. Then the deletion looks again a minute later, with the next round of jobs.
  must(!(await until(isThere, (stays) => !stays, 150_000)), 'Ada’s user stays after the deletion here')
}

/** Starts and walks the site; true if all went well. */
export async function walkStrapi(tarball: (place: string) => string): Promise<boolean> {
  const kept = process.env.HOSTS_FOLDER
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-strapi-'))
  const began = Date.now()
  const fake = await createFakeStripe({ seed: 1, running: true })
  let running: Awaited<ReturnType<typeof startSite>> | null = null
  try {
    if (kept === undefined) installInto(folder, [tarball(folder), ...packages])
    const site = join(folder, 'site')
    rmSync(site, { recursive: true, force: true })
    cpSync(example, site, { recursive: true })
    const data = join(site, 'data')
    mkdirSync(data)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    fake.addPrice({
      id: 'price_pro',
      unit_amount: 900,
      currency: 'eur',
      recurring: { interval: 'month' },
    })
    fake.sendTo({ url: `${origin}/membership/webhooks/stripe`, secret })
    const command = join(folder, 'node_modules/@strapi/strapi/bin/strapi.js')
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      STRAPI_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      SITE_DATA: data,
      SITE_URL: origin,
      STRIPE_SECRET: fake.secret,
      STRIPE_API_BASE: fake.url,
      STRIPE_WEBHOOK_SECRET: secret,
      ADMIN_PANEL: findChromium() === null ? 'no' : 'yes',
    }
    if (env.ADMIN_PANEL === 'yes')
      execFileSync(process.execPath, [command, 'build'], { cwd: site, env, stdio: 'pipe' })
    running = await startSite([process.execPath, command, 'start'], { cwd: site, origin, env })
    await walkSite(origin, fake)
    const version = versionIn(folder, '@strapi/strapi')
    console.log(`✔ strapi ${version} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    return true
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: Buffer; stderr?: Buffer }
    console.log(
      `✘ strapi\n${message}\n${stdout}${stderr}\n${running?.output().slice(-3000) ?? ''}`.slice(0, 6000),
    )
    return false
  } finally {
    running?.stop()
    await fake.close()
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
}
