import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError, migrateSite } from '../../src/index.ts'
import { bringBack } from '../../src/migrate/back/index.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { runCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { openSellingSite, passing, purchase } from '../support/selling-site.ts'
import { Database } from '../support/sqlite.ts'
import { strictRows } from '../support/strict-csv.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, buyByLink } from '../support/visitor.ts'

const file = 'storage/site.sqlite'
const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

/** A site whose accounts are rows, and version 2, in which somebody bought since. */
async function opened(t: ExecutionContext, sql: string) {
  const site = await openStripeSite(t)
  const folder = await emptyFolder(t)
  const backup = join(await emptyFolder(t), 'backups')
  mkdirSync(join(folder, 'storage'))
  const db = new Database(join(folder, file))
  t.teardown(() => db.close())
  db.exec(sql)
  const now = () => site.fake.now()
  const back = (provider = 'stripe', write = true) =>
    bringBack(folder, {
      facts: { ...facts, provider },
      site: { storage: site.m.storage, findMember: site.m.users.findById },
      write,
      backup,
      now,
    })
  const rollback = () => migrateSite(folder, { ...facts, rollback: true, backup })
  const rows = (table: string) => db.prepare(`select * from ${table} order by id`).all() as Row[]
  return { ...site, folder, backup, db, back, rollback, rows }
}
type Row = Readonly<Record<string, string | number | null>>

test('later purchases are written to accounts in rows, in the form of their column, and removed again', async (t) => {
  const site = await opened(
    t,
    `create table users (id integer primary key, email text, stripe text, name text);
     insert into users values
       (1, 'Json@example.com', '{"customer":"cus_json","purchases":["price_old"]}', 'Json'),
       (2, 'null@example.com', null, null),
       (3, 'yaml@example.com', 'customer: cus_yaml # by hand', 'Yaml'),
       (4, 'locked@example.com', 'eyJpdiI6IjEyMzQ1Njc4OTAxMjM0NTYiLCJ2YWx1ZSI6IjEyMzQ1Njc4OTAxMjM0NTY3ODkwIiwibWFjIjoiMTIzNCJ9', null),
       (5, 'other@example.com', '{"customer":"cus_other"}', null);
     create table posts (id integer primary key, body text);
     insert into posts values (1, 'email: json@example.com');`,
  )
  const { m, fake, db, back, rollback, rows } = site
  for (const name of ['json', 'null', 'yaml', 'locked', 'new']) {
    await m.users.create({ email: `${name}@example.com`, verified: true })
    await buyByLink(site, { email: `${name}@example.com`, price: 'price_month' })
    await buy(site, `${name}@example.com`, {
      path: '/membership/payment',
      product: 'price_book',
      proved: false,
    })
  }
  await fake.deliver()
  await m.runDueJobs()
  const before = rows('users')
  const dry = await back('stripe', false)
  t.deepEqual(rows('users'), before, 'shown first')
  const done = await back()
  t.deepEqual(done.brought, dry.brought)
  t.deepEqual(
    done.brought.map(({ account }) => account).sort(),
    [1, 2, 3].map((row) => `${file}: users.stripe, row ${row}`),
  )
  const [json, empty, yaml, locked, other] = rows('users').map(({ stripe }) => stripe as string)
  t.like(JSON.parse(json!), { customer: 'cus_json', purchases: ['price_old', 'price_book'] })
  t.is(JSON.parse(json!).subscriptions[0].status, 'active')
  t.like(JSON.parse(empty!), { purchases: ['price_book'] }, 'as the others of the column are written')
  t.regex(yaml!, /^customer: cus_yaml # by hand\npurchases:\n {2}- price_book\n|subscriptions:\n/)
  t.deepEqual([locked, other], [before[3]!.stripe, before[4]!.stripe])
  t.deepEqual(rows('posts'), [{ id: 1, body: 'email: json@example.com' }])
  t.deepEqual(done.left.map(({ who }) => who).sort(), [
    'n…@example.com',
    `${file}: users.stripe, row 4`,
    `${file}: users.stripe, row 5`,
  ])
  const hand = done.byHand.map(({ email, does, gate }) => `${email} ${does} ${gate}`).sort()
  t.deepEqual(hand, [
    'locked@example.com give price_book',
    'locked@example.com give price_month',
    'new@example.com give price_book',
    'new@example.com give price_month',
  ])
  t.truthy(done.byHand.find(({ gate }) => gate === 'price_month')?.until)

  const after = rows('users')
  t.deepEqual([(await back()).brought, rows('users')], [[], after], 'again, it changes nothing')
  // Killed before anything was touched, or between the journal and the rows: the next one writes it.
  await rollback()
  t.deepEqual(rows('users'), before)
  rmSync(site.backup, { recursive: true })
  db.exec("create trigger stop before update on users when new.id = 3 begin select raise(abort, 'no'); end")
  const kept = await back()
  t.is(kept.brought.length, 0)
  t.true(kept.left.some(({ reason }) => /runs stop whenever it is written/.test(reason)))
  db.exec('drop trigger stop')
  await back()
  t.deepEqual(rows('users'), after)

  // What version 1 takes in afterwards stays; where it is in the same place, both are kept and nothing is lost.
  db.prepare("update users set name = 'Newer' where id = 2").run()
  const newer = '{"customer":"cus_json","purchases":["price_old","price_book","price_late"]}'
  db.prepare('update users set stripe = ? where id = 1').run(newer)
  const { rolledBack } = await rollback()
  t.deepEqual(
    rows('users').map(({ stripe }) => stripe),
    [newer, ...before.slice(1).map(({ stripe }) => stripe)],
  )
  t.is(rows('users')[1]!.name, 'Newer')
  t.regex(rolledBack!.kept[0]!.reason, /row 1 \(it changed since in the same place\)/)
})

test('rows with whole contents are found by address or customer, and written in place', async (t) => {
  const site = await opened(
    t,
    `create table people (id text primary key, content text);
     insert into people values
       ('a', '{"email":"ann@example.com","stripe":{"customer":"cus_ann"},"city":"Bern"}'),
       ('b', '{"email":"bob@example.com","city":"Graz"}');`,
  )
  await buyByLink(site, { email: 'ann@example.com', price: 'price_month' })
  const bob = await buyByLink(site, { email: 'bob@example.com', price: 'price_month' })
  await site.fake.deliver()
  await site.m.runDueJobs()
  const done = await site.back()
  t.deepEqual([done.left, done.differences, done.byHand], [[], [], []])
  const [a, b] = site.rows('people').map(({ content }) => JSON.parse(content as string))
  t.like(a, { email: 'ann@example.com', city: 'Bern', stripe: { customer: 'cus_ann' } })
  t.is(a.stripe.subscriptions[0].status, 'active')
  t.like(b, { city: 'Graz', stripe: { customer: bob.customer } })

  // Another address in version 2, and the same customer.
  const member = (await site.m.users.findByEmail('bob@example.com'))!
  site.db.prepare("update people set content = replace(content, 'bob@', 'robert@')").run()
  t.deepEqual([(await site.back()).brought, (await site.back()).left], [[], []])
  t.is(member.email, 'bob@example.com')
})

test('subscriptions of providers other than Stripe are listed with owner and end, and their purchases are written', async (t) => {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'data.db')}`
  const site = await openSellingSite(t, paddle, { 'membership.database.url': url }, { start: new Date() })
  for (const what of ['pro', 'book'] as const) await purchase(site, 'ann@example.com', what)
  await passing(site.fake)
  await site.m.runDueJobs()
  const providers = { paddle: site.options['membership.providers.paddle'] }
  mkdirSync(join(folder, 'config'))
  mkdirSync(join(folder, 'old/site/accounts/ann'), { recursive: true })
  const membership = { database: { url }, provider: { handler: 'paddle' }, providers }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  const path = join(folder, 'old/site/accounts/ann/user.json')
  writeFileSync(path, JSON.stringify({ email: 'ann@example.com', paddle: { customer: 'ctm_old' } }))
  const args = ['migrate', 'old', '--bring-back', '--write', '--provider', 'paddle', '--by-hand']
  const { code, stdout, stderr } = await runCommand(folder, [...args, 'people.csv'])
  t.is(code, 2, stderr)
  t.regex(
    stdout,
    /pri_month {2}loses: It is not documented how version 1 keeps a subscription of this provider/,
  )
  t.deepEqual(JSON.parse(readFileSync(path, 'utf8')).paddle, {
    customer: 'ctm_old',
    purchases: ['pri_book'],
  })
  const text = readFileSync(join(folder, 'people.csv'), 'utf8')
  t.true(strictRows(text).length > 0)
  const list = text.split('\r\n')
  t.is(list[0], 'member_id,email,account,do,gate,bought,until,why')
  t.regex(list[1]!, /^[^,]+,ann@example\.com,site\/accounts\/ann,give,pri_month,sub_[^,]+,20\d\d-[^,]+Z,/)
  t.is(statSync(join(folder, 'people.csv')).mode & 0o777, 0o600)
  t.false(stdout.includes('ann@example.com'))
  const again = await runCommand(folder, [...args, 'people.csv'])
  t.deepEqual([again.code, /is there already/.test(again.stderr)], [1, true])
  await runCommand(folder, [...args, 'people.json', '--json'])
  t.like(JSON.parse(readFileSync(join(folder, 'people.json'), 'utf8'))[0], {
    email: 'ann@example.com',
    do: 'give',
  })
})

test('a folder without accounts is reported, and a site with accounts elsewhere gets the complete list', async (t) => {
  const site = await opened(t, 'create table posts (id integer, body text)')
  t.true(isMembershipError(await t.throwsAsync(site.back()), 'ERR_USAGE'))
  await buy(site, 'ann@example.com')
  const back = { storage: site.m.storage, findMember: site.m.users.findById }
  const rules = { facts, site: back, now: () => site.fake.now(), mayBeNone: true, write: true }
  const { byHand, left, backup } = await bringBack(site.folder, rules)
  t.deepEqual(
    byHand.map(({ email, account, gate }) => [email, account, gate]),
    [['ann@example.com', null, 'price_month']],
  )
  t.deepEqual([left.length, backup], [1, null])
})
