// npm run chaos -- [--seed random|text] [--minutes 10] [--buyers 40] [--no-build] [--keep-log FILE]
// A site on several machines, all played on this one, sells through nine providers while everything around it is killed,
// stopped, filled, cut off and set wrong at random. At the end its books are compared with the providers'. The same seed
// plays the same troubles in the same order. Needs root (for a disk of a fixed size), and Debian's postgresql, haproxy,
// pgbouncer, redis-server and faketime.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { FakeServer } from '../../src/fakes/engine/index.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import type { Mail } from '../../src/memberships/mails/index.ts'
import { kill, treeOf } from '../fleet/cpu.ts'
import { createChance } from '../simulation/chance.ts'
import { createFigures, lineOf } from '../simulation/figures.ts'
import { type Seller, sellers } from '../simulation/sellers.ts'
import { problemsOf } from '../simulation/year.ts'
import { type Buyer, openShop, settingsOf, type Year } from '../simulation/year-site.ts'
import { atTheProvider, visit } from '../simulation/year-visits.ts'
import { createMailbox, createVisitor, logIn } from '../support/visitor.ts'
import { Machines } from './machines.ts'
import { troubles } from './troubles.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: 'random' },
    minutes: { type: 'string', default: '10' },
    buyers: { type: 'string', default: '40' },
    'no-build': { type: 'boolean', default: false },
    'keep-log': { type: 'string' },
  },
})
const seed = values.seed === 'random' ? randomBytes(4).toString('hex') : values.seed
function endsAt() {
  return begun + Number(values.minutes) * 60_000
}
const dayMs = 86_400_000
const start = new Date()

if (!values['no-build']) execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
console.log(`seed ${seed}, ${values.minutes} minutes, ${values.buyers} buyers, ${sellers.length} providers`)
const folder = await mkdtemp(join(tmpdir(), 'membership-chaos-'))
const machines = new Machines(folder)
// However this ends: only what it started is ended, and nothing of that is left.
process.on('exit', () => {
  for (const pid of treeOf(process.pid).slice(1)) kill(pid)
  try {
    execFileSync('umount', ['-l', machines.disk], { stdio: 'ignore' })
  } catch {}
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Deliveries that the site acknowledged, by the hash of the body. */
const acknowledged = new Map<string, { readonly provider: string; readonly body: string }>()
const figures = createFigures()
const compared = new Map<string, number>()
/** Since when somebody has their session. */
const inside = new Map<Buyer, number>()
const site = await machines.open()
const mailbox = createMailbox()
machines.mail = (mail) => void mailbox.sent.push(mail as unknown as Mail & { id: string })
const shops: { seller: Seller; fake: FakeServer }[] = []
for (const seller of sellers)
  shops.push({
    seller,
    fake: await openShop(seller, {
      seed,
      site,
      start,
      running: true,
      // Nothing is dropped: what was not acknowledged is sent again until it is.
      chaos: { duplicate: 0.06, delay: 0.12, reorder: 0.15 },
      fetch: (request) => deliver(seller.key, request),
    }),
  })
function now() {
  return shops[0]!.fake.now()
}
const options = {
  'membership.database.url': machines.pooler.url,
  'membership.url': site,
  'membership.provider.handler': 'stripe' as const,
  'membership.provider.choices': sellers.map(({ key }) => key as 'stripe'),
  ...Object.fromEntries(shops.map((shop) => [`membership.providers.${shop.seller.key}`, settingsOf(shop)])),
  'membership.ratelimit.limit': 10_000_000,
  'membership.ratelimit.store': `redis://127.0.0.1:${machines.redisPort}`,
  'membership.ratelimit.trust_proxy': 1,
  'membership.secret': 'a secret of the chaos, long enough to be one',
  'membership.compare.automatic': false,
}
await machines.openSites(options)
const observer = await createMembership({
  ...options,
  install: false,
  root: false,
  now,
  log: () => {},
  ...mailbox.options,
})
const buyers: Buyer[] = Array.from({ length: Number(values.buyers) }, (_, n) => ({
  email: `m${n + 1}@example.com`,
  visitor: createVisitor(site),
  pages: new Set<string>(),
  history: [],
}))
const years = shops.map(
  (shop): Year => ({
    ...shop,
    site,
    mailbox,
    buyers,
    figures,
    outages: [],
    m: observer,
    handler: 'stripe',
    restart: async () => {},
  }),
)

const begun = Date.now()
let isOver = false
try {
  const work = [...shops.map(({ fake }) => keepDelivering(fake)), ...[1, 2, 3].map(keepVisiting), keepTime()]
  await playTroubles()
  isOver = true
  await Promise.all(work)
  for (let n = 0; n < machines.sites.length; n++) machines.skew(n, 0)
  await settle()
  const wrong = await wrongAtTheEnd(observer)
  console.log(`actions: ${lineOf(figures.counts.actions)}`)
  console.log(`refused: ${lineOf(figures.counts.refused)}`)
  console.log(`failed: ${lineOf(figures.counts.failed)}`)
  console.log(`compared objects: ${lineOf(compared)}`)
  console.log(`world: ${lineOf(figures.counts.world)}`)
  const lost = await lostDeliveries()
  console.log(
    `${acknowledged.size} different deliveries acknowledged, ${lost.length} lost; ${buyers.length} buyers, ${wrong.length} wrong; seed ${seed}`,
  )
  for (const line of [...lost, ...wrong]) console.log(line)
  if (lost.length + wrong.length > 0) process.exitCode = 1
} finally {
  isOver = true
  if (values['keep-log'] !== undefined) writeFileSync(values['keep-log'], machines.log.join(''))
  await observer.close().catch(() => {})
  for (const { fake } of shops) await fake.close()
  await machines.close()
}

async function deliver(provider: string, request: Request): Promise<Response> {
  const body = Buffer.from(await request.clone().arrayBuffer())
  const answer = await fetch(request)
  // A classic webhook of Mollie's only names an object: the comparison at the end says whether that was fetched.
  const isPing = provider === 'mollie' && body.subarray(0, 3).toString() === 'id='
  if (answer.ok && !isPing)
    acknowledged.set(createHash('sha256').update(body).digest('hex'), { provider, body: String(body) })
  return answer
}

async function keepDelivering(fake: FakeServer): Promise<void> {
  while (!isOver) {
    const { delivered, failed } = await fake.deliver({ retry: false })
    figures.count('world', 'delivered', delivered)
    figures.count('world', 'deliveries refused', failed)
    await pause(failed > 0 ? 1000 : 200)
  }
}

/** Buyers come one after the other; three lines of them at once, each with a third of them. */
async function keepVisiting(line: number): Promise<void> {
  const own = buyers.filter((_, n) => n % 3 === line - 1)
  const chance = createChance(seed, `line ${line}`)
  while (!isOver) {
    const buyer = chance.of(own)
    const held = years.find((year) => [...buyer.pages].some((page) => hasPage(year, page)))
    const year = held !== undefined && chance.one(0.8) ? held : chance.of(years)
    try {
      if (!(await comesIn(year, buyer))) figures.count('failed', 'a login')
      else if (chance.one(0.12)) atTheProvider(year, chance, buyer)
      else await visit(year, chance, buyer)
    } catch (error) {
      figures.count('failed', `a visit: ${String((error as Error).message).slice(0, 40)}`)
      buyer.history.push(`${now().toISOString()} a visit failed: ${String(error).slice(0, 120)}`)
    }
    await pause(chance.number(20, 200))
  }
}

/** Somebody with an account buys only when logged in: nobody can prevent a second purchase by a stranger with that address. */
async function comesIn(year: Year, buyer: Buyer): Promise<boolean> {
  const { cookies } = buyer.visitor
  const since = inside.get(buyer)
  // A session ends after thirty days.
  if (since !== undefined && now().getTime() - since > 25 * dayMs) cookies.delete('membership_session')
  if (!cookies.has('membership_session')) {
    inside.delete(buyer)
    if ((await observer.users.findByEmail(buyer.email)) === null) return true
    await logIn(year, mailbox, buyer.email, buyer.visitor).catch(() => cookies.delete('membership_session'))
    if (!cookies.has('membership_session')) return false
  }
  if (!inside.has(buyer)) inside.set(buyer, now().getTime())
  return true
}

function hasPage({ fake }: Year, page: string): boolean {
  return fake.books.list('checkout').some(({ id, subscription }) => id === page || subscription === page)
}

/** Days pass every few seconds, for the providers and for the site. */
async function keepTime(): Promise<void> {
  const chance = createChance(seed, 'time')
  while (!isOver) {
    await pause(chance.number(3000, 8000))
    await passTime(chance.number(1, 5) * dayMs)
    figures.count('world', 'days', 1)
  }
}

async function passTime(ms: number): Promise<void> {
  const to = new Date(now().getTime() + ms)
  for (const { fake } of shops) await fake.advance(to)
  machines.setClocks(to.getTime() - Date.now())
}

async function playTroubles(): Promise<void> {
  const chance = createChance(seed, 'troubles')
  const weights = Object.fromEntries(Object.entries(troubles).map(([name, { weight }]) => [name, weight]))
  const stage = {
    machines,
    fakes: shops.map(({ seller, fake }) => ({ key: seller.key, fake })),
  }
  await pause(3000)
  while (Date.now() < endsAt()) {
    const name = chance.weighted(weights)
    // Of their own stream: what one draws moves no other.
    const own = createChance(seed, `trouble ${chance.next()}`)
    const at = ((Date.now() - begun) / 1000).toFixed(0).padStart(4)
    const became = await troubles[name]!.play(stage, own)
    figures.count('world', name)
    console.log(`${at} s  ${name}: ${became}`)
    await pause(chance.number(500, 5000))
  }
}

/** Everything arrives, and what waits for its next try is tried. */
async function settle(): Promise<void> {
  for (let round = 0; round < 12; round++) {
    for (const { fake } of shops) await fake.deliver({ settle: true })
    await observer.runDueJobs()
    await passTime(round < 4 ? 5000 : 6 * 3_600_000)
    // Until every process has read its clock.
    await pause(1500)
  }
  for (const { fake } of shops) {
    const { pending } = await fake.deliver({ settle: true })
    if (pending > 0) figures.count('world', 'never delivered', pending)
  }
  await observer.runDueJobs()
}

async function wrongAtTheEnd(m: Membership): Promise<string[]> {
  const wrong: string[] = []
  if ((figures.counts.actions.get('pay') ?? 0) === 0)
    wrong.push('nobody bought anything: the run proves nothing')
  for (const buyer of buyers) wrong.push(...(await problemsOf(years, buyer)))
  for (const { event_id, status, reason } of await m.webhooks.list({ failed: true }))
    wrong.push(`the event ${event_id} is ${status}: ${reason}`)
  for (const { key } of sellers) {
    const { checked, differences } = await m.operator.compare({ provider: key })
    compared.set(key, checked)
    // Facts that change nobody's access, such as the price of a declined payment, are filled in by the next comparison.
    for (const found of differences.filter(({ here, there }) => here?.opens !== there?.opens))
      wrong.push(
        `${key}: ${found.kind} ${found.object} ${found.id}: here ${JSON.stringify(found.here)}, there ${JSON.stringify(found.there)}`,
      )
  }
  return wrong
}

async function lostDeliveries(): Promise<string[]> {
  const there = new Set(
    (await machines.query<{ body_hash: string }>('select body_hash from events')).map((row) => row.body_hash),
  )
  return [...acknowledged]
    .filter(([hash]) => !there.has(hash))
    .map(([, { provider, body }]) => `lost: ${provider} ${body.slice(0, 200)}`)
}
