import test from 'ava'
import { createMembership, isMembershipError } from '../../../src/index.ts'
import { createFields, createSelfService } from '../../../src/memberships/account/index.ts'
import { movable, siteWith } from '../../support/account.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'

const blueprint = `fields:
  name: { type: text }
  email: { type: email }
  language: { type: select, options: [de, en] }
  newsletter: { type: toggle, default: true }
  interests: { type: checkboxes, options: { a: Art, b: Books } }
  about: { type: textarea, maxlength: 20000 }
  site: { type: url }
  member_since: { type: date, membership: { update: false } }
  note: { type: text, membership: false }
  stripe: { type: text, membership: true }
`

async function open(t: Parameters<typeof siteWith>[0], url: string) {
  const root = await siteWith(t, { 'users/member.yml': blueprint })
  const clock = movable('2026-03-01T00:00:00.000Z')
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    now: clock.now,
    'membership.database.url': url,
  })
  t.teardown(() => m.close())
  const fieldsOf = createFields({ root, providerFields: new Set(['stripe']), cache: true })
  const service = createSelfService({ storage: m.storage, fieldsOf, now: clock.now })
  const ann = await m.users.create({
    email: 'ann@example.com',
    name: 'Ann',
    verified: true,
    content: { note: 'late payer', shoe: 42, member_since: '2020-01-01', stripe: { old: true } },
  })
  const again = async () => (await m.users.findById(ann.id))!
  return { m, service, ann, again, clock }
}

function problemsOf(error: unknown): unknown {
  return (error as { extensions: { fields?: unknown } }).extensions.fields
}

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test.serial(`${name}: members see and change what their blueprint allows, and nothing else`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const { m, service, ann, again } = await open(t, await database.url())
    t.deepEqual(service.readable(ann), {
      name: 'Ann',
      email: 'ann@example.com',
      language: null,
      newsletter: true,
      interests: null,
      about: null,
      site: null,
      member_since: '2020-01-01',
    })

    const done = await service.update(ann, {
      name: ' Ann Lee ',
      language: 'de',
      newsletter: ['', 'on'],
      interests: ['', 'b'],
    })
    t.deepEqual(done, {
      changed: ['name', 'language', 'newsletter', 'interests'],
      customer: { name: 'Ann Lee' },
      emailChange: null,
    })
    const changed = await again()
    t.is(changed.name, 'Ann Lee')
    t.is(changed.language, 'de')
    t.is(changed.content('newsletter'), true)
    t.deepEqual(changed.content('interests'), ['b'])
    t.is(changed.content('note'), 'late payer', 'what the form does not have stays')
    t.is(changed.content('shoe'), 42, 'what no blueprint has stays, too')

    const refused = await t.throwsAsync(
      service.update(ann, {
        name: 'Eve',
        member_since: '1990-01-01',
        note: 'x',
        stripe: '{}',
        shoe: 1,
        roles: 'admin',
      }),
    )
    t.true(isMembershipError(refused, 'ERR_FORM'))
    const no = 'You cannot change this field.'
    t.deepEqual(problemsOf(refused), { member_since: no, note: no, stripe: no, shoe: no, roles: no })
    t.is((await again()).name, 'Ann Lee', 'all or nothing')

    // Six forms at once: none is lost.
    await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        service.update(ann, i % 2 ? { about: `text ${i}` } : { site: `https://example.com/${i}` }),
      ),
    )
    const both = await again()
    t.regex(String(both.content('about')), /^text \d$/)
    t.regex(String(both.content('site')), /^https:\/\/example\.com\/\d$/)
    t.deepEqual(both.content('interests'), ['b'])

    await m.users.create({ email: 'bob@example.com', verified: true })
    const free = await service.update(ann, { email: 'New@Example.com' })
    const taken = await service.update(ann, { email: 'bob@example.com' })
    t.deepEqual(free.emailChange, { from: 'ann@example.com', to: 'new@example.com' })
    t.deepEqual(
      taken,
      { ...free, emailChange: { from: 'ann@example.com', to: 'bob@example.com' } },
      'nothing tells who is a member',
    )
    t.is((await again()).email, 'ann@example.com', 'the old address stays until the new one is confirmed')

    const late = await t.throwsAsync(service.confirmEmail(ann.id, 'bob@example.com'))
    t.true(isMembershipError(late, 'ERR_FORM'))
    t.is((await again()).email, 'ann@example.com')
    t.deepEqual((await service.confirmEmail(ann.id, 'new@example.com', 'ann@example.com')).customer, {
      email: 'new@example.com',
    })
    t.is((await again()).email, 'new@example.com')
    await t.throwsAsync(
      service.confirmEmail(ann.id, 'other@example.com', 'ann@example.com'),
      undefined,
      'a link for an older change',
    )

    // Two members confirm one address at once: one gets it.
    const cat = await m.users.create({ email: 'cat@example.com' })
    const race = await Promise.allSettled([
      service.confirmEmail(ann.id, 'want@example.com'),
      service.confirmEmail(cat.id, 'want@example.com'),
    ])
    t.deepEqual(race.map((result) => result.status).sort(), ['fulfilled', 'rejected'])
    const loser = race.find((result) => result.status === 'rejected')
    t.true(isMembershipError(loser?.reason, 'ERR_FORM'), String(loser?.reason))
  })
}

test('a confirmed address brings the purchases that waited for it', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, service, ann, again } = await open(t, await database.url())
  const insert = m.storage.prepare<{ id: string }>('test-customer', (db, p) =>
    db.insertInto('customers').values({
      provider: 'stripe',
      account: '',
      customer_id: p.id,
      guest: 0,
      member_id: null,
      email: 'new@example.com',
      name: null,
      deleted: 0,
      purchased: 1,
      revision: 0,
    }),
  )
  await m.storage.commit([{ statement: insert as never, params: { id: 'cus_1' } }])
  t.is((await again()).customerId('stripe'), null)
  await service.confirmEmail(ann.id, 'new@example.com')
  t.is((await again()).customerId('stripe'), 'cus_1')
})

test('an attacker’s form changes nothing', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { m, service, ann, again } = await open(t, await database.url())
  const rowOf = async () =>
    (await m.storage.read((db) => db.selectFrom('members').selectAll().where('id', '=', ann.id)))[0]
  const before = await rowOf()
  const forms: Record<string, Record<string, unknown>> = {
    'a prototype’s key': JSON.parse('{"__proto__": {"admin": true}}'),
    'a constructor': { constructor: 'x' },
    'a method of every object': { hasOwnProperty: 'x' },
    'a text above 16 kB': { about: 'ä'.repeat(8193) },
    'an object for a text': { name: { toString: 'x' } },
    'a list for a text': { name: ['a', 'b'] },
    'a line break in a name': { name: 'Ann\r\nBcc: all@example.com' },
    'an address that runs': { site: 'javascript:alert(1)' },
    'a choice that is none': { interests: ['a', 'c'] },
    'a choice from the prototype': { language: 'constructor' },
    'no e-mail address': { email: 'ann' },
    'no e-mail address at all': { email: '' },
    'another spelling of a closed field': { Stripe: 'x' },
    'too many fields': Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, 'x'])),
  }
  for (const [what, form] of Object.entries(forms)) {
    const error = await t.throwsAsync(service.update(ann, form), undefined, what)
    t.true(isMembershipError(error, 'ERR_FORM'), `${what}: ${error}`)
  }
  t.deepEqual(await rowOf(), before)
  t.is(({} as Record<string, unknown>).admin, undefined)
  await service.update(ann, { about: 'ä'.repeat(8192) })
  t.is((await again()).content('about'), 'ä'.repeat(8192), 'exactly 16 kB is taken')
})

test('an unticked box on a form is off; a box not on the form stays', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(() => database.close())
  const { service, ann, again } = await open(t, await database.url())
  await service.update(ann, { newsletter: 'on', interests: 'a' })
  await service.update(ann, { name: 'A' })
  t.is((await again()).content('newsletter'), true)
  await service.update(ann, { name: 'B' }, { shown: ['name', 'newsletter', 'interests', 'note', 'stripe'] })
  const user = await again()
  t.is(user.content('newsletter'), false)
  t.deepEqual(user.content('interests'), [])
  t.is(user.content('note'), 'late payer')
})
