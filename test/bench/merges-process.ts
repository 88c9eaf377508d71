// One of two processes at one PostgreSQL: node --import tsx merges-process.ts FOLDER DATABASE_URL merges|purchases
// Prints "ready". `merges` merges and separates pairs of accounts whenever it is told anything, and prints a line of
// JSON. `purchases` takes messages about purchases from one line to the next, and prints how many.
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { secret } from './events.ts'
import { hotEvent } from './hot-events.ts'

const [folder = '', url = '', role = 'merges'] = process.argv.slice(2)
function load<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(folder, path)).href)
}
const { createMembership } = await load<typeof import('../../src/index.ts')>('src/index.ts')
const { signed } = await load<typeof import('../../src/testkit/index.ts')>('src/testkit/index.ts')

const customers = 500
const pairs = 40
const connections = 16
const m = await createMembership({
  'membership.database.url': url,
  'membership.providers.stripe.webhook': secret,
  'membership.compare.automatic': false,
  install: false,
  root: false,
  log: () => {},
})
let next = role === 'merges' ? 0 : 1_000_000
function receive() {
  const body = Buffer.from(JSON.stringify(hotEvent(next++, customers)))
  return m.webhooks.receive('stripe', signed('stripe', body, { secret }))
}

async function mergeAll() {
  const times: number[] = []
  let refused = 0
  for (let n = 0; n < pairs; n++) {
    const [keep, merge] = await Promise.all(
      [2 * n, 2 * n + 1].map((who) => m.users.findByEmail(`c${who}@example.com`)),
    )
    // Only a proved address is merged.
    for (const user of [keep!, merge!]) if (!user.email_verified) await m.users.verify(user.id)
    const begun = performance.now()
    await m.users.merge({ keep: keep!.id, merge: merge!.id, by: 'bench', write: true }).then(
      () => times.push(performance.now() - begun),
      () => refused++,
    )
    await m.users.unmerge({ merged: merge!.id, by: 'bench' }).catch(() => refused++)
  }
  return { times, refused }
}

let isTaking = false
let taken = 0
async function take() {
  while (isTaking) {
    await receive().catch(() => undefined)
    taken++
  }
}

// Each account has several purchases.
if (role === 'merges')
  for (let n = 0; n < 20 * customers; n += 32) await Promise.all(Array.from({ length: 32 }, receive))
console.log('ready')
let taking: Promise<unknown> = Promise.resolve()
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break
  if (role === 'merges') console.log(JSON.stringify(await mergeAll()))
  else {
    isTaking = !isTaking
    if (isTaking) taking = Promise.all(Array.from({ length: connections }, take))
    else await taking
    console.log(JSON.stringify(taken))
    taken = 0
  }
}
await m.close()
process.stdout.end()
await once(process.stdout, 'finish')
process.exit(0)
