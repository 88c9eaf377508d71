import test, { type ExecutionContext } from 'ava'
import { fold } from '../../src/core/storage/sendings.ts'
import type { MembershipOptions } from '../../src/index.ts'
import type { MemberLife } from '../../src/memberships/life.ts'
import { createLives } from '../../src/site/assembly/lives.ts'
import { postgresDatabases } from '../support/databases.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, logIn } from '../support/visitor.ts'

type Commit = Awaited<ReturnType<typeof openStripeSite>>['m']['storage']['commit']

/** A few weeks of three people, and the rows that are left of them. SQLite runs a unit's steps as they are given. */
const rowsAfter = async (t: ExecutionContext, options: MembershipOptions, order: 'given' | 'by rank') => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      pro: {
        seats: 5,
        limits: { exports: { amount: 10, every: 'month' } },
        prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }],
      },
    },
    ...options,
  })
  const { m, fake } = opened
  const storage = m.storage as { commit: Commit }
  const { commit } = storage
  const reordered = new Set<string>()
  if (order === 'by rank')
    storage.commit = (unit, how) => {
      const steps = fold([unit]).flatMap((sending) => sending.steps)
      if (steps.some((step, n) => step !== unit[n])) reordered.add(unit.map((s) => s.statement.name).join())
      return commit(steps, how)
    }
  const settle = async (): Promise<void> => {
    await m.runDueJobs()
    await fake.deliver()
    await m.runDueJobs()
  }
  const { id: subscription } = await buy(opened, 'boss@example.com')
  await settle()
  const boss = (await m.users.findByEmail('boss@example.com'))!
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: ann.id, gate: 'pro', reason: 'known' })
  await m.groups.invite({ subscriptionId: subscription, email: 'ann@example.com' })
  await settle()
  const mails = mailbox.of('ann@example.com').map(({ text }) => text)
  const [, token] = /\/membership\/join\/(\S+)/.exec(mails.join('\n'))!
  const visitor = await logIn(opened, mailbox, 'ann@example.com')
  t.is((await visitor.send(`/membership/join/${token}`, {})).status, 200)
  await settle()
  await visitor.send('/membership/account', { email: 'anna@example.com' })
  await settle()
  t.is((await visitor.send(mailbox.link('anna@example.com'))).status, 200)
  await settle()
  await fake.advance({ days: 8 })
  await settle()
  await m.users.merge({ keep: boss.id, merge: ann.id, by: 'op', write: true })
  await settle()
  await m.users.unmerge({ merged: ann.id, by: 'op' })
  await settle()
  const again = await logIn(opened, mailbox, 'boss@example.com')
  t.is((await again.send('/membership/logout', { everywhere: '1' })).status, 200)
  const cat = await buy(opened, 'cat@example.com')
  await settle()
  const [payment] = cat.user.payments()
  await m.payments.refund({ payment: payment!, amount: 300 })
  await settle()
  await fake.advance({ days: 30 })
  await settle()
  await m.users.delete(ann.id)
  await settle()
  storage.commit = commit

  const names = new Map([
    [boss.id, 'boss'],
    [ann.id, 'ann'],
    [cat.user.id, 'cat'],
  ])
  const lives: readonly MemberLife[] = createLives({ storage: m.storage, now: () => fake.now() })
  const rows: Record<string, string[]> = {}
  for (const table of lives.flatMap(({ tables }) => tables).sort()) {
    const found = await m.storage.read((db) => db.selectFrom(table).selectAll())
    rows[table] = found.map((row) => masked(row, names)).sort()
  }
  return { rows, reordered }
}

// The number of a place, and what follows from the moment in which the site asked the provider: the terms of a purchase are
// completed by the prices that were read by then.
const byChance = new Set('seq revision wishes marks prior_at prior_marks pause_moments'.split(' '))

/** A row without what is random: ids, signatures, ports, seconds. */
const masked = (row: object, names: ReadonlyMap<string, string>): string => {
  const values = Object.entries(row)
    .filter(([column]) => !byChance.has(column) && !column.endsWith('hash'))
    .map(([column, value]) => `${column}=${value instanceof Date ? value.toISOString() : String(value)}`)
  let text = values.sort().join('; ')
  for (const [id, name] of names) text = text.replaceAll(id, name)
  return text
    .replace(/127\.0\.0\.1:\d+/g, 'site')
    .replace(/:\d\d(\.\d{3})?Z/g, 'Z')
    .replace(/[\w.-]{20,}/g, (word) => (isMoment(word) ? word : '*'))
}
const isMoment = (word: string): boolean => /^\d{4}-\d\d-\d\dT/.test(word)

test('units leave the same rows in the order of the ranks as in the order that they are given in', async (t) => {
  const given = await rowsAfter(t, {}, 'given')
  const ranked = await rowsAfter(t, {}, 'by rank')
  t.true(ranked.reordered.size > 10, `${ranked.reordered.size} kinds of units were reordered`)
  t.deepEqual(ranked.rows, given.rows)
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const postgres = await rowsAfter(t, { 'membership.database.url': await database.url() }, 'given')
  t.deepEqual(postgres.rows, given.rows)
})
