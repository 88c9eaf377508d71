import { rmSync } from 'node:fs'
import test from 'ava'
import pg from 'pg'
import { isMembershipError } from '../../../src/core/errors.ts'
import { signed } from '../../../src/testkit/signed.ts'
import { postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openHost, secret, stored } from '../../support/host.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

/** A database that cuts everybody off and lets nobody in, until it is back. */
async function createOutage(url: string) {
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: url.replace(`/${name}`, '/postgres') })
  await admin.connect()
  return {
    begin: async () => {
      await admin.query(`alter database ${name} with allow_connections false`)
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    },
    end: () => admin.query(`alter database ${name} with allow_connections true`),
    close: () => admin.end(),
  }
}

test('while PostgreSQL is unavailable deliveries get 503 and nothing is acknowledged; afterwards they are accepted', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const url = await database.url()
  const outage = await createOutage(url)
  t.teardown(outage.close)
  const { hook, m } = await openHost(t, { 'membership.database.url': url })
  const deliver = (id: string) => {
    const event = stripeEvent(
      'customer.subscription.created',
      subscriptionObject({ id: `sub_${id}`, customer: `cus_${id}` }),
      {
        id: `evt_${id}`,
      },
    )
    const { body, headers } = signed('stripe', event, { secret })
    return fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })
  }
  t.is((await deliver('before')).status, 200)

  await outage.begin()
  // Together: some may have been on their way when the line was cut.
  for (const answer of await Promise.all(['1', '2', '3', '4', '5'].map(deliver))) {
    t.is(answer.status, 503)
    t.truthy(answer.headers.get('retry-after'))
    t.is(((await answer.json()) as { code: string }).code, 'ERR_STORAGE')
  }
  const read = await t.throwsAsync(m.users.findByEmail('ada@example.com'))
  t.true(isMembershipError(read, 'ERR_STORAGE'), read?.message)

  await outage.end()
  t.deepEqual(
    (await Promise.all(['1', '2', '3', '4', '5', 'before'].map(deliver))).map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  )
  t.is(await stored(m), 6)
})

test('after the SQLite file is deleted deliveries get 503, and one log line says why', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const url = await database.url()
  const { hook, m, log } = await openHost(t, { 'membership.database.url': url })
  const deliver = (id: string) => {
    const object = subscriptionObject({ id: `sub_${id}`, customer: `cus_${id}` })
    const { body, headers } = signed('stripe', stripeEvent('customer.subscription.created', object), {
      secret,
    })
    return fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })
  }
  t.is((await deliver('before')).status, 200)
  rmSync(url.slice('sqlite:'.length))
  for (const id of ['1', '2', '3', '4', '5']) t.is((await deliver(id)).status, 503)
  await t.throwsAsync(m.users.findByEmail('ada@example.com'), { code: 'ERR_STORAGE' })
  // A background job that runs meanwhile reports its own failure.
  const reports = log.filter((line) => line.startsWith('The database file'))
  t.is(reports.length, 1, log.join('\n'))
  t.true(reports[0]?.includes('was deleted while it was in use'))
})
