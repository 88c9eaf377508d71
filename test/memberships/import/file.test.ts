import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { runCommand } from '../../support/command.ts'
import { openHost } from '../../support/host.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { createMailbox } from '../../support/visitor.ts'

const start = new Date('2026-01-15T12:00:00Z')
const plans = {
  pro: { prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const }] },
  book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
}
function open(t: ExecutionContext, options: MembershipOptions = {}) {
  return openHost(t, { now: () => start, 'membership.providers.stripe.plans': plans, ...options })
}
function bytes(...lines: string[]) {
  return Buffer.from(lines.join('\n'))
}
function fixture(name: string) {
  return readFileSync(join(import.meta.dirname, '../../fixtures/import', name))
}

test('a file imports accounts, grants and ends; an invalid row is reported by line; a repetition changes nothing', async (t) => {
  const mailbox = createMailbox()
  const told: string[] = []
  const { m } = await open(t, {
    ...mailbox.options,
    hooks: {
      'member.signed_up': () => void told.push('member.signed_up'),
      'member.created': ({ member }) => void told.push(`created ${member.email}`),
    },
  })
  const vic = await m.users.create({ email: 'vic@example.com', verified: true })
  await m.users.create({ email: 'eve@example.com' })
  const gone = await m.users.create({ email: 'gone@example.com', verified: true })
  await m.users.delete(gone.id)
  await m.runDueJobs()
  told.length = 0
  mailbox.sent.length = 0
  const file = bytes(
    '\uFEFFEmail;Name;Plan;Gift;Ends',
    'Ann@Example.com;"Ann ""A."" Author";pro;;2026-03-31',
    'ann@example.com;Ann;price_book;yes;',
    '',
    'ben@example.com;"Ben',
    'of two lines";pro;;2025-12-31',
    'vic@example.com;Vic;Gold;;2026-06-30 07:00:00',
    'eve@example.com;Eve;pro;;2026-06-30',
    'gone@example.com;Gone;pro;;2026-06-30',
    'cleo@example.com;Cleo;Silver;;2026-06-30',
    'no address;Dan;pro;;2026-06-30',
    'fred@example.com;Fred;pro;;2026-02-31',
    'gina@example.com;Gina;pro;;03/04/2026',
    'hal@example.com;Hal;;;',
  )
  const request = {
    file,
    map: { email: 'Email', name: 'Name', price_id: 'Plan', gift: 'Gift', ends_at: 'Ends' },
    gates: { Gold: 'pro' },
  }
  const dry = await m.operator.import(request)
  t.is(await m.users.findByEmail('ann@example.com'), null, 'without `write` nothing is written')
  const done = await m.operator.import({ ...request, write: true })
  t.deepEqual({ ...dry, written: true }, done, 'what was said is what was done')
  t.deepEqual(
    done.refused.map(({ line, code, email }) => [line, code, email]),
    [
      [8, 'address_unproved', 'e…@example.com'],
      [9, 'left', 'g…@example.com'],
      [10, 'unknown_access', 'c…@example.com'],
      [11, 'bad_address', '…'],
      [12, 'bad_date', 'f…@example.com'],
      [13, 'bad_date', 'g…@example.com'],
    ],
  )
  t.regex(done.refused[5]!.reason, /two ways; say --dates/)
  t.like(done, { rows: 11, created: 3, granted: 3 })
  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.is(ann.name, 'Ann "A." Author')
  t.false(ann.email_verified, 'a file proves no address')
  t.like(ann.explain('pro' as never), { open: true, until: '2026-03-31T23:59:59.999Z' })
  t.like(ann.explain('book' as never), { open: true, until: null })
  t.deepEqual(
    ann
      .grants()
      .map(({ source }) => source)
      .sort(),
    ['gift', 'manual'],
  )
  const ben = (await m.users.findByEmail('ben@example.com'))!
  t.is(ben.name, 'Ben of two lines')
  t.false(ben.hasGate('pro' as never), 'what is over opens nothing')
  t.is((await m.users.findById(vic.id))!.explain('pro' as never).until, '2026-06-30T07:00:00.000Z')
  t.false((await m.users.findByEmail('eve@example.com'))!.hasGate('pro' as never))
  t.is(await m.users.findByEmail('gone@example.com'), null)
  await m.runDueJobs()
  t.deepEqual([told, mailbox.sent], [[], []], 'nobody is told or mailed')

  t.like(
    await m.operator.import({ ...request, write: true }),
    { created: 0, granted: 0 },
    'again changes nothing',
  )
  await m.users.revoke(ann.grants()[0]!.id)
  await m.operator.import({ ...request, write: true })
  t.is((await m.users.findById(ann.id))!.grants().length, 1, 'what was taken back stays taken back')
})

async function until(m: Awaited<ReturnType<typeof open>>['m'], email: string) {
  const member = await m.users.findByEmail(email)
  return member === null
    ? 'nobody'
    : member.hasGate('pro' as never)
      ? member.explain('pro' as never).until
      : 'nothing'
}

const exported = {
  ghost: {
    gates: { complimentary: 'pro' },
    people: { 'comp@example.com': null, 'free@example.com': 'nothing', 'paid@example.com': 'nothing' },
    refused: [],
  },
  memberful: {
    gates: { Yearly: 'pro' },
    people: {
      'ann@example.com': '2026-05-01T23:59:59.999Z',
      'ben@example.com': 'nothing',
      'cleo@example.com': 'nobody',
    },
    refused: [[4, 'no_end']],
  },
  patreon: {
    gates: { 'Gold tier': 'pro' },
    people: {
      'ann@example.com': '2026-02-10T08:00:00.000Z',
      'ben@example.com': 'nothing',
      'cleo@example.com': '2026-02-01T08:00:00.000Z',
      'dan@example.com': 'nothing',
    },
    refused: [],
  },
  pmpro: {
    gates: { Gold: 'pro' },
    people: {
      'ann@example.com': '2026-02-28T23:59:59.999Z',
      'ben@example.com': null,
      'cleo@example.com': 'nobody',
    },
    refused: [[4, 'unknown_access']],
  },
} as const

for (const [from, { gates, people, refused }] of Object.entries(exported))
  test(`an export of ${from} opens only what an operator chose, until its end`, async (t) => {
    const { m } = await open(t)
    const file = fixture(`${from}.csv`)
    const named = await m.operator.import({ file, from })
    t.is(named.granted, 0, 'unless a word was named, a file opens nothing')
    const done = await m.operator.import({ file, from, gates, write: true })
    t.deepEqual(
      done.refused.map(({ line, code }) => [line, code]),
      refused.map((item) => [...item]),
    )
    for (const [email, expected] of Object.entries(people)) t.is(await until(m, email), expected, email)
  })

test('an inconsistent file is refused as a whole, with the line', async (t) => {
  const { m } = await open(t)
  const map = { email: 'Email', gate: 'Plan' } as const
  const refused = async (file: Uint8Array, message: RegExp, more = {}) => {
    const error = await t.throwsAsync(m.operator.import({ file, map, write: true, ...more }), {
      code: 'ERR_USAGE',
    })
    t.regex(error!.message, message)
  }
  await refused(bytes(''), /no line of column names/)
  await refused(bytes('Email,Plan', 'ann@example.com,pro', 'ben@example.com'), /Line 3/)
  await refused(bytes('Email,Plan', 'ann@example.com,"pro', 'ben@example.com,pro'), /Line \d: .*[Qq]uote/)
  await refused(bytes('Email,Email', 'a,b'), /two columns are called "Email"/)
  await refused(bytes('Mail,Plan', 'a,b'), /no column "Email"/)
  await refused(Buffer.from([0x45, 0xff, 0xfe, 0x0a]), /not UTF-8/)
  await refused(Buffer.alloc(64 * 1024 ** 2 + 1, 'a'), /more than 64 MB/)
  await refused(bytes(`Email,Plan`, `ann@example.com,"${'x'.repeat(200_000)}"`), /Line 2/)
  await refused(bytes('Email,Plan', 'ann@example.com,pro'), /"gold" is no plan/, { gates: { Gold: 'gold' } })
  await refused(bytes('Email,Plan'), /No export "acme"/, { from: 'acme' })
  t.deepEqual((await m.users.list()).members, [])
})

test('the exit code shows refused rows, and missing arguments are asked for', async (t) => {
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  const membership = {
    database: { url: `sqlite:${join(folder, 'site.db')}` },
    providers: { stripe: { webhook: 'whsec_1', plans } },
  }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  writeFileSync(join(folder, 'patrons.csv'), fixture('patreon.csv'))
  const args = ['import', 'patrons.csv', '--from', 'patreon', '--gate', 'Gold tier=pro']
  const written = await runCommand(folder, [...args, '--until', '2026-12-31', '--write', '--json'])
  t.is(written.code, 0, written.stderr)
  t.like(JSON.parse(written.stdout), { written: true, rows: 4, created: 4 })
  const refused = await runCommand(folder, ['import', 'patrons.csv', '--map', 'email=Email,gate=Tier'])
  t.is(refused.code, 2, refused.stderr)
  t.regex(refused.stdout, /line 2 +a…@example\.com +Nobody said what "Gold tier" opens here/)
})

test('a first day of access counts from its start, a last day to its end', async (t) => {
  const { m } = await open(t)
  await m.operator.import({
    file: bytes('Email,Plan,Starts,Ends', 'ann@example.com,pro,2030-03-01,2030-03-31'),
    map: { email: 'Email', price_id: 'Plan', starts_at: 'Starts', ends_at: 'Ends' },
    write: true,
  })
  const [grant] = (await m.users.findByEmail('ann@example.com'))!.grants()
  t.is(grant?.starts_at, '2030-03-01T00:00:00.000Z')
  t.is(grant?.expires_at, '2030-03-31T23:59:59.999Z')
})
