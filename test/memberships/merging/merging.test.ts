import test from 'ava'
import fc from 'fast-check'
import type { Membership } from '../../../src/index.ts'
import { createAuditLog } from '../../../src/memberships/audit-log/index.ts'
import { createMerging } from '../../../src/memberships/merging/index.ts'
import { createLives } from '../../../src/site/assembly/lives.ts'
import { deliver, openInstance, settings, stateOf } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { tracesOf } from '../../support/leaving.ts'
import {
  checkoutObject,
  customerObject,
  month,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

const home = 'ann@example.com'
const work = 'ann@work.example'
const by = 'Eve'

/** A site on which Ann has two accounts, both proved. */
async function openTwo(
  t: { teardown(fn: () => unknown): void },
  url = 'sqlite::memory:',
  now = () => new Date((start + month) * 1000),
) {
  const m = await openInstance(url, now)
  t.teardown(() => m.close())
  const keep = await m.users.create({ email: home, verified: true, name: 'Ann' })
  const merge = await m.users.create({ email: work, verified: true, content: { newsletter: true } })
  return { m, keep: keep.id, merge: merge.id, wish: { keep: keep.id, merge: merge.id, by } }
}

function subscribed(customer: string, id: string, at: number, fields = {}) {
  return stripeEvent('customer.subscription.updated', subscriptionObject({ id, customer, ...fields }), {
    created: start + at,
  })
}

/** Each of Ann's addresses has two customers, and one of them a purchase without any. */
const messages = [
  stripeEvent('customer.created', customerObject({ id: 'cus_1', email: home })),
  subscribed('cus_1', 'sub_1', 1),
  stripeEvent('customer.created', customerObject({ id: 'cus_2', email: work })),
  subscribed('cus_2', 'sub_2', 2),
  subscribed('cus_2', 'sub_2', 50, { status: 'past_due' }),
  stripeEvent('customer.created', customerObject({ id: 'cus_3', email: work })),
  subscribed('cus_3', 'sub_3', 3, { items: { data: [subscriptionItem({ id: 'si_3' })] } }),
  stripeEvent(
    'checkout.session.completed',
    checkoutObject({ customer: null, customer_details: { email: work, name: 'Ann' }, metadata: {} }),
    { created: start + 30 },
  ),
]

async function holders(m: Membership) {
  const { customers } = await stateOf(m)
  return Object.fromEntries(customers.map(({ customer_id, member }) => [customer_id, member]))
}

test('purchases end with the right owner in any order of events before a merge, after it, and after its undo', async (t) => {
  const reference = await openTwo(t)
  for (const message of messages) await deliver(reference.m, message)
  const apart = await stateOf(reference.m)
  const own = await holders(reference.m)
  t.deepEqual(new Set(Object.values(own)), new Set([home, work]))
  const order = fc.shuffledSubarray([...messages, ...messages], { minLength: messages.length * 2 })
  const moment = fc.integer({ min: 0, max: messages.length * 2 })
  await fc.assert(
    fc.asyncProperty(order, moment, moment, fc.boolean(), async (events, a, b, isTakenBack) => {
      const closing: (() => unknown)[] = []
      const { m, merge, wish } = await openTwo({ teardown: (fn) => closing.push(fn) })
      const [merged, back] = [Math.min(a, b), Math.max(a, b)]
      for (const [i, event] of [...events, null].entries()) {
        if (i === merged) await m.users.merge({ ...wish, write: true })
        if (i === back && isTakenBack) await m.users.unmerge({ merged: merge, by })
        if (event) await deliver(m, event)
      }
      if (isTakenBack) t.deepEqual(await stateOf(m), apart)
      else t.deepEqual(new Set(Object.values(await holders(m))), new Set([home]))
      for (const close of closing) await close()
    }),
    settings(12),
  )
})

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')

  test.serial(
    `${name}: two merging processes, with events in between, end with one complete account`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const url = await database.url()
      const { m, keep, merge, wish } = await openTwo(t, url)
      const other = await openInstance(url, () => new Date((start + month) * 1000))
      t.teardown(() => other.close())
      const outcomes = await Promise.allSettled([
        m.users.merge({ ...wish, write: true }),
        other.users.merge({ ...wish, write: true }),
        other.users.merge({ keep: merge, merge: keep, by, write: true }),
        ...messages.map((message, i) => deliver(i % 2 ? m : other, message)),
      ])
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
      t.true(
        failed.every(({ reason }) => reason.code === 'ERR_ACTION_REFUSED'),
        String(failed[0]?.reason),
      )
      const all = await holders(m)
      t.is(new Set(Object.values(all)).size, 1, JSON.stringify(all))
      t.is(Object.keys(all).length, 4)
      t.is((await m.operator.audit.list()).length, 1, 'it was done once')

      const { members } = await m.users.list()
      const gone = members.find(({ merged_into }) => merged_into !== null)!
      const backs = await Promise.allSettled(
        [m, other].map((membership) => membership.users.unmerge({ merged: gone.id, by })),
      )
      t.is(backs.filter(({ status }) => status === 'fulfilled').length, 1)
      t.deepEqual(new Set(Object.values(await holders(m))), new Set([home, work]))
    },
  )
}

test('a merge previews its effects, runs in one unit, and a repetition changes nothing', async (t) => {
  const { m, keep, merge, wish } = await openTwo(t)
  for (const message of messages) await deliver(m, message)
  const grant = await m.users.grant({ memberId: merge, gate: 'book' as never })
  const before = await stateOf(m)
  const planned = await m.users.merge(wish)
  t.like(planned, { written: false, until: null })
  t.deepEqual(planned.moves, {
    customers: 3,
    subscriptions: 2,
    payments: 1,
    grants: 1,
    checkouts: 0,
    fields: ['newsletter'],
    address: 'moves',
  })
  t.deepEqual(await stateOf(m), before)
  t.deepEqual(await m.operator.audit.list(), [])

  let units = 0
  const commit: typeof m.storage.commit = (unit) => {
    units++
    return m.storage.commit(unit)
  }
  const storage = { ...m.storage, commit }
  const now = () => new Date((start + month) * 1000)
  const randomId = () => `id-${units}-${Math.random()}`
  const { findById: findMember } = m.users
  const merging = createMerging({
    storage,
    lives: createLives({ storage, now }),
    auditLog: createAuditLog({ storage, now, randomId }),
    findMember,
    plans: () => [],
    noteChange: () => [],
    now,
    randomId,
  })
  const done = await merging.merge({ ...wish, write: true })
  t.is(units, 1, 'whoever is killed leaves all of it or nothing')
  t.like(await m.users.merge({ ...wish, write: true }), { written: true, until: done.until })
  t.is((await m.operator.audit.list()).length, 1)
  const ann = (await m.users.findByEmail(work))!
  t.is(ann.id, keep, 'both addresses are hers')
  t.deepEqual([ann.subscriptions().length, ann.payments().length, ann.grants()[0]?.id], [3, 1, grant])
  t.is(ann.content('newsletter'), true, 'what she agreed to goes along')
  t.like((await m.operator.audit.list({ member: merge }))[0], {
    action: 'merge',
    by,
    member_id: keep,
    outcome: 'done',
  })

  await m.users.unmerge({ merged: merge, by })
  t.is((await m.users.findByEmail(work))!.id, merge)
  t.is((await m.users.findById(keep))!.content('newsletter'), null)
  t.deepEqual(
    (await m.users.findById(merge))!.grants().map(({ id }) => id),
    [grant],
  )
})

test('accounts are not merged if somebody could gain another’s purchases', async (t) => {
  let now = new Date((start + month) * 1000)
  const { m, keep, merge, wish } = await openTwo(t, 'sqlite::memory:', () => now)
  const refused = (wish: Parameters<typeof m.users.merge>[0], message: RegExp) =>
    t.throwsAsync(m.users.merge({ ...wish, write: true }), { code: 'ERR_ACTION_REFUSED', message })
  await t.throwsAsync(m.users.merge({ keep, merge: keep, by }), { code: 'ERR_USAGE' })
  await t.throwsAsync(m.users.merge({ keep, merge: 'nobody', by }), { code: 'ERR_NOT_FOUND' })

  const { id: guest } = await m.users.create({ email: 'guest@example.com' })
  await refused({ keep: guest, merge: keep, by }, /has not proved an address/)

  // Whoever had the address before may say within seven days that the account is theirs.
  await m.users.setEmail(merge, 'thief@example.com')
  await m.users.verify(merge)
  await refused(wish, /address of .* was changed/)
  now = new Date(now.getTime() + 8 * 86_400_000)
  await m.users.merge({ ...wish, write: true })
  await refused({ keep: guest, merge, by }, /is merged into/)
  await refused({ keep: merge, merge: guest, by }, /is merged into/)
  const { id: third } = await m.users.create({ email: 'third@example.com', verified: true })
  await refused({ keep: third, merge: keep, by }, /can be taken back until/)
  await m.users.merge({ keep, merge: guest, by, write: true })

  now = new Date(now.getTime() + 31 * 86_400_000)
  await t.throwsAsync(m.users.unmerge({ merged: merge, by }), { code: 'ERR_ACTION_REFUSED' })
  await m.users.merge({ keep: third, merge: keep, by, write: true })
  t.is((await m.users.findByEmail('thief@example.com'))!.id, third, 'through both')
  await m.users.unmerge({ merged: keep, by })
  t.is((await m.users.findByEmail('thief@example.com'))!.id, keep)
})

test('an unproven address does not open the account that it is merged into', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  t.teardown(() => m.close())
  const { id: keep } = await m.users.create({ email: home, verified: true })
  for (const message of messages) await deliver(m, message)
  const { id: merge } = (await m.users.findByEmail(work))!
  t.false((await m.users.findById(merge))!.email_verified, 'typed at a purchase')
  const { moves, notes } = await m.users.merge({ keep, merge, by, write: true })
  t.is(moves.address, 'released')
  t.deepEqual(
    notes.map(({ code }) => code),
    ['address_released'],
  )
  t.is((await m.users.findById(keep))!.subscriptions().length, 2)
  const { id: owner } = await m.users.create({ email: work, verified: true })
  t.deepEqual(
    (await m.users.findById(owner))!.subscriptions().map(({ id }) => id),
    ['sub_3'],
    'whoever owns it has what waited for it',
  )
  t.is((await m.users.unmerge({ merged: merge, by })).email, null, 'and keeps it')
})

test('a merge ends the merged account’s sessions and links, its address logs in to the kept one, and an undo ends both', async (t) => {
  const mailbox = createMailbox()
  const site = await openStripeSite(t, mailbox.options)
  const { m } = site
  await buy(site, work)
  await m.users.create({ email: home, verified: true })
  const [kept, merged] = [(await m.users.findByEmail(home))!.id, (await m.users.findByEmail(work))!.id]
  await m.users.verify(merged)
  const inOld = await logIn(site, mailbox, work)
  await createVisitor(site.site).send('/membership/login', { email: work })
  await m.runDueJobs()
  const link = mailbox.link(work)
  await m.users.merge({ keep: kept, merge: merged, by, write: true })

  t.is((await inOld.get('/membership/account/export')).status, 401)
  t.is((await createVisitor(site.site).get(link)).status, 410)
  const entered = await logIn(site, mailbox, work)
  const { json } = await entered.get('/membership/account/export')
  t.deepEqual([json.profile.id, json.subscriptions.length], [kept, 1])
  await createVisitor(site.site).send('/membership/login', { email: work })
  await m.runDueJobs()
  const late = mailbox.link(work)
  await m.users.unmerge({ merged, by })
  t.is((await createVisitor(site.site).get(late)).status, 410)
  t.is((await entered.get('/membership/account/export')).status, 401)
  t.is((await m.users.findByEmail(work))!.id, merged)
})

test('deleting an account deletes merged ones too, and nothing can be undone', async (t) => {
  let now = new Date((start + month) * 1000)
  const { m, keep, merge, wish } = await openTwo(t, 'sqlite::memory:', () => now)
  for (const message of messages) await deliver(m, message)
  for (const [customer, id] of [
    ['cus_1', 'sub_1'],
    ['cus_2', 'sub_2'],
    ['cus_3', 'sub_3'],
  ] as const)
    await deliver(m, subscribed(customer, id, 900, { status: 'canceled', ended_at: start + 900 }))
  await m.users.merge({ ...wish, write: true })
  await t.throwsAsync(m.users.delete(merge), { code: 'ERR_ACTION_REFUSED' })
  await m.users.delete(keep)
  await m.runDueJobs()
  now = new Date(now.getTime() + 3_600_000)
  await m.runDueJobs()
  t.deepEqual(await tracesOf(m, /ann/i), [])
  await t.throwsAsync(m.users.unmerge({ merged: merge, by }), { code: 'ERR_ACTION_REFUSED' })
  await deliver(m, subscribed('cus_3', 'sub_3', 950, { status: 'canceled', ended_at: start + 900 }))
  t.is(await m.users.findByEmail(work), null)
})

test('a merge is no news about purchases, only about newly open gates', async (t) => {
  const told: string[] = []
  const note = (name: string) => (data: { member: { id: string } }) => {
    told.push(`${name} ${data.member.id}`)
  }
  const m = await openInstance('sqlite::memory:', () => new Date(start * 1000), {
    hooks: {
      'subscription.started': note('subscribe'),
      'payment.received': note('payment'),
      'access.changed': note('access'),
    } as never,
    'membership.providers.stripe.plans': { pro: { prices: ['price_month'] } } as never,
    'membership.providers.stripe.accepts': 'everything',
  })
  t.teardown(() => m.close())
  const { id: keep } = await m.users.create({ email: home, verified: true })
  const { id: merge } = await m.users.create({ email: work, verified: true })
  for (const message of messages) await deliver(m, message)
  await m.runDueJobs()
  t.true(told.includes(`subscribe ${merge}`), told.join())
  told.length = 0
  await m.users.merge({ keep, merge, by, write: true })
  await m.runDueJobs()
  t.deepEqual(
    told.filter((item) => !item.startsWith('access')),
    [],
  )
  await m.users.unmerge({ merged: merge, by })
  await m.runDueJobs()
  t.deepEqual(
    told.filter((item) => !item.startsWith('access')),
    [],
  )
  t.true(told.includes(`access ${merge}`))
})
