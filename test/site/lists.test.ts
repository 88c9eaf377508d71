import test from 'ava'
import { toListing } from '../../src/core/listing.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { deliver, openInstance, plansOfHistories } from '../support/converge.ts'
import { allDatabases } from '../support/databases.ts'
import {
  customerObject,
  priceObject,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../support/stripe-events.ts'

test('a list answers with its first page, and an iteration reads the others once each', async (t) => {
  const reads: number[] = []
  const read = async (from: number) => {
    reads.push(from)
    const items = [from, from + 1]
    return { page: { items }, items, next: from < 4 ? from + 2 : null }
  }
  t.deepEqual(await toListing(read(0), read), { items: [0, 1] })
  t.deepEqual(reads.splice(0), [0])
  const all: number[] = []
  for await (const item of toListing(read(0), read)) all.push(item)
  t.deepEqual(all, [0, 1, 2, 3, 4, 5])
  t.deepEqual(reads.splice(0), [0, 2, 4])
  for await (const item of toListing(read(0), read)) if (item === 1) break
  t.deepEqual(reads, [0], 'nothing is read ahead')
})

test('a refused list is refused where it is awaited and where it is iterated over', async (t) => {
  const read = async (from: number) => {
    if (from > 0) throw new TypeError('later')
    return { page: [from], items: [from], next: 1 }
  }
  await t.throwsAsync(toListing(read(1), read), { message: 'later' })
  const iterate = async (from: number) => {
    for await (const item of toListing(read(from), read)) t.is(item, 0)
  }
  await t.throwsAsync(iterate(1), { message: 'later' })
  await t.throwsAsync(iterate(0), { message: 'later' })
})

async function every<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

/** Members with these subscriptions: `ann: active gold, canceled silver`. */
async function fill(m: Membership, members: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, held] of Object.entries(members)) {
    const customer = `cus_${name}`
    await deliver(
      m,
      stripeEvent('customer.created', customerObject({ id: customer, email: `${name}@example.com`, name })),
    )
    const member = await m.users.create({ email: `${name}@example.com`, name, verified: true })
    if (held === '') continue
    for (const [n, text] of held.split(', ').entries()) {
      const [status, plan] = text.split(' ')
      const price = priceObject({ id: `price_${plan}` })
      const items = {
        object: 'list',
        data: [subscriptionItem({ id: `si_${name}_${n}`, price })],
        has_more: false,
        total_count: 1,
      }
      const ended_at = status === 'canceled' ? start : null
      const fields = { id: `sub_${name}_${n}`, customer, status, items, ended_at }
      await deliver(m, stripeEvent('customer.subscription.created', subscriptionObject(fields)))
    }
    checkHeld(await m.users.findById(member.id), held, name)
  }
}

function checkHeld(user: Awaited<ReturnType<Membership['users']['findById']>>, held: string, name: string) {
  const found = user?.subscriptions().length
  if (found !== held.split(', ').length) throw new TypeError(`${name} holds ${found}`)
}

for (const databases of allDatabases)
  test(`${databases.name}: members are listed by status, plan and word, each once, page by page`, async (t) => {
    const database = await databases()
    t.teardown(database.close)
    const m = await openInstance(await database.url(), () => new Date((start + 60) * 1000), plansOfHistories)
    t.teardown(() => m.close())
    await fill(m, {
      ann: 'active gold, past_due silver',
      bob: 'past_due gold, past_due gold',
      cem: 'past_due silver',
      dan: 'canceled gold',
      eve: 'active gold, active silver, trialing gold',
      fay: '',
      gus: 'past_due gold, active gold',
      'hal-rare': 'past_due gold',
    })
    const names = async (query: Parameters<Membership['users']['list']>[0]) => {
      const whole = (await every(m.users.list(query))).map(({ name }) => name)
      const parts = (await every(m.users.list({ ...query, limit: 1 }))).map(({ name }) => name)
      t.deepEqual(parts, whole, 'pages of one say the same')
      const pages: (string | null)[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await m.users.list({ ...query, limit: 2, ...(cursor === undefined ? {} : { cursor }) })
        t.true(page.members.length <= 2)
        pages.push(...page.members.map(({ name }) => name))
        cursor = page.next
      }
      t.deepEqual(pages, whole, 'the cursor says the same')
      return whole.sort()
    }
    t.deepEqual(await names({ status: 'past_due' }), ['ann', 'bob', 'cem', 'gus', 'hal-rare'])
    t.deepEqual(await names({ status: 'past_due', plan: 'gold' }), ['bob', 'gus', 'hal-rare'])
    t.deepEqual(await names({ plan: 'gold' }), ['ann', 'bob', 'eve', 'gus', 'hal-rare'])
    t.deepEqual(await names({ plan: 'silver' }), ['ann', 'cem', 'eve'])
    t.deepEqual(await names({ status: 'canceled' }), ['dan'])
    t.deepEqual(await names({ status: 'canceled', plan: 'silver' }), [])
    t.deepEqual(await names({ plan: 'bronze' }), [])
    t.deepEqual(await names({ q: 'rare', status: 'past_due', plan: 'gold' }), ['hal-rare'])
    t.deepEqual(await names({ q: 'rare', plan: 'silver' }), [])
    t.deepEqual(await names({ q: 'example.com', status: 'past_due' }), [
      'ann',
      'bob',
      'cem',
      'gus',
      'hal-rare',
    ])
    t.deepEqual(await names({ q: 'ann@example.com', plan: 'gold' }), ['ann'])
    t.is((await names({})).length, 8)
    t.is((await names({ q: 'example' })).length, 8)
    const refused = { code: 'ERR_USAGE' }
    const status = await t.throwsAsync(m.users.list({ status: 'past_du' as never }), refused)
    t.is((status as Error & { action?: string }).action, 'Did you mean "past_due"?')
    const key = await t.throwsAsync(m.users.list({ stauts: 'active' } as never), refused)
    t.is((key as Error & { action?: string }).action, 'Did you mean "status"?')
    await t.throwsAsync(every(m.users.list({ stauts: 'active' } as never)), refused)
    const { next } = await m.users.list({ limit: 1 })
    await t.throwsAsync(m.users.list({ status: 'active', cursor: next! }), refused)
    t.deepEqual(Object.keys(await m.users.list({ plan: 'gold' })), ['members', 'next'])

    // The events that were delivered are a list of their own.
    const events = await every(m.webhooks.list({ limit: 3 }))
    t.deepEqual(events, await m.webhooks.list({ limit: 500 }))
    t.true(events.length > 15)
    t.is(new Set(events.map(({ seq }) => seq)).size, events.length)
  })

test('gifts, declarations, messages, raises and records can be iterated over, and give what they gave', async (t) => {
  let id = 0
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': 'https://site.example',
    'membership.providers.sandbox.plans.pro.prices': ['pro_month'],
    install: false,
    root: false,
    log: () => undefined,
  })
  t.teardown(() => m.close())
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.gifts.create({ plan: 'pro', months: 1, count: 5, label: 'five' })
  const [{ batch } = { batch: null }] = await m.gifts.list()
  for (const query of [{}, { batch: batch! }]) {
    const gifts = await every(m.gifts.list({ ...query, limit: 2 }))
    t.deepEqual(gifts, [...(await m.gifts.list(query))])
    t.is(gifts.length, 5)
    t.is((await m.gifts.list({ ...query, limit: 2 })).length, 2)
  }
  for (const subject of ['a', 'b', 'c', 'd', 'e'])
    await m.operator.audit.during(
      { by: 'eve', action: 'note', memberId: ann.id, subject, key: String(++id) },
      async () => undefined,
    )
  const records = await every(m.operator.audit.list({ member: ann.id, limit: 2 }))
  t.deepEqual(records, [...(await m.operator.audit.list({ member: ann.id }))])
  t.is(records.length, 5)
  t.deepEqual(await every(m.operator.audit.list({ member: 'nobody' })), [])
  await t.throwsAsync(m.operator.audit.list({ membre: ann.id } as never), { code: 'ERR_USAGE' })
  for (const list of [
    m.raises.list(),
    m.operator.outbox.list({ dead: true, limit: 1 }),
    m.operator.declarations.list({ open: true, limit: 1 }),
    m.operator.declarations.list(),
    m.webhooks.list({ failed: true }),
    m.payments.list({ member: ann }),
    m.invoices.list({ member: ann }),
    m.feeds.list(ann),
    m.limits.list(ann),
  ]) {
    t.true(Array.isArray(await list))
    t.deepEqual(await every<unknown>(list), [...(await list)])
  }
})

for (const databases of allDatabases)
  test(`${databases.name}: get returns one thing by its id alone, and throws where nobody has it`, async (t) => {
    const database = await databases()
    t.teardown(database.close)
    const m = await openInstance(await database.url(), () => new Date((start + 60) * 1000), plansOfHistories)
    t.teardown(() => m.close())
    await fill(m, { ann: 'active gold, past_due silver', bob: 'active silver' })
    const ann = (await m.users.findByEmail('ann@example.com'))!
    const bob = (await m.users.findByEmail('bob@example.com'))!
    t.is((await m.users.get(ann.id)).email, 'ann@example.com')
    t.like(await m.subscriptions.get('sub_ann_1'), { id: 'sub_ann_1', status: 'past_due' })
    t.like(await m.subscriptions.get('sub_bob_0'), { price_id: 'price_silver' })
    await m.users.merge({ keep: ann.id, merge: bob.id, by: 'eve', write: true })
    t.is((await m.users.get(bob.id)).id, ann.id)
    t.is((await m.subscriptions.get('sub_bob_0')).customer_id, 'cus_bob')
    const unknown = { code: 'ERR_NOT_FOUND' }
    await t.throwsAsync(m.users.get('nobody'), unknown)
    await t.throwsAsync(m.subscriptions.get('cus_ann'), unknown, 'a customer is no subscription')
    await t.throwsAsync(m.subscriptions.get(ann.id), unknown)
    await t.throwsAsync(m.payments.get('sub_ann_1'), unknown)
    for (const get of [m.gifts.get, m.teams.get, m.raises.get, m.operator.declarations.get])
      await t.throwsAsync(get('nothing'), unknown)
  })
