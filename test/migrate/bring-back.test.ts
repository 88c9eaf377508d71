import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { importAccounts } from '../../src/migrate/accounts/index.ts'
import { bringBack } from '../../src/migrate/back/index.ts'
import { refreshed, toStored } from '../../src/migrate/back/stored.ts'
import { editsBetween } from '../../src/migrate/back/writing.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import { migrateSite } from '../../src/migrate/index.ts'
import { proveAccess } from '../../src/migrate/prove/index.ts'
import { asV2 } from '../../src/migrate/prove/rules.ts'
import { runCommand } from '../support/command.ts'
import { settings } from '../support/converge.ts'
import { emptyFolder } from '../support/migrate.ts'
import { month, start, subscriptionObject } from '../support/stripe-events.ts'
import { openStripeSite, type StripeSite } from '../support/stripe-site.ts'
import { askFake, buy, buyByLink } from '../support/visitor.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

function put(root: string, files: Readonly<Record<string, string>>) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}

function filesOf(root: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  )
}

function php(email: string) {
  return `<?php\n\nreturn [\n    'email' => '${email}',\n    'role' => 'member'\n];\n`
}

/** One account for each form in which version 1 keeps them, every one with a purchase and a subscription of its own. */
function forms(site: 'folders' | 'lists'): Record<string, string> {
  const data = (id: string) => ({
    customer: `cus_v1_${id}`,
    purchases: ['price_old'],
    subscriptions: [subscriptionObject({ id: `sub_v1_${id}`, customer: `cus_v1_${id}`, status: 'canceled' })],
  })
  return site === 'folders'
    ? {
        'site/accounts/txt/index.php': php('txt@example.com'),
        'site/accounts/txt/user.txt':
          'Bio:\n\nA line.\n\\----\nAnother.\n\n----\n\nStripe:\n\ncustomer: cus_v1_txt\npurchases:\n  - price_old # the first\n\n----\n\nCity: Odense',
        'site/accounts/bare/index.php': php('bare@example.com'),
        'site/accounts/bare/user.txt': 'City: Wien\r\n',
        'site/accounts/json/user.json': JSON.stringify({ email: 'json@example.com', stripe: data('json') }),
        'site/accounts/yml/user.yml':
          '# Written by hand\nemail: yml@example.com\ncontent:\n  city: Bern\n  stripe:\n    customer: cus_v1_yml\n    purchases: { price_old: 2023-01-01 }\n',
        'site/accounts/text/user.json': JSON.stringify(
          {
            email: 'text@example.com',
            stripe: 'customer: cus_v1_text\npurchases:\n  - price_id: price_old\n',
          },
          null,
          '\t',
        ),
        'site/accounts/locked/user.json': JSON.stringify({
          email: 'locked@example.com',
          stripe:
            'eyJpdiI6IjEyMzQ1Njc4OTAxMjM0NTYiLCJ2YWx1ZSI6IjEyMzQ1Njc4OTAxMjM0NTY3ODkwIiwibWFjIjoiMTIzNCJ9',
        }),
      }
    : {
        'site/accounts/all.json': JSON.stringify(
          ['one', 'two'].map((id) => ({ id, email: `${id}@example.com`, stripe: data(id) })),
          null,
          2,
        ),
      }
}

/** A site of version 1, brought to version 2, where somebody bought since. */
async function moved(t: ExecutionContext, files: Readonly<Record<string, string>>, given?: StripeSite) {
  const opened = given ?? (await openStripeSite(t))
  const folder = await emptyFolder(t)
  put(folder, files)
  const backup = join(await emptyFolder(t), 'backups')
  const before = filesOf(folder)
  const now = () => opened.fake.now()
  await migrateSite(folder, { ...facts, write: true, backup })
  await importAccounts(opened.m.storage, { facts, account: '', defaultRole: 'member', now }, folder, {
    write: true,
  })
  const back = async (write = true) => {
    const site = { storage: opened.m.storage, findMember: opened.m.users.findById }
    return bringBack(folder, { facts, site, write, backup, now })
  }
  const rollback = () => migrateSite(folder, { ...facts, rollback: true, backup })
  const proof = async () => {
    const proved = await proveAccess(folder, { facts, pastDueSeconds: 0, now })
    return proved
  }
  return { ...opened, folder, before, back, rollback, proof }
}

test('version 2’s purchases are written to version 1’s accounts in each format, and can be removed again', async (t) => {
  const site = await moved(t, forms('folders'))
  const { m, folder, before, back, rollback } = site
  const names = ['txt', 'bare', 'json', 'yml', 'text']
  for (const name of names) {
    await buyByLink(site, { email: `${name}@example.com`, price: 'price_month' })
    await buy(site, `${name}@example.com`, {
      path: '/membership/payment',
      product: 'price_book',
      proved: false,
    })
  }
  await buyByLink(site, { email: 'locked@example.com', price: 'price_month' })
  await buy(site, "o'hara@example.com", { path: '/membership/payment', product: 'price_book' })
  await site.fake.deliver()
  await m.runDueJobs()

  await t.throwsAsync(back(), { message: /accounts are those of version 2/ })
  await rollback()
  t.deepEqual(filesOf(folder), before)
  const dry = await back(false)
  t.deepEqual(filesOf(folder), before, 'shown first')
  const done = await back()
  t.deepEqual(done.brought, dry.brought)
  t.deepEqual(done.brought.map(({ account }) => account.split('/')[2]).length, 6)
  t.deepEqual(
    done.left.map(({ who }) => who.split('/').at(-1)),
    ['locked'],
  )
  t.regex(done.left[0]!.reason, /encrypted/)
  const after = filesOf(folder)
  t.regex(after['site/accounts/txt/user.txt']!, /- price_old # the first\n {2}- price_book\n/)
  t.true(
    after['site/accounts/txt/user.txt']!.startsWith('Bio:\n\nA line.\n\\----\nAnother.\n\n----\n\nStripe:'),
  )
  t.true(after['site/accounts/txt/user.txt']!.endsWith('\n\n----\n\nCity: Odense'))
  t.regex(
    after['site/accounts/bare/user.txt']!,
    /^City: Wien\r\n\r\n----\r\n\r\nStripe:\r\n\r\ncustomer: cus_/,
  )
  t.true(after['site/accounts/yml/user.yml']!.startsWith('# Written by hand\nemail: yml@example.com\n'))
  const ohara = Object.keys(after).filter((file) => !(file in before))
  t.is(ohara.length, 2)
  t.regex(after[ohara[0]!]!, /^<\?php\n\nreturn \[\n {4}'email' => 'o\\'hara@example\.com',/)

  // Read as version 1 reads it, everybody has what version 2 opens.
  const rules = { facts, pastDueSeconds: 0, now: () => site.fake.now() }
  const proof = await proveAccess(folder, rules)
  t.is(proof.accounts, 7)
  t.deepEqual(
    proof.differences.map(({ account, kind }) => `${account} ${kind}`),
    ['site/accounts/locked cannot-be-told'],
  )
  t.is(proof.equal, 4 + 2 * names.length + 1, 'the old purchases, two new each, and hers')
  for (const name of names) {
    const user = (await m.users.findByEmail(`${name}@example.com`))!
    t.true(user.hasGate(['price_book', 'price_month'] as never))
  }

  const again = await back()
  t.deepEqual([again.brought, again.backup], [[], null])
  t.deepEqual(filesOf(folder), after, 'again, it changes nothing')

  // A purchase that version 1 takes afterwards stays.
  const file = join(folder, 'site/accounts/txt/user.txt')
  writeFileSync(file, after['site/accounts/txt/user.txt']!.replace('City: Odense', 'City: Aarhus'))
  await rollback()
  t.deepEqual(
    { ...filesOf(folder), 'site/accounts/txt/user.txt': '' },
    { ...before, 'site/accounts/txt/user.txt': '' },
  )
  t.is(readFileSync(file, 'utf8'), before['site/accounts/txt/user.txt']!.replace('Odense', 'Aarhus'))
})

test('ended or refunded purchases are updated in version 1, and inexpressible ones are listed', async (t) => {
  const site = await moved(t, forms('lists'))
  const { m, fake, folder, back, rollback } = site
  const item = await buyByLink(site, { email: 'one@example.com', price: 'price_month' })
  const book = await buy(site, 'one@example.com', {
    path: '/membership/payment',
    product: 'price_book',
    proved: false,
  })
  await fake.deliver()
  await m.runDueJobs()
  await rollback()
  await back()
  const read = () => JSON.parse(readFileSync(join(folder, 'site/accounts/all.json'), 'utf8'))
  t.deepEqual(read()[0].stripe.purchases, ['price_old', 'price_book'])
  t.deepEqual(
    read()[0].stripe.subscriptions.map(({ status }: { status: string }) => status),
    ['canceled', 'active'],
  )
  const second = structuredClone(read()[1])

  await askFake(fake, 'DELETE', `/v1/subscriptions/${item.subscription}`)
  const { payment_intent } = fake.objects.get(book.session.id) as { payment_intent: string }
  await askFake(fake, 'POST', '/v1/refunds', { payment_intent })
  await fake.deliver()
  await m.runDueJobs()
  const two = (await m.users.findByEmail('two@example.com'))!
  await m.users.grant({ memberId: two.id, gate: 'price_gift' })
  await buy(site, 'new@example.com')
  const done = await back()
  t.deepEqual(read()[0].stripe.purchases, ['price_old'])
  t.is(read()[0].stripe.subscriptions[1].status, 'canceled')
  t.deepEqual(read()[1], second, 'nobody else is touched')
  t.deepEqual(
    done.differences.map(({ who, gate, kind }) => `${who} ${gate} ${kind}`),
    ['site/accounts/all.json#two price_gift by-hand'],
  )
  t.deepEqual(
    done.left.map(({ who, reason }) => `${who} ${reason}`),
    ['n…@example.com the accounts are in a form that takes no new one by itself'],
  )
  await m.users.delete(two.id)
  await m.runDueJobs()
  t.true((await back()).left.some(({ who, reason }) => who.endsWith('#two') && /deleted/.test(reason)))
})

test('of two accounts merged in version 2, one gets what is new, and the other updates of its own data', async (t) => {
  const opened = await openStripeSite(t)
  const bought = await buyByLink(opened, { email: 'two@example.com', price: 'price_month' })
  const account = (id: string, customer: string, subscriptions: readonly object[] = []) =>
    JSON.stringify({ id, email: `${id}@example.com`, stripe: { customer, subscriptions } })
  const raw = { ...opened.fake.objects.get(bought.subscription) }
  const site = await moved(
    t,
    {
      'site/accounts/one/user.json': account('one', 'cus_v1_one'),
      'site/accounts/two/user.json': account('two', bought.customer, [raw]),
    },
    opened,
  )
  const { m, fake, folder, back, rollback } = site
  await m.operator.import({ provider: 'stripe', write: true })
  const idOf = async (name: string) => (await m.users.findByEmail(`${name}@example.com`))!.id
  await m.users.merge({ keep: await idOf('one'), merge: await idOf('two'), by: 'test', write: true })
  await askFake(fake, 'DELETE', `/v1/subscriptions/${bought.subscription}`)
  await buyByLink(site, { email: 'one@example.com', price: 'price_team' })
  await fake.deliver()
  await m.runDueJobs()
  await rollback().catch(() => undefined)
  const { left, differences } = await back()
  t.deepEqual([left, differences], [[], []])
  const statuses = (id: string) =>
    (
      JSON.parse(readFileSync(join(folder, `site/accounts/${id}/user.json`), 'utf8')).stripe
        .subscriptions as { status: string }[]
    ).map(({ status }) => status)
  t.deepEqual(statuses('one').sort(), ['active', 'canceled'])
  t.deepEqual(statuses('two'), ['canceled'])
})

test('a subscription in version 1’s form has the same meaning', (t) => {
  const item = { current_period_start: start, current_period_end: start + month }
  for (const fields of [
    {},
    { status: 'past_due', cancel_at_period_end: true, cancel_at: start + month },
    { status: 'canceled', ended_at: start + 5, canceled_at: start },
    { status: 'trialing', trial_end: start + 60 },
    { pause_collection: { behavior: 'void', resumes_at: start + month } },
    { status: 'incomplete_expired' },
  ]) {
    const raw = subscriptionObject(fields)
    const data = asV2(raw)!
    const back = asV2(toStored(data))!
    t.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(data)), JSON.stringify(fields))
    t.is(refreshed(raw, toStored(data)), raw, 'nothing is new')
    const minimal = {
      id: 'sub_1',
      status: 'active',
      items: { data: [{ price: { id: 'price_gold' }, ...item }] },
    }
    t.is(asV2(refreshed(minimal, toStored(data)))?.status, data.status)
  }
})

test('line edits lead from one text to the other, for any texts', (t) => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', '\n', 'c'), { maxLength: 12 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => applyEdits(before, editsBetween(before, after)) === after),
    settings(300),
  )
  t.pass()
})

test('the command previews, writes, and reports the rest by its exit code', async (t) => {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'data.db')}`
  const opened = await openStripeSite(t, { 'membership.database.url': url })
  await buy(opened, 'ann@example.com')
  put(folder, {
    'config/membership.json': JSON.stringify({ membership: { database: { url } } }),
    'old/site/accounts/ann/user.json': JSON.stringify({
      email: 'ann@example.com',
      stripe: { customer: 'cus_old' },
    }),
  })
  const path = join(folder, 'old/site/accounts/ann/user.json')
  const before = readFileSync(path, 'utf8')
  const shown = await runCommand(folder, ['migrate', 'old', '--bring-back'])
  t.is(shown.code, 0, shown.stderr)
  t.regex(shown.stdout, /~ +site\/accounts\/ann +sub_\S+\n[\s\S]*1 account to write[\s\S]*--write/)
  t.is(readFileSync(path, 'utf8'), before)
  t.is((await runCommand(folder, ['migrate', 'old', '--bring-back', '--write'])).code, 0)
  t.is(JSON.parse(readFileSync(path, 'utf8')).stripe.subscriptions[0].status, 'active')
  t.true(existsSync(join(folder, 'old/.membership-migration')))
  const other = await runCommand(folder, ['migrate', 'old', '--bring-back', '--provider', 'paddle'])
  t.is(other.code, 2)
  t.regex(other.stdout, /loses: It was bought through a provider that version 1 did not have/)
  t.is((await runCommand(folder, ['migrate', 'old', '--bring-back', '--rollback'])).code, 1)
})
