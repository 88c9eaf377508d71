import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'
import { freshDatabase } from './databases.ts'
import { keepAliveTimeout } from './patience.ts'

export const secret = 'whsec_of_the_tests'

/** An instance behind a real HTTP server, both closed with the test. */
export async function openHost(t: ExecutionContext, options: MembershipOptions = {}) {
  const log: string[] = []
  const m: Membership = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...options,
  })
  const server = createServer({ keepAliveTimeout }, m.listener()).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { m, log, site, hook: `${site}/membership/webhooks/stripe`, port: Number(new URL(site).port) }
}

export async function stored(m: Membership): Promise<number> {
  return (await m.storage.read((db) => db.selectFrom('events').select('seq'))).length
}
