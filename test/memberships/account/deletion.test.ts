import { existsSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import type { Storage } from '../../../src/core/storage/index.ts'
import type { Membership } from '../../../src/index.ts'
import { createFields, createSelfService } from '../../../src/memberships/account/index.ts'
import { deliver, settings } from '../../support/converge.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { annLeaves, annsEvents, deletionsOf, everything, tracesOf } from '../../support/leaving.ts'
import { Database } from '../../support/sqlite.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  invoiceObject,
  refundObject,
  start,
  stripeEvent,
  subscriptionObject,
} from '../../support/stripe-events.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

const ann = /ann\b|annville/i
const hour = 3_600_000

async function rows<T>(
  m: Membership,
  table: 'members' | 'customers' | 'payments' | 'subscriptions' | 'sessions',
) {
  return (await m.storage.read((db) => db.selectFrom(table).selectAll())) as T[]
}

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test.serial(`${name}: a deleted account leaves amounts and dates, and no personal data`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const { m, ann: user, bob, deletions, provider } = await annLeaves(t, await database.url())
    t.true((await tracesOf(m, ann)).length > 10, 'there is something to lose')

    const done = await deletions.request(user.id)
    t.is(done.error, null)
    t.is(done.step, 'sweep')
    t.truthy(done.done_at)
    t.is(provider.asked, 1)
    t.deepEqual(await tracesOf(m, ann), [])

    const [left] = (await rows<{ id: string; email: null; roles: string }>(m, 'members')).filter(
      (row) => row.id === user.id,
    )
    t.is(left?.email, null)
    t.is(left?.roles, '[]')
    const empty = (await m.users.findById(user.id))!
    t.deepEqual(
      empty.subscriptions().map((s) => [s.id, s.status, s.price_id, s.unit_amount]),
      [['sub_1', 'canceled', 'price_gold', 900]],
    )
    t.deepEqual(
      empty
        .payments()
        .map((p) => [p.id, p.status, p.amount])
        .sort(),
      [
        ['in_1', 'paid', 900],
        ['pi_1', 'paid', 4900],
      ],
    )
    t.false(empty.hasGate('price_gift'), 'what was given is taken back')
    t.is(await m.users.findByEmail('ann@example.com'), null)

    const still = (await m.users.findById(bob.id))!
    t.is(still.name, 'Bob')
    t.true(still.subscriptionForPrice('price_gold')?.active, 'others keep what they have')
    const sessions = await rows<{ id: string; revoked_at: string | null }>(m, 'sessions')
    t.deepEqual(
      sessions.filter((s) => s.revoked_at === null).map((s) => s.id),
      ['ses_2'],
    )
    t.true((await tracesOf(m, /bob/i)).length > 3)

    const before = await everything(m)
    t.deepEqual(await deletions.request(user.id), done, 'asking again changes nothing')
    t.deepEqual(await everything(m), before)
    await t.throwsAsync(deletions.request('nobody'), { message: /no such account/ })
  })
}

test('the account is locked while the provider is down, nothing is lost, and retries grow longer', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, provider, clock } = await annLeaves(t, await database.url())
  provider.isDown = true
  const first = await deletions.request(user.id)
  t.is(first.step, 'cancel')
  t.regex(first.error ?? '', /does not answer/)
  t.true(await deletions.isLocked(user.id))
  const locked = (await m.users.findById(user.id))!
  t.is(locked.email, 'ann@example.com')
  t.is(locked.subscriptions().length, 1)
  t.deepEqual(
    (await deletions.unfinished()).map((d) => d.member_id),
    [user.id],
  )

  t.is(await deletions.runDue(), 0, 'not at once')
  clock.move(60_000)
  t.is(await deletions.runDue(), 1)
  clock.move(60_000)
  t.is(await deletions.runDue(), 0, 'the second time it waits five minutes')
  clock.move(4 * 60_000)
  t.is(await deletions.runDue(), 1)
  t.is((await deletions.find(user.id))?.attempts, 3)

  provider.isDown = false
  clock.move(15 * 60_000)
  await deletions.runDue()
  t.truthy((await deletions.find(user.id))?.done_at)
  t.deepEqual(await tracesOf(m, ann), [])
  t.deepEqual(await deletions.unfinished(), [])
})

for (const isDown of [true, false])
  test(`a deletion that ${isDown ? 'failed' : 'was done'} under a wrong clock is retried when the clock is right, not next year`, async (t) => {
    const database = await sqliteDatabases()
    t.teardown(() => database.close())
    const { m, ann: user, deletions, provider, clock } = await annLeaves(t, await database.url())
    const year = 365 * 24 * hour
    provider.isDown = isDown
    clock.move(year)
    await deletions.request(user.id)
    clock.move(-year)
    t.is(await deletionsOf(m, clock.now).deletions.runDue(), 1)
    const { done_at, next_try_at } = (await deletions.find(user.id))!
    t.true(done_at! <= clock.now().toISOString())
    t.is(Date.parse(next_try_at!), clock.now().getTime() + hour)
  })

test('a cancellation that the provider confirms but does not execute keeps the account from being erased', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, provider } = await annLeaves(t, await database.url())
  provider.isSilent = true
  const stuck = await deletions.request(user.id)
  t.is(stuck.done_at, null)
  t.regex(stuck.error ?? '', /stripe sub_1/)
  t.is((await m.users.findById(user.id))?.email, 'ann@example.com')
})

/** The next event of a database has a number beyond `by`. */
async function raiseNumbers(url: string, by: number): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const db = new Database(url.slice('sqlite:'.length))
    db.prepare('update events set seq = seq + ?').run(by)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("select setval(pg_get_serial_sequence('events', 'seq'), $1)", [by + 1000])
  await client.end()
}

/** Counts the reads of a deletion on a site that has received so many events before. */
async function readsOfDeletion(t: ExecutionContext, url: string, eventsBefore: number): Promise<number> {
  const { m, ann: user, clock } = await annLeaves(t, url)
  await raiseNumbers(url, eventsBefore)
  const late = customerObject({ id: 'cus_b', email: 'bob@example.com', name: 'Bob' })
  await deliver(m, stripeEvent('customer.updated', late, { id: 'evt_b3', created: start + 9 }))
  let reads = 0
  const counted: Storage = {
    ...m.storage,
    all: (statement, params) => {
      reads++
      return m.storage.all(statement, params)
    },
    read: (query) => {
      reads++
      return m.storage.read(query)
    },
  }
  const { deletions } = deletionsOf(m, clock.now, counted)
  t.truthy((await deletions.request(user.id)).done_at)
  t.deepEqual(await tracesOf(m, ann), [])
  return reads
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a deletion costs the same after five million events as after ten`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const young = await readsOfDeletion(t, await database.url(), 0)
      const old = await readsOfDeletion(t, await database.url(), 5_000_000)
      t.is(old, young)
    },
  )

test('a deletion finds what names the member behind many bodies of others, and leaves others their turn', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions } = await annLeaves(t, await database.url())
  for (let n = 0; n < 450; n++)
    await deliver(
      m,
      stripeEvent(
        'customer.created',
        customerObject({ id: `cus_${n + 100}`, email: `other${n}@example.com`, name: 'Other' }),
        {
          id: `evt_other_${n}`,
        },
      ),
    )
  await deliver(
    m,
    stripeEvent(
      'some.note',
      { id: 'note_1', object: 'note', text: 'write to ann@example.com' },
      { id: 'evt_note' },
    ),
  )
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  t.truthy((await deletions.request(user.id)).done_at)
  clearInterval(timer)
  t.deepEqual(await tracesOf(m, ann), [])
  t.true(turns > 0)
  const bodies = await m.storage.read((db) =>
    db.selectFrom('events').select('event_id').where('body', 'is not', null),
  )
  t.is(bodies.filter(({ event_id }) => event_id.startsWith('evt_other_')).length, 450)
})

/** A storage that ends the process after so many commits. */
function dyingAfter(storage: Storage, commits: number): Storage {
  let left = commits
  return {
    ...storage,
    commit: async (unit) => {
      if (left === 0) throw new Error('the process is gone')
      await storage.commit(unit)
      left--
      if (left === 0) throw new Error('the process is gone')
    },
  }
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a deletion interrupted after any write ends like a complete one`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const timeless = async ({
        m,
        ann,
        bob,
        gift,
      }: Pick<Awaited<ReturnType<typeof annLeaves>>, 'm' | 'ann' | 'bob' | 'gift'>) => {
        const text = JSON.stringify(await everything(m))
          .replaceAll(ann.id, 'ann')
          .replaceAll(bob.id, 'bob')
          .replaceAll(gift, 'gift')
        const all = JSON.parse(text.replaceAll(/2026-03-\d\dT[\d:.]+Z/g, 'then')) as Record<string, unknown[]>
        return Object.values(all).map((found) => found.map((row) => JSON.stringify(row)).sort())
      }
      const whole = await annLeaves(t, await database.url())
      await whole.deletions.request(whole.ann.id)
      const wanted = await timeless(whole)
      let cuts = 0
      for (let commits = 1; ; commits++) {
        const next = await annLeaves(t, await database.url())
        const { m, ann: user, clock } = next
        const dying = deletionsOf(m, clock.now, dyingAfter(m.storage, commits))
        const survived = await dying.deletions.request(user.id).then(
          () => true,
          () => false,
        )
        if (survived) break
        cuts++
        // After the dead process's lease.
        clock.move(241_000)
        const { deletions } = deletionsOf(m, clock.now)
        await deletions.runDue()
        t.truthy((await deletions.find(user.id))?.done_at, `after ${commits}`)
        t.deepEqual(await tracesOf(m, ann), [], `after ${commits}`)
        t.deepEqual(await timeless(next), wanted, `after ${commits}`)
        await m.close()
      }
      t.true(cuts >= 6, `cut off ${cuts} times`)
    },
  )

// What a provider may still send about Ann, in whatever order, some of it for the first time.
const late = [
  ...annsEvents(),
  stripeEvent('customer.updated', customerObject({ name: 'Ann Again', email: 'ann@example.com' }), {
    id: 'evt_l1',
    created: start + 100,
  }),
  stripeEvent('charge.refunded', chargeObject({ amount_refunded: 4900, refunded: true }), {
    id: 'evt_l2',
    created: start + 101,
  }),
  stripeEvent('refund.created', refundObject(), { id: 'evt_l3', created: start + 101 }),
  // The checkout of hers that was still open, by a customer nobody has heard of.
  stripeEvent(
    'checkout.session.completed',
    checkoutObject({
      id: 'cs_open',
      customer: 'cus_2',
      payment_intent: 'pi_2',
      metadata: { membership_intent: 'int_2' },
    }),
    { id: 'evt_l4', created: start + 102 },
  ),
  stripeEvent('customer.created', customerObject({ id: 'cus_2', name: 'Ann' }), {
    id: 'evt_l5',
    created: start + 102,
  }),
  stripeEvent('charge.succeeded', chargeObject({ id: 'ch_2', customer: 'cus_2', payment_intent: 'pi_2' }), {
    id: 'evt_l6',
    created: start + 102,
  }),
  // A purchase from before she left that began elsewhere and arrives now.
  stripeEvent(
    'customer.subscription.created',
    subscriptionObject({ id: 'sub_3', customer: 'cus_3', status: 'canceled', ended_at: start + 103 }),
    { id: 'evt_l7', created: start + 103 },
  ),
  stripeEvent('customer.created', customerObject({ id: 'cus_3', name: 'Ann' }), {
    id: 'evt_l8',
    created: start + 103,
  }),
]

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: late and repeated events restore no member and no name`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(late, { minLength: 1 }), async (events) => {
          const { m, ann: user, deletions, clock } = await annLeaves(t, await database.url())
          await deletions.request(user.id)
          for (const event of events) await deliver(m, event)
          const named = (
            await rows<{ email: string | null; name: string | null; purchased: number; member_id: string }>(
              m,
              'customers',
            )
          ).filter(
            (row) => row.purchased === 1 && (row.email === 'ann@example.com' || /ann/i.test(row.name ?? '')),
          )
          t.deepEqual(named, [], 'the rows of her purchases have no name at any time')
          t.is((await rows(m, 'members')).length, 2)
          t.is(await m.users.findByEmail('ann@example.com'), null)
          clock.move(hour)
          await deletions.runDue()
          const bought = (
            await rows<{ customer_id: string; member_id: string | null; purchased: number }>(m, 'customers')
          ).filter((row) => row.customer_id !== 'cus_b')
          // Of a new customer nothing says that it is hers until its address or its checkout arrives.
          const has = (...ids: string[]) => events.some((event) => ids.includes(event.id))
          const strange = [...(has('evt_l4', 'evt_l5') ? [] : ['cus_2']), ...(has('evt_l8') ? [] : ['cus_3'])]
          for (const item of bought)
            t.is(item.member_id, strange.includes(item.customer_id) ? null : user.id, item.customer_id)
          if (strange.includes('cus_2') && has('evt_l6'))
            t.deepEqual(new Set(await tracesOf(m, ann)), new Set(['facts.data', 'events.body']))
          else t.deepEqual(await tracesOf(m, ann), [])
          await m.close()
        }),
        settings(database.name === 'sqlite' ? 40 : 8),
      )
    },
  )

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a subscription that appears after the deletion is cancelled as well`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const { m, ann: user, deletions, provider, clock } = await annLeaves(t, await database.url())
      await deletions.request(user.id)
      clock.move(60_000)
      await deliver(
        m,
        stripeEvent('customer.subscription.created', subscriptionObject({ id: 'sub_late' }), {
          created: start + 200,
        }),
      )
      clock.move(2 * 60_000)
      await deletions.runDue()
      t.is(provider.asked, 2)
      const states = (await rows<{ id: string; status: string }>(m, 'subscriptions')).filter(
        (s) => s.id !== 'sub_b',
      )
      t.deepEqual(
        states.map((s) => s.status),
        ['canceled', 'canceled'],
      )
    },
  )

test('a former member who buys again is a new member', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, clock } = await annLeaves(t, await database.url())
  await deletions.request(user.id)
  clock.move(24 * hour)
  const created = Math.floor(clock.now().getTime() / 1000)
  await deliver(m, stripeEvent('customer.created', customerObject({ id: 'cus_new' }), { created }))
  await deliver(
    m,
    stripeEvent('customer.subscription.created', subscriptionObject({ id: 'sub_new', customer: 'cus_new' }), {
      created: created + 1,
    }),
  )
  const again = await m.users.findByEmail('ann@example.com')
  t.truthy(again)
  t.not(again?.id, user.id)
  await deletions.runDue()
  t.true((await m.users.findByEmail('ann@example.com'))?.hasGate('price_gold'))
})

test('deleting an account with an unconfirmed address does not take another’s late purchases along', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, deletions } = await annLeaves(t, await database.url())
  const thief = await m.users.create({ email: 'carla@example.com' })
  t.truthy((await deletions.request(thief.id)).done_at)
  await deliver(
    m,
    stripeEvent('customer.created', customerObject({ id: 'cus_c', email: 'carla@example.com' }), {
      created: start + 10,
    }),
  )
  await deliver(
    m,
    stripeEvent('customer.subscription.created', subscriptionObject({ id: 'sub_c', customer: 'cus_c' }), {
      created: start + 11,
    }),
  )
  const carla = await m.users.findByEmail('carla@example.com')
  t.is(carla?.subscriptions().length, 1)
  t.not(carla?.id, thief.id)
})

test('after a month nothing recognises the address, and nothing is due', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, clock } = await annLeaves(t, await database.url())
  await deletions.request(user.id)
  const hash = async () =>
    (await m.storage.read((db) => db.selectFrom('deletions').select('email_hash')))[0]?.email_hash
  t.truthy(await hash())
  for (const hours of [1, 47, 30 * 24]) {
    clock.move(hours * hour)
    t.is(await deletions.runDue(), 1)
  }
  t.is(await hash(), null)
  t.is((await deletions.find(user.id))?.next_try_at, null)
  t.true(await deletions.isLocked(user.id))
})

test('two processes never work on one deletion at once', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, provider, clock } = await annLeaves(t, await database.url())
  provider.isDown = true
  await deletions.request(user.id)
  clock.move(60_000)
  const [first, other] = [deletionsOf(m, clock.now), deletionsOf(m, clock.now)]
  await Promise.all([first.deletions.runDue(), other.deletions.runDue()])
  t.is(first.provider.asked + other.provider.asked, 1)
  t.truthy((await deletions.find(user.id))?.done_at)
})

test('an event during a later check is handled as well', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, clock } = await annLeaves(t, await database.url())
  await deletions.request(user.id)
  clock.move(hour)
  const interrupted = deletionsOf(m, clock.now, {
    ...m.storage,
    commit: async (unit) => {
      // Just before the last write: all was read by then.
      if (unit.some(({ statement }) => statement.name === 'deletion-finish'))
        await deliver(m, stripeEvent('invoice.paid', invoiceObject({ id: 'in_5' }), { id: 'evt_midst' }))
      await m.storage.commit(unit)
    },
  })
  await interrupted.deletions.runDue()
  t.true((await tracesOf(m, ann)).includes('facts.data'))
  clock.move(60_000)
  t.is(await deletions.runDue(), 1)
  t.deepEqual(await tracesOf(m, ann), [])
})

test('an event that could not be applied yet keeps its body until it is', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, clock } = await annLeaves(t, await database.url())
  const mark = (status: string) =>
    m.storage.commit([
      {
        statement: m.storage.prepare<{ status: string }>('test-event', (db, p) =>
          db.updateTable('events').set({ status: p.status }).where('event_id', '=', 'evt_a3'),
        ) as never,
        params: { status },
      },
    ])
  await mark('failed')
  await deletions.request(user.id)
  t.deepEqual(await tracesOf(m, ann), ['events.body'])
  await mark('processed')
  clock.move(hour)
  await deletions.runDue()
  t.deepEqual(await tracesOf(m, ann), [])
})

test('an account under deletion cannot be changed', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, ann: user, deletions, provider, clock } = await annLeaves(t, await database.url())
  const fieldsOf = createFields({ root: false, providerFields: new Set(), cache: true })
  const service = createSelfService({ storage: m.storage, fieldsOf, now: clock.now })
  provider.isDown = true
  await deletions.request(user.id)
  await t.throwsAsync(service.update(user, { name: 'Eve' }), { message: /being deleted/ })
  await t.throwsAsync(service.confirmEmail(user.id, 'eve@example.com'), { message: /being deleted/ })
})

/** Every place of a database where a word is still found, whichever table it lies in. */
async function everywhere(m: Membership, word: RegExp): Promise<string[]> {
  const found: string[] = []
  for (const table of await tablesOf(m))
    for (const row of await m.storage.read((db) => db.selectFrom(table as 'members').selectAll()))
      for (const [column, value] of Object.entries(row as Record<string, unknown>))
        if (word.test(Buffer.isBuffer(value) ? value.toString('utf8') : String(value)))
          found.push(`${table}.${column}`)
  return found
}

async function tablesOf({ storage }: Membership): Promise<string[]> {
  const isSqlite = storage.dialect === 'sqlite'
  const rows = await storage.read((db) =>
    db
      .selectFrom((isSqlite ? sql`sqlite_master` : sql`information_schema.tables`).as('t') as never)
      .select(sql<string>`${sql.ref(isSqlite ? 'name' : 'table_name')}`.as('name'))
      .where(isSqlite ? sql<boolean>`type = 'table'` : sql<boolean>`table_schema = current_schema()`),
  )
  return rows.map(({ name }) => name).filter((name) => !name.startsWith('sqlite_'))
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: after a deletion no column, file or log line contains the person’s data`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const url = await database.url()
      const mailbox = createMailbox()
      let isDown = false
      const opened = await openStripeSite(t, {
        'membership.database.url': url,
        mails: {
          transport: async (mail) => {
            if (isDown) throw new Error(`550 5.1.1 <${mail.to}>: user unknown`)
            await mailbox.options.mails.transport(mail)
          },
        },
      })
      const { m, fake, site, log } = opened
      const zoe = await logIn(
        { m, site },
        mailbox,
        'zoe.quillfeather@example.com',
        (await buy(opened, 'zoe.quillfeather@example.com')).visitor,
      )
      await zoe.send('/membership/account', { name: 'Zoë Quillfeather' })
      await zoe.send('/membership/account', { email: 'new.quillfeather@example.com' })
      for (let n = 0; n < 20 && mailbox.link('new.quillfeather@example.com') === ''; n++) await m.runDueJobs()
      t.is((await zoe.send(mailbox.link('new.quillfeather@example.com'))).status, 200)
      await m.runDueJobs()
      await createVisitor(site).send('/membership/login', { email: 'new.quillfeather@example.com' })
      // A signed message of a kind that nobody here understands, about an object of its own.
      await deliver(
        m,
        stripeEvent('tax_id.created', {
          id: 'txi_1',
          object: 'tax_id',
          owner: 'New.Quillfeather@example.com',
        }),
      )
      // What cannot be delivered, and is given up.
      isDown = true
      await zoe.send('/membership/account', { email: 'third.quillfeather@example.com' })
      for (let n = 0; n < 12; n++) {
        await m.runDueJobs()
        await fake.advance({ ms: 7 * hour })
      }
      t.true((await everywhere(m, /quillfeather/i)).length > 5, 'there is something to lose')
      const back = await (async () => {
        isDown = false
        const browser = await logIn({ m, site }, mailbox, 'new.quillfeather@example.com')
        isDown = true
        return browser
      })()
      t.is((await back.send('/membership/account/delete', { confirm: 'delete' })).status, 200)
      await fake.deliver()
      await m.runDueJobs()
      await fake.advance({ ms: 2 * hour })
      await m.runDueJobs()

      t.deepEqual(await everywhere(m, /quillfeather/i), [])
      t.deepEqual(
        log.filter((line) => /quillfeather/i.test(line)),
        [],
      )
      const path = /^sqlite:(.+)$/.exec(url)?.[1]
      for (const file of path === undefined ? [] : [path, `${path}-wal`])
        t.false(existsSync(file) && /quillfeather/i.test(readFileSync(file, 'latin1')), file)
    },
  )
