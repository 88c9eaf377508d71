import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { openStore, type StoreKey } from '../../simulation/stores/store.ts'
import { runCommand } from '../../support/command.ts'
import { freshDatabase, sqliteDatabases } from '../../support/databases.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { createMailbox } from '../../support/visitor.ts'

// Apple and Google list no purchases. What an app sold before the site read its store is imported by ids, and compared by
// what is known here.

const start = new Date('2026-03-01T00:00:00Z')
const stranger = '5a1f3c9e-2b6d-8e4a-9c11-0123456789ab'

async function open(t: ExecutionContext, key: StoreKey, more: MembershipOptions = {}) {
  const store = await openStore(key, start)
  t.teardown(() => store.close())
  let now = start.getTime()
  const plans = {
    pro: { prices: [store.prices.pro] },
    book: { prices: [{ id: store.prices.book, type: 'one_time' }] },
  }
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: () => new Date(now),
    'membership.compare.automatic': false,
    ...(await freshDatabase()),
    'membership.provider.handler': key,
    [`membership.providers.${key}`]: { ...store.settings, plans },
    ...more,
  })
  t.teardown(() => m.close())
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const opened = async (email: string) => {
    const user = (await m.users.findByEmail(email))!
    return ['pro', 'book'].filter((plan) => user.hasGate(plan as never))
  }
  const moveTo = (day: string) => {
    now = Date.parse(day)
    store.moveTo(now)
  }
  const hear = async () => {
    for (const { body, headers } of store.take())
      await m.webhooks.receive(key, { body, headers: await headers() })
    await m.runDueJobs()
  }
  return { m, store, ann, opened, moveTo, hear }
}

async function dumped(m: Awaited<ReturnType<typeof open>>['m']) {
  return JSON.stringify(
    await Promise.all(
      (['customers', 'subscriptions', 'payments', 'facts', 'members'] as const).map((table) =>
        m.storage.read((db) => db.selectFrom(table).selectAll()),
      ),
    ),
  )
}

for (const key of ['apple', 'google'] as const) {
  test(`${key}: purchases from before the site are imported by their ids, once`, async (t) => {
    const { m, store, ann, opened } = await open(t, key)
    await m.users.create({ email: 'ben@example.com', verified: true })
    await m.users.create({ email: 'cid@example.com', verified: false })
    const mine = store.buy({ user: await m.appUserId(ann), plan: 'pro' })
    const book = store.buy({ user: await m.appUserId(ann), plan: 'book' })
    const bens = store.buy({ user: stranger, plan: 'pro' })
    const nameless = store.buy({ user: null, plan: 'pro' })
    store.take()
    const purchases = [
      { id: mine },
      { id: book },
      { id: bens, email: 'Ben@example.com' },
      { id: nameless, email: 'cid@example.com' },
      { id: 'unknown', email: 'ben@example.com' },
    ]
    const before = await dumped(m)
    const dry = await m.operator.import({ provider: key, purchases })
    t.like(dry, { written: false, isWhole: true, checked: 5, matched: 2 })
    t.is(await dumped(m), before, 'without `write` nothing is written')

    const done = await m.operator.import({ provider: key, purchases, write: true })
    t.like(done, { written: true, matched: 2, brought: { subscriptions: 3 } })
    t.deepEqual(
      done.refused.map(({ id, code }) => [id, code]),
      [
        [nameless, 'address_unproved'],
        ['unknown', 'unknown_there'],
      ],
    )
    t.deepEqual(
      done.unmatched.map(({ reason }) => reason).filter((reason) => reason !== 'no_address'),
      [],
    )
    t.deepEqual(await opened('ann@example.com'), ['pro', 'book'])
    t.deepEqual(await opened('ben@example.com'), ['pro'])
    t.deepEqual(await opened('cid@example.com'), [])
    t.is((await m.users.findByEmail('ben@example.com'))!.payments().length, 1)

    const after = await dumped(m)
    const again = await m.operator.import({ provider: key, purchases, write: true })
    t.deepEqual(again.brought, { customers: 0, subscriptions: 0, money: 0 })
    t.is(await dumped(m), after, 'again changes nothing')
    const other = await m.operator.import({
      provider: key,
      write: true,
      purchases: [{ id: bens, email: 'ann@example.com' }],
    })
    t.like(other.refused[0], { code: 'other_member' })
    t.deepEqual(await opened('ben@example.com'), ['pro'], 'nobody loses a purchase to a list')
  })

  test(`${key}: a purchase that the store gives to nobody stays with the member of the list, renewals too`, async (t) => {
    const { m, store, ann, opened, moveTo, hear } = await open(t, key)
    const id = store.buy({ user: null, plan: 'pro' })
    await hear()
    t.deepEqual(await opened('ann@example.com'), [])
    const purchases = [{ id, user: await m.appUserId(ann) }]
    t.deepEqual((await m.operator.import({ provider: key, purchases, write: true })).refused, [])
    t.deepEqual(await opened('ann@example.com'), ['pro'])
    moveTo('2026-04-01T00:00:00Z')
    store.renew(id)
    await hear()
    moveTo('2026-04-20T00:00:00Z')
    t.deepEqual(await opened('ann@example.com'), ['pro'])
    t.is((await m.users.findByEmail('ann@example.com'))!.payments().length, 2)
  })

  test(`${key}: an import of everything says what to give instead`, async (t) => {
    const { m } = await open(t, key)
    const error = await t.throwsAsync(m.operator.import({ provider: key }), {
      code: 'ERR_PROVIDER_UNSUPPORTED',
    })
    t.regex(
      String((error as { action?: string }).action),
      new RegExp(`import purchases.csv --provider ${key}`),
    )
  })

  test(`${key}: a comparison asks for what is known here, and mends what no message told`, async (t) => {
    const { m, store, ann, opened, moveTo, hear } = await open(t, key)
    const user = await m.appUserId(ann)
    const pro = store.buy({ user, plan: 'pro' })
    const book = store.buy({ user, plan: 'book' })
    await hear()
    t.deepEqual((await m.operator.compare({ provider: key })).differences, [])
    moveTo('2026-03-05T00:00:00Z')
    store.refund(pro, 'last')
    store.refund(book, 'last')
    store.take()
    const shown = await m.operator.compare()
    t.deepEqual(shown.unlisted, [key])
    t.deepEqual(
      shown.differences.filter(({ mend }) => mend === 'close').map(({ object }) => object),
      ['subscription', 'payment'],
    )
    t.deepEqual(await opened('ann@example.com'), ['pro', 'book'], 'nothing is written without `write`')
    await m.operator.compare({ provider: key, write: true })
    t.deepEqual(await opened('ann@example.com'), [])
    t.deepEqual((await m.operator.compare({ provider: key })).differences, [])
  })
}

for (const key of ['apple', 'google'] as const)
  test(`${key}: the mail after a deletion says that the store goes on, and an import gives the purchase to the new account`, async (t) => {
    const mailbox = createMailbox()
    const { m, store, ann, opened, moveTo, hear } = await open(t, key, {
      ...mailbox.options,
      'membership.url': 'https://site.example',
    })
    const id = store.buy({ user: await m.appUserId(ann), plan: 'pro' })
    await hear()
    t.deepEqual(await opened('ann@example.com'), ['pro'])
    await m.users.delete(ann.id)
    for (let n = 0; n < 4; n++) await m.runDueJobs()
    const text = mailbox.of('ann@example.com', 'account-deleted')[0]!.text.replace(/\s+/g, ' ')
    const [name, url] = key === 'apple' ? ['App Store', 'apps.apple.com'] : ['Google Play', 'play.google.com']
    t.true(text.includes(`${name} goes on charging you for what you bought in the app.`), text)
    t.true(text.includes(`https://${url}/`), text)
    t.notRegex(text, /any memberships that were still running/)
    const again = await m.users.create({ email: 'ann@example.com', verified: true })
    t.deepEqual(await opened('ann@example.com'), [])
    const purchases = [{ id, email: 'ann@example.com' }]
    t.deepEqual((await m.operator.import({ provider: key, purchases, write: true })).refused, [])
    t.deepEqual(await opened('ann@example.com'), ['pro'])
    t.is((await m.users.findById(again.id))!.subscriptions().length, 1)
    const ben = await m.users.create({ email: 'ben@example.com', verified: true })
    const taken = await m.operator.import({
      provider: key,
      purchases: [{ id, email: ben.email! }],
      write: true,
    })
    t.is(taken.refused[0]?.code, 'other_member', 'a living account keeps its purchase')
    moveTo('2026-03-31T23:00:00Z')
    store.renew(id)
    await hear()
    t.deepEqual(await opened('ann@example.com'), ['pro'], 'renewals follow, whatever account the store names')
  })

test('the command reads a list of purchases, and a comparison says what it could not see', async (t) => {
  const store = await openStore('apple', new Date())
  t.teardown(() => store.close())
  const databases = await sqliteDatabases()
  t.teardown(() => databases.close())
  const folder = await emptyFolder(t)
  const settings = {
    'membership.database.url': await databases.url(),
    'membership.provider.handler': 'apple',
    'membership.providers.apple': { ...store.settings, plans: { pro: { prices: [store.prices.pro] } } },
  }
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify(settings))
  const id = store.buy({ user: null, plan: 'pro' })
  writeFileSync(join(folder, 'people.csv'), 'Mail\nann@example.com\n')
  writeFileSync(join(folder, 'sold.csv'), `transaction,Mail\n${id},ann@example.com\n77,\n`)
  const people = await runCommand(folder, ['import', 'people.csv', '--map', 'email=Mail', '--write'])
  t.is(people.code, 0, people.stderr)
  const args = ['import', 'sold.csv', '--provider', 'apple', '--map', 'id=transaction,email=Mail', '--write']
  const sold = await runCommand(folder, args)
  t.is(sold.code, 2, sold.stderr)
  t.regex(sold.stdout, /77 +The provider knows no purchase with this id/)
  t.regex(sold.stdout, /1 buyer with an account/)
  const wrong = await runCommand(folder, ['import', 'sold.csv', '--provider', 'apple', '--map', 'gate=Mail'])
  t.is(wrong.code, 1)
  t.regex(wrong.stderr, /Map one of: id, email, user/)
  const compared = await runCommand(folder, ['compare'])
  t.is(compared.code, 0, compared.stderr)
  t.regex(compared.stdout, /apple lists no purchases, so only those that are known here were compared/)
})
