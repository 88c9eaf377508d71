import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { customerObject, invoiceObject, stripeEvent, subscriptionObject } from '../support/stripe-events.ts'
import { createCluster } from './cluster.ts'
import { send, type Target, toTarget } from './load.ts'
import { endSites, startSite } from './sites.ts'

const processes = 4
const members = 200
const longestMs = 300_000

/** What one process asked for or told, by its name, and when; ended where it was answered. */
interface Seen {
  readonly name: string
  readonly by: number
  readonly at: number
  isDone: boolean
}

/** One of four processes is killed while it has hooks and questions to the provider in hand: the others do them. */
export async function runKilled(folder: string): Promise<void> {
  const cluster = await createCluster(folder)
  await cluster.query('create database site')
  const seen: Seen[] = []
  const outsides = await Promise.all(Array.from({ length: processes }, (_, n) => startOutside(n, seen)))
  const [first, ...others] = outsides.map(({ url }) =>
    startSite(
      cluster.url('site'),
      { 'membership.providers.stripe.secret': 'sk_test_fleet', 'membership.providers.stripe.api_base': url },
      { hookUrl: `${url}/hook` },
    ),
  )
  const sites = [await first!, ...(await Promise.all(others))]
  const targets = sites.map(({ port }) => toTarget(port, 8))
  try {
    const acknowledged = new Set<string>()
    const load = Promise.all(
      Array.from({ length: members }, async (_, n) => {
        await pause(n * 50)
        for (const event of lifeOf(n)) {
          await sendSomewhere(targets, n, event)
          acknowledged.add(String(event.id))
        }
      }),
    )
    const inHand = () => seen.filter(({ by, isDone }) => by === 0 && !isDone)
    const kinds = () => new Set(inHand().map(({ name }) => name.split(' ')[0]))
    while (kinds().size < 2) await pause(5)
    sites[0]!.kill('SIGKILL')
    const killedAt = performance.now()
    const left = inHand().map(({ name }) => name)
    await load
    await takenOver({ seen, left, killedAt })
    const [{ n } = { n: 0 }] = await cluster.query<{ n: number }>(
      'select count(*)::int as n from events',
      'site',
    )
    console.log(`\n${acknowledged.size} deliveries acknowledged, ${n} in the database.`)
    if (n < acknowledged.size) throw new Error('an acknowledged event is missing')
  } finally {
    await Promise.all(targets.map(({ pool }) => pool.destroy()))
    await endSites(sites)
    for (const { close } of outsides) close()
    await cluster.stop()
  }
}

/** The provider and the site's own hook, as one process sees them: both take half a second. */
async function startOutside(by: number, seen: Seen[]) {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://outside')
    const name = pathname === '/hook' ? `hook ${searchParams.get('id')}` : `question ${pathname}`
    const item: Seen = { name, by, at: performance.now(), isDone: false }
    seen.push(item)
    await pause(500)
    item.isDone = !response.destroyed
    response.statusCode = pathname === '/hook' ? 200 : 404
    response.end('{"error":{"type":"invalid_request_error","code":"resource_missing"}}')
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A member who buys, and an invoice whose subscription is asked for. */
function lifeOf(n: number) {
  const [customer, email] = [`cus_${n}`, `m${n}@example.com`]
  return [
    stripeEvent('customer.created', customerObject({ id: customer, email })),
    stripeEvent('customer.subscription.created', subscriptionObject({ id: `sub_${n}`, customer })),
    stripeEvent(
      'invoice.paid',
      invoiceObject({ id: `in_${n}`, customer, customer_email: email, subscription: `sub_other_${n}` }),
    ),
  ]
}

/** As a provider behind a proxy: whoever does not answer is passed over. */
async function sendSomewhere(targets: readonly Target[], n: number, event: object): Promise<void> {
  for (let tries = n; ; tries++) {
    const { status } = await send(targets[tries % targets.length]!, event as Record<string, unknown>)
    if (status === 200) return
    await pause(100)
  }
}

async function takenOver(input: { seen: Seen[]; left: string[]; killedAt: number }): Promise<void> {
  const { seen, left, killedAt } = input
  const again = (name: string) =>
    seen.find((item) => item.name === name && item.by !== 0 && item.at > killedAt && item.isDone)
  while (left.some((name) => !again(name)) && performance.now() < killedAt + longestMs) await pause(500)
  console.log('\n### A process is killed\n\n| in its hand | done by another after, s |\n|---|---|')
  for (const name of left) {
    const at = again(name)?.at
    console.log(`| ${name.slice(0, 60)} | ${at ? ((at - killedAt) / 1000).toFixed(0) : 'NOT'} |`)
  }
  const meanwhile = seen.filter(({ at, by }) => at > killedAt && by !== 0).length - left.length
  console.log(`\nMeanwhile the others did ${meanwhile} more.`)
  if (left.some((name) => !again(name))) throw new Error('what a killed process had in hand was left')
}
