import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership, type Membership } from '../../src/index.ts'
import type { AfterEvents, Hooks } from '../../src/memberships/hooks/hook-events.ts'
import { createFakeStripe, type FakeStripeOptions } from '../../src/testkit/index.ts'
import type { Chance } from './chance.ts'
import { configuration, prices, webhookSecret } from './plan.ts'

/** What an after-hook was told. */
export interface Told {
  readonly name: keyof AfterEvents
  readonly id: string
  readonly member: string
  readonly event: Record<string, unknown>
}

const afterHooks: readonly (keyof AfterEvents)[] = [
  'payment.received',
  'subscription.started',
  'subscription.changed',
  'subscription.renewed',
  'subscription.canceled',
  'member.created',
  'access.changed',
]

/**
 * The site under test: one address, and behind it as many processes' worth of instances as there are at the moment, on
 * one database. A crash takes the database away under everything that an instance is doing.
 */
export async function openSite(given: {
  database: string
  chance: Chance
  start: Date
  seed: string
  chaos?: FakeStripeOptions['chaos']
  faults?: FakeStripeOptions['faults']
}) {
  const { chance } = given
  const server = createServer((request, response) => {
    const item = running[Math.floor(chance.next() * running.length)]
    served++
    if (item) item.listen(request, response)
    else response.writeHead(503, { 'Retry-After': '1' }).end()
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake = await createFakeStripe({
    faults: given.faults,
    seed: given.seed,
    start: given.start,
    webhook: { url: `${site}/membership/webhooks/stripe`, secret: webhookSecret },
    chaos: given.chaos ?? { drop: 0.04, duplicate: 0.06, delay: 0.12, reorder: 0.15 },
  })
  for (const price of prices) fake.addPrice(price)

  const running: { m: Membership; listen: ReturnType<Membership['listener']> }[] = []
  let served = 0
  const told: Told[] = []
  const logged = new Map<string, number>()
  const mails: { to: string; kind: string; text: string; id: string }[] = []

  const hooks: Hooks = Object.fromEntries(
    afterHooks.map((name) => [
      name,
      ({ member, ...rest }: Record<string, unknown>) => {
        if (chance.one(0.01)) throw new Error('the site’s hook failed')
        // As data: a member holds the whole instance that told of it, long after a restart.
        const event = JSON.parse(JSON.stringify(rest)) as Record<string, unknown>
        told.push({ name, id: String(event.id), member: (member as { id: string }).id, event })
      },
    ]),
  )

  const open = async (): Promise<Membership> => {
    const m = await createMembership({
      ...configuration({ database: given.database, site, fake }),
      'membership.compare.automatic': false,
      now: () => fake.now(),
      hooks,
      mails: {
        transport: async (mail) => {
          if (chance.one(0.01)) throw new Error('the mail server is away')
          mails.push(mail)
        },
      },
      log: (message) => logged.set(message, (logged.get(message) ?? 0) + 1),
    })
    running.push({ m, listen: m.listener() })
    return m
  }

  const stop = async (how: 'close' | 'crash'): Promise<void> => {
    const item = running.shift()
    if (!item) return
    // What is under way finds no database any more, as if the power had gone.
    if (how === 'crash') await item.m.storage.close()
    await item.m.close().catch(() => {})
  }

  await open()
  await running[0]!.m.operator.catalogue.refresh('stripe')
  return {
    site,
    fake,
    told,
    logged,
    mails,
    open,
    stop,
    instances: () => running.length,
    m: () => running[0]!.m,
    served: () => served,
    close: async () => {
      server.closeAllConnections()
      server.close()
      while (running.length > 0) await stop('close')
      await fake.close()
    },
  }
}
export type Site = Awaited<ReturnType<typeof openSite>>
