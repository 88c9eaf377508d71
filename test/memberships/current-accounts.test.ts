import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { InsertQueryNode, type Kysely, type OperationNode, UpdateQueryNode } from 'kysely'
import { openStorage, type Tables } from '../../src/core/storage/index.ts'
import { allDatabases, type TestDatabase } from '../support/databases.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

/** The columns that name a member. */
const naming = [
  ...(['member_id', 'buyer_id', 'manager_id', 'other_id', 'kept_id', 'merged_id'] as const),
  ...(['merged_into', 'moved_from'] as const),
] as readonly string[]

/** Statements that name a member without the check of the account, and who makes sure of it instead. */
const byOthers: Readonly<Record<string, string>> = {
  'action-insert': 'a record of what was done keeps the account that it was done to',
  'change-request-insert': 'a record of what was asked keeps the account that asked',
  'link-insert': 'a link is sent to an address, before anybody is known',
  'ended-links-put': 'ends links, and gives nothing',
  'merge-wish-confirm': 'opens nothing: the merge reads both accounts again',
  'merge-insert': 'the unit of the merge checks both accounts',
  'member-leave': 'the unit of the merge checks both accounts',
  'member-come-back': 'the unit of the merge checks both accounts',
  'customer-insert': 'the plan of an event states what it read of the account',
  'customer-update': 'the plan of an event states what it read of the account',
  'customers-claim': 'the unit proves the address of an account that was not merged',
  'customers-link': 'an import reads the account in the same unit',
  'customers-from-deleted': 'an import reads the account in the same unit',
  'intent-settle': 'the plan of an event states what it read of the account',
  'limit-usage-copy': 'moves a count within a group of seats',
}

/** What the lives write when an account is erased, merged, or separated again. Their unit checks the accounts. */
const isOfLife = /-(merge|unmerge|erase|adopt|keep|put|forget|forget-\w+|leave)$|^raises-erase$/

test('a statement that names a member is built with the check of the account, or says who makes sure of it', async (t) => {
  const marked = new Set<string>()
  const named = new Map<string, string>()
  const storage = await openStorage({
    url: 'sqlite::memory:',
    synchronous: 'normal',
    pool: 1,
    now: () => new Date(),
  })
  t.teardown(() => storage.close())
  let db: Kysely<Tables> | undefined
  await storage.read((one) => {
    db = one
    return one.selectFrom('members').select('id').limit(1)
  })
  const found = (name: string | { readonly name: string }, build: () => { toOperationNode(): unknown }) => {
    const query = build().toOperationNode() as OperationNode
    const columns = InsertQueryNode.is(query)
      ? (query.columns ?? []).map(({ column }) => column.name)
      : UpdateQueryNode.is(query)
        ? (query.updates ?? [])
            .filter(({ value }) => value.kind !== 'ReferenceNode')
            .map(({ column }) => (column as unknown as { column: { name: string } }).column.name)
        : []
    const names = columns.filter((column) => naming.includes(column)).join()
    if (names !== '') named.set(typeof name === 'string' ? name : name.name, names)
  }
  const recording = new Proxy(storage, {
    get: (target, key) => {
      if (key === 'prepare')
        return (...[name, build]: Parameters<typeof target.prepare>) => {
          found(name, () => build(db!, anyParams as never) as never)
          return target.prepare(name, build)
        }
      if (key === 'prepareMany')
        return (...[name, columns, build]: Parameters<typeof target.prepareMany>) => {
          const row = Object.fromEntries(columns.all.map((column) => [column, '']))
          found(name, () => build(db!, [row]) as never)
          return target.prepareMany(name, columns, build)
        }
      return target[key as keyof typeof target]
    },
  })
  // A whole run translates the sources first, into a folder of their own.
  const sources = import.meta.filename.endsWith('.ts') ? 'src' : '.built'
  const folder = join(import.meta.dirname, '../..', sources, 'memberships')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) =>
    /statements[^/]*\.[tj]s$|statements\/[\w-]+\.[tj]s$/.test(name),
  )) {
    const exported = (await import(join(folder, file))) as Record<string, unknown>
    for (const [name, make] of Object.entries(exported)) {
      if (typeof make !== 'function' || !/Statements?$/.test(name)) continue
      const made = (make as (storage: unknown) => unknown)(recording)
      for (const one of Object.values((made ?? {}) as object) as { ofMember?: { name: string } }[])
        if (one?.ofMember !== undefined) marked.add(one.ofMember.name)
    }
  }
  t.true(named.size > 45, `${named.size} statements name a member`)
  t.true(marked.size >= 20, [...marked].join())
  const unexplained = [...named].filter(
    ([name]) => !marked.has(name) && byOthers[name] === undefined && !isOfLife.test(name),
  )
  t.deepEqual(unexplained, [], 'wrap it in forMember')
  t.deepEqual(
    Object.keys(byOthers).filter((name) => !named.has(name)),
    [],
    'named here, and gone',
  )
})
const anyParams = new Proxy({}, { get: (_, name) => String(name) })

const plans = {
  pro: {
    group: 'membership',
    quantity: { max: 5 },
    seats: 5,
    prices: [
      { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const },
      { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' as const },
      { id: 'price_gift', amount: 9000, currency: 'EUR', gives: { plan: 'pro', months: 12 } },
    ],
  },
}

async function open(t: ExecutionContext, url: string) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.database.url': url,
    'membership.shop.country': 'DE',
    'membership.providers.stripe.plans': plans,
  })
  const { m, fake } = opened
  fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  fake.addPrice({
    id: 'price_new',
    product: 'price_month',
    unit_amount: 1200,
    currency: 'eur',
    recurring: { interval: 'month' as const },
  })
  const settle = async (): Promise<void> => {
    await m.runDueJobs()
    await fake.deliver()
    await m.runDueJobs()
  }
  const create = (email: string) => m.users.create({ email, verified: true })
  type Commit = typeof m.storage.commit
  /** Between the reading and the writing of the statement, the account is merged into another, or deleted. */
  const meanwhile = async (statement: RegExp, act: () => Promise<unknown>, run: () => Promise<unknown>) => {
    const { commit } = m.storage
    const storage = m.storage as { commit: Commit }
    let isInterrupted = false
    storage.commit = async (unit, how) => {
      if (
        !isInterrupted &&
        unit.some(
          ({ statement: { name }, params }) =>
            statement.test(name) || statement.test(`${name} ${params.status}`),
        )
      ) {
        isInterrupted = true
        await act()
      }
      return commit(unit, how)
    }
    try {
      return await run()
    } finally {
      storage.commit = commit
      t.true(isInterrupted, `nothing was written by ${statement}`)
    }
  }
  const mergeInto = (keep: string, merge: string) => () =>
    m.users.merge({ keep, merge, by: 'op', write: true })
  return { ...opened, opened, mailbox, settle, create, meanwhile, mergeInto }
}

for (const connect of allDatabases) {
  const name = connect.name.replace('Databases', '')
  let databases: TestDatabase
  test.before(async () => {
    databases = await connect()
  })
  test.after.always(() => databases.close())

  test.serial(
    `${name}: a gift that is redeemed while the account goes is of the account that stays, or waits`,
    async (t) => {
      const { m, create, meanwhile, mergeInto } = await open(t, await databases.url())
      const [kept, merged, leaving] = [
        await create('kept@x.com'),
        await create('a@x.com'),
        await create('b@x.com'),
      ]
      const [one, two] = await m.gifts.create({ plan: 'pro', months: 3, count: 2 })
      await meanwhile(/^gift-(give|update)$/, mergeInto(kept.id, merged.id), () =>
        m.gifts.redeem({ code: one!.code, user: merged }),
      )
      t.true((await m.users.findById(kept.id))!.hasGate('pro'))
      t.is((await m.gifts.find(one!.id)).member_id, kept.id)
      await meanwhile(
        /^gift-(give|update)$/,
        () => m.users.delete(leaving.id),
        () => t.throwsAsync(m.gifts.redeem({ code: two!.code, user: leaving }), { code: 'ERR_NOT_FOUND' }),
      )
      t.like(await m.gifts.find(two!.id), { status: 'ready', member_id: null })
      await m.gifts.redeem({ code: two!.code, user: kept })
    },
  )

  test.serial(
    `${name}: a gift that is paid while its buyer goes is of the account that stays, or has no buyer`,
    async (t) => {
      const { m, opened, mailbox, create, meanwhile, mergeInto, settle } = await open(
        t,
        await databases.url(),
      )
      const kept = await create('kept@x.com')
      const gift = async (email: string) => {
        await create(email)
        const visitor = await logIn(opened, mailbox, email)
        await buy(opened, email, { path: '/membership/gift/pro', price: 'price_gift', visitor })
        return (await m.users.findByEmail(email))!
      }
      const rows = () =>
        m.storage.read((db) => db.selectFrom('gifts').select(['buyer_id', 'status']).orderBy('created_at'))
      await meanwhile(
        /^gift-(give|update)$/,
        async () => mergeInto(kept.id, (await m.users.findByEmail('a@x.com'))!.id)(),
        async () => {
          await gift('a@x.com')
          await settle()
        },
      )
      t.deepEqual(await rows(), [{ buyer_id: kept.id, status: 'ready' }])
      await meanwhile(
        /^gift-(give|update)$/,
        async () => m.users.delete((await m.users.findByEmail('b@x.com'))!.id),
        async () => {
          await gift('b@x.com')
          await settle()
        },
      )
      t.deepEqual((await rows())[1], { buyer_id: null, status: 'ready' })
    },
  )

  test.serial(
    `${name}: a group is handed over to the account that stays, and to nobody who leaves`,
    async (t) => {
      const { m, opened, mailbox, create, meanwhile, mergeInto, settle } = await open(
        t,
        await databases.url(),
      )
      const { id: subscriptionId } = await buy(opened, 'boss@x.com')
      await settle()
      const join = async (email: string) => {
        const member = await create(email)
        await m.teams.invite({ subscriptionId, email })
        await settle()
        const [, token] = /\/membership\/join\/(\S+)/.exec(
          mailbox.of(email, 'group-invitation').at(-1)!.text,
        )!
        t.is((await (await logIn(opened, mailbox, email)).send(`/membership/join/${token}`, {})).status, 200)
        return member
      }
      const manager = () =>
        m.storage.read((db) => db.selectFrom('groups').select('manager_id')).then(([row]) => row?.manager_id)
      const [kept, leaving, merged] = [
        await create('kept@x.com'),
        await join('b@x.com'),
        await join('a@x.com'),
      ]
      await meanwhile(
        /^group-(taken-over|update)$/,
        () => m.users.delete(leaving.id),
        () => t.throwsAsync(m.teams.transfer({ subscriptionId, to: leaving.id }), { code: 'ERR_NOT_FOUND' }),
      )
      t.is(await manager(), null)
      t.is(
        (await m.storage.read((db) => db.selectFrom('group_seats').selectAll())).filter(
          ({ member_id, status }) => member_id === leaving.id && status !== 'ended',
        ).length,
        0,
        'the seat of a deleted account stays ended',
      )
      await meanwhile(/^group-(taken-over|update)$/, mergeInto(kept.id, merged.id), () =>
        m.teams.transfer({ subscriptionId, to: merged.id }),
      )
      t.is(await manager(), kept.id)
    },
  )

  test.serial(`${name}: a raise holds the account that stays, and nobody who leaves`, async (t) => {
    const { m, opened, create, meanwhile, mergeInto, settle } = await open(t, await databases.url())
    const raise = () =>
      m.raises.raise(
        {
          from: 'price_month',
          to: 'price_new',
          on: '2026-03-01T00:00:00.000Z',
          noticeDays: 30,
          needsConsent: false,
        },
        'olga',
      )
    const kept = await create('kept@x.com')
    await buy(opened, 'ann@x.com')
    await settle()
    const ann = (await m.users.findByEmail('ann@x.com'))!
    await meanwhile(/^raise-hold$/, mergeInto(kept.id, ann.id), raise)
    await buy(opened, 'bob@x.com')
    await settle()
    const bob = (await m.users.findByEmail('bob@x.com'))!
    await meanwhile(/^raise-hold$/, () => m.users.delete(bob.id), raise)
    const held = await m.storage.read((db) => db.selectFrom('price_raise_members').select('member_id'))
    t.deepEqual(held, [{ member_id: kept.id }])
  })

  test.serial(
    `${name}: a deletion that is requested while its account is merged away is refused`,
    async (t) => {
      const { m, create, meanwhile, mergeInto } = await open(t, await databases.url())
      const [kept, merged] = [await create('kept@x.com'), await create('a@x.com')]
      await meanwhile(/^deletion-insert$/, mergeInto(kept.id, merged.id), () =>
        t.throwsAsync(m.users.delete(merged.id), { code: 'ERR_ACTION_REFUSED' }),
      )
      await m.users.unmerge({ merged: merged.id, by: 'op' })
      t.is((await m.users.findByEmail('a@x.com'))?.id, merged.id)
    },
  )

  test.serial(`${name}: a declaration names the account that stays`, async (t) => {
    const { m, opened, site, create, meanwhile, mergeInto, settle } = await open(t, await databases.url())
    const [kept, merged] = [await create('kept@x.com'), await create('a@x.com')]
    await buy(opened, 'b@x.com')
    await settle()
    await meanwhile(/^declaration-insert open$/, mergeInto(kept.id, merged.id), async () => {
      const fields = { name: 'A', email: 'a@x.com', contract: 'Pro' }
      t.true((await createVisitor(site).send('/membership/cancel', fields)).status < 300)
      await settle()
    })
    await opened.fake.advance({ ms: 3_600_000 })
    await settle()
    const rows = await m.storage.read((db) => db.selectFrom('declarations').select(['member_id', 'status']))
    t.deepEqual(rows, [{ member_id: kept.id, status: 'open' }])
  })

  test.serial(`${name}: an address is proved for no account that was merged away`, async (t) => {
    const { m, create, meanwhile, mergeInto } = await open(t, await databases.url())
    const kept = await create('kept@x.com')
    const merged = await m.users.create({ email: 'a@x.com' })
    await meanwhile(/^member-verify$/, mergeInto(kept.id, merged.id), () =>
      t.throwsAsync(m.users.verify(merged.id), { code: 'ERR_ACTION_REFUSED' }),
    )
    const [row] = await m.storage.read((db) =>
      db.selectFrom('members').select('email_verified').where('id', '=', merged.id),
    )
    t.is(row?.email_verified, 0)
  })

  test.serial(`${name}: nothing is remembered as notified to an account that was merged away`, async (t) => {
    const { m, create, meanwhile, mergeInto, settle } = await open(t, await databases.url())
    const kept = await create('kept@x.com')
    await settle()
    const merged = await create('a@x.com')
    await meanwhile(/^told-insert$/, mergeInto(kept.id, merged.id), settle)
    await settle()
    const rows = await m.storage.read((db) => db.selectFrom('member_snapshots').select('member_id'))
    t.deepEqual(rows, [{ member_id: kept.id }])
  })
}
