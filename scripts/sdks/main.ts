/**
 * The providers' official packages judge the fake servers: `npm run sdks [-- paddle mollie … --requests
 * FILE]`. Those that can be pointed at another address talk to them, and read what comes by their own
 * schemas, where they have some; the types of the newest ones, of all nine, judge every answer that the
 * adapters' tests are given. It exits with 1 where one is refused.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { FakeServer } from '../../src/fakes/engine/index.ts'
import { openMollieSite, purchase as purchaseByMollie } from '../../test/providers/mollie/site.ts'
import type { SellingCase } from '../../test/providers/selling-case.ts'
import { memberOf, openSellingSite, purchase } from '../../test/support/selling-site.ts'
import { installNewest, record } from '../drift/recording.ts'
import { openSdk } from '../drift/sdk.ts'
import { answersIn } from '../drift/sent.ts'
import { subjects } from '../drift/subjects.ts'
import { judge } from './answers.ts'
import { type Talk, type Told, talks } from './talks.ts'

const ann = 'ann@example.com'
const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string' } },
})
const keys = asked.length > 0 ? asked : Object.keys(subjects)
const unknown = keys.find((key) => !Object.hasOwn(subjects, key))
if (unknown !== undefined)
  throw new Error(`There is no "${unknown}"; there are ${Object.keys(subjects).join(', ')}.`)
const names = keys.filter((key) => key in talks)

// A folder with everything installed saves the install.
const kept = process.env.SDKS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-sdks-'))
const installed = createRequire(join(folder, 'package.json'))
function load(name: string) {
  return import(pathToFileURL(installed.resolve(name)).href)
}
function nameOf(wanted: string): string {
  return wanted.slice(0, wanted.lastIndexOf('@'))
}
function versionOf(wanted: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', nameOf(wanted), 'package.json'), 'utf8'))
    .version
}

/** A purchase of `ann`'s at a site, and what the provider's side knows of it. */
async function buy(name: string, ends: (() => unknown)[]) {
  const t = { teardown: (end: () => unknown) => void ends.unshift(end) }
  if (name === 'mollie') {
    const opened = await openMollieSite(t)
    const { id } = await purchaseByMollie(opened, ann)
    const { m, fake } = opened
    const customer = (await memberOf(m, ann)).subscriptions()[0]!.customer_id ?? ''
    return { m, fake: fake as unknown as FakeServer, id, customer, webhook: '', price: 'pro' }
  }
  const module = (await import(`../../test/providers/${name}/selling.ts`)) as Record<string, SellingCase>
  const sellingCase = module[name]!
  // By today's clock, since packages verify messages by it.
  const opened = await openSellingSite(t, sellingCase, {}, { start: new Date() })
  const { id } = await purchase(opened, ann)
  const { m, fake } = opened
  const { month: price } = sellingCase.prices
  return { m, fake, id, customer: sellingCase.customerOf(fake, ann), webhook: sellingCase.webhook, price }
}

async function listen(ends: (() => unknown)[]) {
  const told: Told[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    told.push({ body: Buffer.concat(parts).toString(), headers: request.headers as Record<string, string> })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.unshift(() => server.close().closeAllConnections())
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** The same address with TLS, by a certificate that this process made for itself and takes for good. */
async function behindTls(url: string, ends: (() => unknown)[]): Promise<string> {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=localhost',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  )
  const { hostname, port } = new URL(url)
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const inner = connect(Number(port), hostname)
    for (const item of [socket, inner]) item.on('error', () => (item === socket ? inner : socket).destroy())
    socket.pipe(inner).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  ends.unshift(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function walk(
  name: string,
  { package: wanted, needsHttps, talk, hear, hearing }: Talk,
): Promise<string> {
  const ends: (() => unknown)[] = []
  try {
    const sdk = await load(nameOf(wanted))
    const { m, fake, id, customer, webhook, price } = await buy(name, ends)
    const checkout = fake.books.list('checkout').find((page) => page.status === 'complete')?.id ?? ''
    const { told, url } = await listen(ends)
    if (hear) fake.sendTo({ url, secret: webhook })
    const before = (await memberOf(m, ann)).subscriptions()[0]!
    assert.equal(before.id, id)
    const api = needsHttps ? { url: await behindTls(fake.url, ends), secret: fake.secret } : fake
    const heard = await talk({ sdk, fake: api, customer, subscription: id, price, checkout })
    assert.deepEqual(
      { email: heard.email, status: heard.status, paid: heard.paid },
      { email: ann, status: before.status, paid: [900] },
    )
    await fake.deliver()
    const verifier = hearing === undefined ? sdk : await load(hearing)
    const types = await Promise.all(
      hear ? told.map((item) => hear({ sdk: verifier, told: item, secret: webhook })) : [],
    )
    if (hear) assert.ok(types.length > 0, 'a message came')
    const others = heard.others === undefined ? '' : `; ${heard.others} other objects read`
    return `cancelled: ${heard.cancelled}${others}; ${hear ? `verified: ${types.join(', ')}` : 'it verifies no message'}`
  } finally {
    for (const end of ends) await end()
  }
}

/** By the newest packages, in a folder beside: of some of them an older one talks. */
function judgeAnswers(): void {
  const newest = join(folder, 'newest')
  const file = values.requests === undefined ? join(folder, 'requests.jsonl') : resolve(values.requests)
  if (!existsSync(newest))
    installNewest(
      newest,
      keys.map((key) => subjects[key]!.sdk.package),
    )
  const failed = values.requests === undefined || !existsSync(file) ? record(file) : []
  for (const line of failed) console.log(`✘ The answers to these are missing: ${line}`)
  if (failed.length > 0) process.exitCode = 1
  for (const key of keys) {
    const subject = subjects[key]!
    const sdk = openSdk(newest, subject.sdk, [])
    const { judged, accepted, refusals } = judge(subject, sdk, answersIn(file, key))
    const sign = refusals.size === 0 ? '✔' : '✘'
    console.log(
      `${sign} ${key} by the types of ${subject.sdk.package} ${sdk.version}: ${accepted} of ${judged} objects accepted`,
    )
    for (const [reason, count] of [...refusals].sort()) console.log(`    ${count} × ${reason}`)
    if (refusals.size > 0) process.exitCode = 1
  }
}

try {
  if (kept === undefined) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'sdks', private: true }))
    const packages = names.map((name) => talks[name]!.package)
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline', ...packages], {
      cwd: folder,
      stdio: 'inherit',
    })
  }
  for (const name of names) {
    const talk = talks[name]!
    console.log(
      `✔ ${talk.title} by ${nameOf(talk.package)} ${versionOf(talk.package)}: ${await walk(name, talk)}`,
    )
  }
  judgeAnswers()
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
}
// What the tests' databases hook into the end of a process forgets the exit code.
process.exit(process.exitCode)
