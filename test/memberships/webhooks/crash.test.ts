import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { loader, programFile } from '../../support/command.ts'
import { allDatabases } from '../../support/databases.ts'
import { thorough } from '../../support/parts.ts'
import { start, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

const secret = 'whsec_crash'
const customers = 50

/** Numbers that look random and are the same every time. */
function random(seed: number) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
}

async function startHost(url: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [...loader, programFile('crash-host'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, port: Number(line.toString().trim()) }
}

const runs = allDatabases.flatMap((databases) => [
  { test, databases, kills: 5 },
  { test: thorough(test), databases, kills: 20 },
])

for (const { test, databases, kills } of runs)
  test.serial(
    `${databases.name.replace('Databases', '')}: what was acknowledged survives ${kills} kills, applied exactly once`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const url = await database.url()
      const chance = random(7)
      const acknowledged = new Map<string, { customer: number; version: number }>()
      const sent = new Map<string, { customer: number; version: number }>()
      const versions = Array.from({ length: customers }, () => 0)
      let counter = 0

      const post = async (port: number, signal: AbortSignal) => {
        const customer = Math.floor(chance() * customers)
        versions[customer]!++
        const version = versions[customer]!
        const id = `evt_${++counter}`
        const object = subscriptionObject({
          id: `sub_${customer}`,
          customer: `cus_${customer}`,
          metadata: { version: String(version) },
        })
        const event = stripeEvent('customer.subscription.updated', object, { id, created: start + version })
        const { body, headers } = signed('stripe', event, { secret })
        sent.set(id, { customer, version })
        try {
          const answer = await fetch(`http://127.0.0.1:${port}/membership/webhooks/stripe`, {
            method: 'POST',
            body: new Uint8Array(body),
            headers,
            signal,
          })
          if (answer.status === 200) acknowledged.set(id, { customer, version })
          await answer.arrayBuffer()
        } catch {
          // The line was cut: whether it was applied, nobody told us.
        }
      }

      for (let round = 0; round < kills; round++) {
        const { child, port } = await startHost(url)
        const stop = new AbortController()
        const workers = Array.from({ length: 16 }, async () => {
          while (!stop.signal.aborted) await post(port, stop.signal)
        })
        // At a moment that the machine's speed does not move: after so many answers, in the midst of the next ones.
        const enough = acknowledged.size + 5 + Math.floor(chance() * 80)
        while (acknowledged.size < enough) await new Promise((next) => setTimeout(next, 1 + chance() * 4))
        child.kill('SIGKILL')
        await once(child, 'close')
        stop.abort()
        await Promise.all(workers)
      }

      const m = await createMembership({
        'membership.database.url': url,
        'membership.providers.stripe.webhook': secret,
        install: false,
        root: false,
        log: () => {},
      })
      t.teardown(() => m.close())
      const events = await m.storage.read((db) => db.selectFrom('events').select(['event_id', 'status']))
      const counted = new Map<string, number>()
      for (const { event_id } of events) counted.set(event_id, (counted.get(event_id) ?? 0) + 1)
      t.deepEqual(
        [...acknowledged.keys()].filter((id) => counted.get(id) !== 1),
        [],
        'each acknowledged event is there once',
      )
      t.true(events.every(({ status }) => status === 'processed'))
      t.deepEqual(
        events.filter(({ event_id }) => !sent.has(event_id)),
        [],
      )

      // What is in the inbox is in the ledger, and nothing else: both or neither.
      const newest = new Map<number, number>()
      for (const { event_id } of events) {
        const { customer, version } = sent.get(event_id)!
        newest.set(customer, Math.max(newest.get(customer) ?? 0, version))
      }
      const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select(['id', 'data']))
      const applied = new Map(
        rows.map(({ id, data }) => [
          Number(id.slice(4)),
          Number((JSON.parse(data) as { metadata: { version: string } }).metadata.version),
        ]),
      )
      t.deepEqual([...applied].sort(), [...newest].sort(), 'every customer stands at its newest event')
      t.true(acknowledged.size >= 5 * kills)
      t.log(`${kills} kills, ${sent.size} sent, ${acknowledged.size} acknowledged, ${events.length} stored`)
    },
  )
