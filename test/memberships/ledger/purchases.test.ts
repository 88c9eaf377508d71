import test, { type ExecutionContext } from 'ava'
import { emailHash } from '../../../src/core/email.ts'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import type { LedgerDeps } from '../../../src/memberships/ledger/ledger.ts'
import type { Change, CustomerChange, MoneyChange, MoneyFact, Ref } from '../../../src/providers/contract.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { freshDatabase } from '../../support/databases.ts'

// Whose a purchase is, and what becomes one payment: changes written by hand, a real database, no instance around them.

const begin = Date.parse('2026-03-01T00:00:00.000Z')
function at(seconds: number): string {
  return new Date(begin + seconds * 1000).toISOString()
}

async function open(t: ExecutionContext, more: Partial<LedgerDeps> = {}) {
  const url = (await freshDatabase())['membership.database.url']
  let now = new Date(begin + 3_600_000)
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => now })
  t.teardown(() => storage.close())
  let made = 0
  const make = () =>
    createLedger({
      neighbours: neighboursOn(storage),
      storage,
      rules: { create: true, roles: ['reader', 'other'] },
      now: () => now,
      randomId: () => `member_${++made}`,
      canFetch: () => true,
      reports: true,
      ...more,
    })
  const ledger = make()
  let events = 0
  const origin = (seconds: number) => ({
    provider: 'acme',
    account: '',
    source: 'event' as const,
    id: `evt_${++events}`,
    at: at(seconds),
  })
  return {
    storage,
    ledger,
    /** One message with these changes, second by second. */
    tell: (...changes: readonly Change[]) => ledger.apply(changes, origin(events)),
    tellAt: (seconds: number, ...changes: readonly Change[]) => ledger.apply(changes, origin(seconds)),
    tellQuietly: (...changes: readonly Change[]) =>
      ledger.apply(changes, { ...origin(events), isQuiet: true }),
    /** The same database, and another process. */
    another: make,
    setNow: (seconds: number) => {
      now = new Date(begin + seconds * 1000)
    },
    owners: async () => {
      const rows = await storage.read((db) => db.selectFrom('customers').selectAll().orderBy('customer_id'))
      return rows.map(({ customer_id, member_id, email, name }) => ({ customer_id, member_id, email, name }))
    },
    owner: async (id: string) =>
      (await storage.read((db) => db.selectFrom('customers').selectAll().where('customer_id', '=', id)))[0],
    members: () =>
      storage.read((db) =>
        db.selectFrom('members').select(['id', 'email', 'email_verified', 'name', 'roles', 'created_by']),
      ),
    payments: () => storage.read((db) => db.selectFrom('payments').selectAll().orderBy('id')),
    asked: async () =>
      (
        await storage.read((db) => db.selectFrom('fetches').select(['kind', 'id', 'due_at']).orderBy('id'))
      ).map(({ kind, id, due_at }) => `${kind} ${id} ${due_at}`),
    told: async () =>
      (await storage.read((db) => db.selectFrom('notify_queue').select('owner_id'))).map(
        (row) => row.owner_id,
      ),
    join: (id: string, email: string, fields: { email_verified?: 0 | 1; merged_into?: string } = {}) =>
      storage.read((db) =>
        db.insertInto('members').values({
          id,
          email,
          name: null,
          roles: '[]',
          language: null,
          content: '{}',
          created_by: null,
          email_verified: 1 as const,
          created_at: at(0),
          updated_at: at(0),
          password_hash: null,
          ...fields,
        }),
      ),
    leave: (member_id: string, email: string, done_at: string | null) =>
      storage.read((db) =>
        db.insertInto('deletions').values({
          member_id,
          requested_at: at(0),
          step: 'sweep',
          attempts: 3,
          due_at: null,
          error: null,
          done_at,
          email_hash: emailHash(email),
        }),
      ),
  }
}

function ref(kind: Ref['kind'], id: string, part?: Ref['part']): Ref {
  return {
    kind,
    id,
    ...(part ? { part } : {}),
  }
}
function money(
  id: string,
  data: Partial<MoneyFact> = {},
  change: Partial<Omit<MoneyChange, 'data'>> = {},
): MoneyChange {
  return {
    type: 'money',
    kind: 'payment',
    id,
    stage: 'updated',
    ...change,
    data: { id, refs: [], state: 'paid', amount: 900, currency: 'EUR', purpose: 'one_time', ...data },
  }
}
function checkout(id: string, data: Partial<MoneyFact> = {}) {
  return money(id, { email: 'ann@example.com', name: 'Ann', ...data }, { kind: 'checkout' })
}
function customer(id: string, data: Partial<CustomerChange['data']> = {}): CustomerChange {
  return {
    type: 'customer',
    id,
    stage: 'updated',
    data: { id, email: 'ann@example.com', name: 'Ann', deleted: false, ...data },
  }
}
function bought(id: string, customer_id = 'cus_1', data: Partial<MoneyFact> = {}) {
  return money(id, { customer_id, ...data })
}

test('a buyer with an unknown address becomes an unverified member with the first role', async (t) => {
  const { tell, members, owner } = await open(t)
  await tell(customer('cus_1', { email: ' Ann@Example.com ' }), bought('ch_1'))
  t.deepEqual(await members(), [
    {
      id: 'member_1',
      email: 'ann@example.com',
      email_verified: 0,
      name: 'Ann',
      roles: '["reader"]',
      created_by: 'acme:cus_1',
    },
  ])
  t.like(await owner('cus_1'), {
    member_id: 'member_1',
    email: 'ann@example.com',
    guest: 0,
    purchased: 1,
    deleted: 0,
  })
})

test('a purchase waits for an owner of its address if purchases create no members', async (t) => {
  const { tell, members, owner } = await open(t, { rules: { create: false, roles: [] } })
  await tell(customer('cus_1'), bought('ch_1'))
  t.deepEqual(await members(), [])
  t.like(await owner('cus_1'), { member_id: null, email: 'ann@example.com' })
})

test('the purchase goes to the member who proved the address, not to one who only claims it', async (t) => {
  const { tell, join, members, owner } = await open(t)
  await join('ann', 'ann@example.com')
  await join('bob', 'bob@example.com', { email_verified: 0 })
  await tell(customer('cus_1'), bought('ch_1'))
  await tell(customer('cus_2', { email: 'bob@example.com' }), bought('ch_2', 'cus_2'))
  t.is((await owner('cus_1'))?.member_id, 'ann')
  t.is((await owner('cus_2'))?.member_id, null)
  t.is((await members()).length, 2)
})

test('a customer without purchases has no owner, and becomes a member with the first purchase', async (t) => {
  const { tell, members, owner } = await open(t)
  await tell(customer('cus_1'))
  t.like(await owner('cus_1'), { purchased: 0, member_id: null, email: 'ann@example.com', name: 'Ann' })
  await tell(bought('ch_1', 'cus_1', { state: 'pending' }))
  t.deepEqual(await members(), [])
  await tell(bought('ch_1'))
  t.like(await owner('cus_1'), { purchased: 1, member_id: 'member_1' })
})

test('two purchases in one event with one address create one member', async (t) => {
  const { tell, members, owner } = await open(t)
  await tell(customer('cus_1'), customer('cus_2'), bought('ch_1'), bought('ch_2', 'cus_2'))
  t.is((await members()).length, 1)
  // The other waits for the address to be proved.
  t.deepEqual([(await owner('cus_1'))?.member_id, (await owner('cus_2'))?.member_id].filter(Boolean), [
    'member_1',
  ])
})

test('a decision stays: a new address of the customer moves nothing', async (t) => {
  const { tell, join, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  await join('bob', 'bob@example.com')
  await tell(customer('cus_1', { email: 'bob@example.com', name: 'Bob' }))
  await tell(bought('ch_2'))
  t.like(await owner('cus_1'), { member_id: 'member_1', email: 'bob@example.com', name: 'Bob' })
})

test('a deleted customer is marked, keeps purchases, and no purchase unmarks it', async (t) => {
  const { tell, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  await tell(customer('cus_1', { deleted: true }))
  t.like(await owner('cus_1'), { deleted: 1, member_id: 'member_1' })
  await tell(bought('ch_2'))
  t.like(await owner('cus_1'), { deleted: 1, member_id: 'member_1' })
})

test('a guest’s purchase has its own name, with the data typed at the checkout', async (t) => {
  const { tell, owner } = await open(t)
  await tell(checkout('cs_1'))
  t.like(await owner('cs_1'), {
    guest: 1,
    member_id: 'member_1',
    email: 'ann@example.com',
    name: 'Ann',
    purchased: 1,
  })
})

test('a guest’s purchase moves to the customer when known, with its owner', async (t) => {
  const { tell, owners, owner, payments } = await open(t)
  await tell(checkout('cs_1'))
  await tell(money('ch_1', { customer_id: 'cus_1', refs: [ref('checkout', 'cs_1')] }))
  t.deepEqual(await owners(), [
    { customer_id: 'cus_1', member_id: 'member_1', email: 'ann@example.com', name: 'Ann' },
  ])
  t.is((await owner('cus_1'))?.purchased, 1)
  t.deepEqual(
    (await payments()).map(({ id, owner_id }) => [id, owner_id]),
    [['ch_1', 'cus_1']],
  )
})

test('a customer’s owner wins over a guest’s purchase owner, who is notified', async (t) => {
  const { tell, join, owner, told, storage } = await open(t)
  await join('bob', 'bob@example.com')
  await tell(customer('cus_1', { email: 'bob@example.com' }), bought('ch_0'))
  await tell(checkout('cs_1'))
  t.is((await owner('cs_1'))?.member_id, 'member_1')
  await storage.read((db) => db.deleteFrom('notify_queue'))
  await tell(money('ch_1', { customer_id: 'cus_1', refs: [ref('checkout', 'cs_1')] }))
  t.is((await owner('cus_1'))?.member_id, 'bob')
  t.is(await owner('cs_1'), undefined)
  t.deepEqual((await told()).sort(), ['cus_1', 'member_1'])
})

test('a customer’s own name and address win over those typed at a checkout', async (t) => {
  const { tell, owner } = await open(t)
  await tell(
    customer('cus_1'),
    checkout('cs_1', { customer_id: 'cus_1', email: 'typed@example.com', name: 'Typed' }),
  )
  t.like(await owner('cus_1'), { email: 'ann@example.com', name: 'Ann' })
  await tell(checkout('cs_2', { customer_id: 'cus_1', email: 'later@example.com', name: 'Later' }))
  t.like(await owner('cus_1'), { email: 'ann@example.com', name: 'Ann' }, 'also when it is heard of later')
})

test('the newest purchase decides if the customer has neither', async (t) => {
  const { tell, owner } = await open(t)
  const typed = (id: string, name: string, paid_at: string) =>
    checkout(id, { customer_id: 'cus_1', email: `${name}@example.com`, name, paid_at })
  await tell(customer('cus_1', { email: null, name: null }))
  await tell(typed('cs_2', 'second', at(20)))
  await tell(typed('cs_1', 'first', at(10)))
  t.like(await owner('cus_1'), { email: 'second@example.com', name: 'second' })
  await tell(typed('cs_3', 'third', at(30)))
  t.like(await owner('cus_1'), { email: 'third@example.com', name: 'third', member_id: 'member_1' })
  await tell(customer('cus_1', { email: null, name: 'Own' }))
  t.like(await owner('cus_1'), { email: 'third@example.com', name: 'Own' })
})

test('a payment joined late to a checkout takes over the checkout’s address', async (t) => {
  const { tell, owner } = await open(t)
  await tell(money('ch_1', { customer_id: 'cus_1', refs: [ref('checkout', 'cs_1')] }))
  t.like(await owner('cus_1'), { email: null, member_id: null, purchased: 1 })
  await tell(checkout('cs_1'))
  t.like(await owner('cus_1'), { email: 'ann@example.com', member_id: 'member_1' })
})

function intent(member_id: string | null, fields: object = {}) {
  return {
    id: 'int_1',
    status: 'open',
    provider: 'acme',
    mode: 'payment',
    plan: 'pro',
    price_id: 'price_1',
    quantity: 1,
    member_id,
    checkout_id: 'cs_1',
    checkout_url: null,
    redirect: '/',
    browser: null,
    claim: 'x',
    created_at: at(0),
    expires_at: at(9999),
    settled_at: null,
    request: null,
    ...fields,
  }
}

test('the member who began a checkout here owns its purchase, whatever address was typed', async (t) => {
  const { storage, tell, join, owner, members } = await open(t)
  await join('bob', 'bob@example.com', { email_verified: 0 })
  await storage.read((db) => db.insertInto('intents').values(intent('bob')))
  await tell(checkout('cs_1', { intent_id: 'int_1', customer_id: 'cus_1' }))
  t.is((await owner('cus_1'))?.member_id, 'bob')
  t.is((await members()).length, 1)
})

test('an earlier owner of a customer keeps it, whoever begins a checkout for it', async (t) => {
  const { storage, tell, join, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_0'))
  await join('bob', 'bob@example.com')
  await storage.read((db) => db.insertInto('intents').values(intent('bob')))
  await tell(checkout('cs_1', { intent_id: 'int_1', customer_id: 'cus_1' }))
  t.is((await owner('cus_1'))?.member_id, 'member_1')
})

test('a member created by our checkout is marked as such', async (t) => {
  const { storage, tell, members } = await open(t)
  await storage.read((db) => db.insertInto('intents').values(intent(null)))
  await tell(checkout('cs_1', { intent_id: 'int_1' }))
  t.is((await members())[0]?.created_by, 'int_1')
})

test('at a provider with one customer per address, the address decides the owner, not who began', async (t) => {
  const { storage, tell, join, owner, asked } = await open(t, { sharesCustomers: () => true })
  await join('bob', 'bob@example.com')
  await storage.read((db) => db.insertInto('intents').values(intent('bob')))
  await tell(checkout('cs_1', { intent_id: 'int_1', customer_id: 'cus_1', email: null, name: null }))
  t.like(await owner('cus_1'), { member_id: null, email: null, purchased: 1 })
  t.deepEqual(await asked(), [`customer cus_1 ${at(3600)}`], 'whoever bought is asked for')
  await tell(customer('cus_1'))
  t.is((await owner('cus_1'))?.member_id, 'member_1')
})

test('no fetch is made if the owner or address is known, nothing was bought, or it is deleted', async (t) => {
  const { tell, asked } = await open(t, { sharesCustomers: () => true })
  await tell(customer('cus_1'), bought('ch_1'))
  await tell(customer('cus_2', { email: null }))
  await tell(customer('cus_3', { email: null, deleted: true }), bought('ch_3', 'cus_3'))
  await tell(checkout('cs_4', { email: null, name: null }))
  t.deepEqual(await asked(), [])
  const usual = await open(t)
  await usual.tell(bought('ch_1'))
  t.deepEqual(await usual.asked(), [], 'nor where a customer is a person')
})

test('with one customer per address, a guest’s owner moves only with the same address', async (t) => {
  for (const [email, holder] of [
    ['ann@example.com', 'member_1'],
    ['bob@example.com', 'member_2'],
  ] as const) {
    const { tell, owner } = await open(t, { sharesCustomers: () => true })
    await tell(checkout('cs_1'))
    await tell(
      customer('cus_1', { email }),
      money('ch_1', { customer_id: 'cus_1', refs: [ref('checkout', 'cs_1')] }),
    )
    t.is((await owner('cus_1'))?.member_id, holder, email)
  }
})

test('a purchase goes to the account that the member’s was merged into, with its origin', async (t) => {
  const { tell, join, owner } = await open(t)
  await join('new', 'new@example.com')
  await join('mid', 'mid@example.com', { merged_into: 'new' })
  await join('old', 'ann@example.com', { merged_into: 'mid' })
  await tell(customer('cus_1'), bought('ch_1'))
  t.like(await owner('cus_1'), { member_id: 'new', moved_from: 'mid' })
})

test('late data of a deleted member goes to the empty account, without name and address', async (t) => {
  const { tell, leave, owner, members, storage } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  await leave('member_1', 'ann@example.com', at(5))
  await tell(customer('cus_1', { name: 'Ann Lee' }))
  t.like(await owner('cus_1'), { member_id: 'member_1', email: null, name: null })
  t.is((await members()).length, 1)
  const [deletion] = await storage.read((db) => db.selectFrom('deletions').selectAll())
  t.like(deletion, { step: 'cancel', attempts: 0, due_at: at(3660) })
})

test('a purchase from before a deletion belongs to the deleted member; a later one creates a new member', async (t) => {
  const { tellAt, leave, owner } = await open(t)
  await leave('gone', 'ann@example.com', at(100))
  await tellAt(99, customer('cus_1'), bought('ch_1'))
  t.like(await owner('cus_1'), { member_id: 'gone', email: null, name: null })
  await tellAt(101, customer('cus_2'), bought('ch_2', 'cus_2'))
  t.is((await owner('cus_2'))?.member_id, 'member_1')
  await tellAt(99, customer('cus_3'))
  t.like(await owner('cus_3'), { member_id: 'gone', email: null }, 'also one who bought nothing')
})

test('a pending deletion takes nothing', async (t) => {
  const { tell, leave, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  await leave('member_1', 'ann@example.com', null)
  await tell(customer('cus_1', { name: 'Ann Lee' }))
  t.like(await owner('cus_1'), { email: 'ann@example.com', name: 'Ann Lee' })
})

test('a deletion in another process is noticed by a further purchase after a minute', async (t) => {
  const { tell, leave, owner, setNow } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  await tell(bought('ch_2'))
  await leave('member_1', 'ann@example.com', at(3000))
  setNow(3600 + 61)
  await tell(bought('ch_3'))
  t.like(
    await owner('cus_1'),
    { member_id: 'member_1', email: 'ann@example.com' },
    'its row is not read for it',
  )
  await tell(customer('cus_1', { name: 'Ann Lee' }))
  t.like(await owner('cus_1'), { email: null, name: null })
})

test('objects that name each other become one payment, in any order', async (t) => {
  const parts = [
    money('ch_1', { refs: [ref('payment', 'pi_1', 'collection')] }),
    money('pi_1', { refs: [ref('payment', 'in_1', 'bill')] }, { part: 'collection' }),
    money('in_1', {}, { part: 'bill' }),
  ]
  for (const order of [parts, parts.toReversed(), [parts[0]!, parts[2]!, parts[1]!]]) {
    const { tell, payments, storage } = await open(t)
    for (const part of order) await tell(part)
    t.deepEqual(
      (await payments()).map(({ id, status }) => [id, status]),
      [['pi_1', 'paid']],
    )
    const refs = await storage.read((db) =>
      db.selectFrom('payment_refs').select(['ref', 'payment_id']).orderBy('ref'),
    )
    t.deepEqual(
      refs.map((row) => `${row.ref} ${row.payment_id}`),
      ['bill:in_1 pi_1', 'collection:pi_1 pi_1', 'payment:ch_1 pi_1'],
    )
  }
})

test('objects in one event that name each other become one payment at once', async (t) => {
  const { tell, payments } = await open(t)
  await tell(
    money('ch_1'),
    money('pi_1', { refs: [ref('payment', 'ch_1')] }, { part: 'collection' }),
    money('ch_2'),
  )
  t.deepEqual(
    (await payments()).map(({ id }) => id),
    ['ch_2', 'pi_1'],
  )
})

test('a subscription and a customer join no payments, because all their payments name them', async (t) => {
  const { tell, payments } = await open(t)
  const refs = [ref('subscription', 'sub_1'), ref('customer', 'cus_1')]
  await tell(money('ch_1', { refs, subscription_id: 'sub_1' }))
  await tell(money('ch_2', { refs, subscription_id: 'sub_1' }))
  t.deepEqual(
    (await payments()).map(({ id, subscription_id }) => [id, subscription_id]),
    [
      ['ch_1', 'sub_1'],
      ['ch_2', 'sub_1'],
    ],
  )
})

test('a refund waits for its unknown payment, and then counts', async (t) => {
  const { tell, payments } = await open(t)
  const refund = { refs: [ref('payment', 'ch_1')], state: 'succeeded' as const, amount: 900 }
  await tell(money('re_1', refund, { kind: 'refund' }))
  t.like((await payments())[0], {
    id: 'ch_1',
    status: 'waiting',
    data: 'null',
    price_id: null,
    unknown_since: null,
  })
  await tell(money('ch_1', { price_id: 'price_1' }))
  t.like((await payments())[0], { id: 'ch_1', status: 'refunded', price_id: 'price_1' })
})

test('the time of an unknown purpose starts at the first check, also after a rename', async (t) => {
  const { tell, payments, setNow } = await open(t)
  await tell(money('ch_1', { purpose: 'unknown' }))
  t.like((await payments())[0], { unknown_since: at(3600), unknown_step: 0 })
  setNow(7200)
  await tell(money('ch_2', { purpose: 'unknown' }))
  await tell(
    money(
      'pi_1',
      { purpose: 'unknown', refs: [ref('payment', 'ch_2'), ref('payment', 'ch_1')] },
      { part: 'collection' },
    ),
  )
  t.like((await payments())[0], { id: 'pi_1', unknown_since: at(3600) })
  await tell(money('ch_1', { purpose: 'recurring' }))
  t.like((await payments())[0], { unknown_since: null })
})

test('imported purchases cause no fetch', async (t) => {
  const { tellQuietly, payments } = await open(t)
  await tellQuietly(money('ch_1', { purpose: 'unknown' }))
  t.is((await payments())[0]?.unknown_step, 2)
})

test('of two events of one second the later payment state wins, in any order', async (t) => {
  for (const [earlier, later] of [
    ['pending', 'failed'],
    ['pending', 'paid'],
    ['failed', 'paid'],
  ] as const) {
    for (const order of [
      [earlier, later],
      [later, earlier],
    ]) {
      const { tellAt, payments } = await open(t)
      for (const state of order) await tellAt(0, money('ch_1', { state }))
      t.is((await payments())[0]?.status, later, String(order))
    }
  }
})

test('of two events of one second the one with more refunds is later, and a final one last', async (t) => {
  for (const turn of [(list: MoneyChange[]) => list, (list: MoneyChange[]) => list.toReversed()]) {
    const item = await open(t)
    for (const change of turn([
      money('ch_1', { amount_refunded: 100 }),
      money('ch_1', { amount_refunded: 900 }),
    ]))
      await item.tellAt(0, change)
    t.is((await item.payments())[0]?.status, 'refunded')
    const final = await open(t)
    for (const change of turn([money('ch_1'), money('ch_1', { state: 'failed', final: true })]))
      await final.tellAt(0, change)
    t.is((await final.payments())[0]?.status, 'failed')
  }
})

test('a dispute and a refund of one second end in their final states', async (t) => {
  const refs = [ref('payment', 'ch_1')]
  const pairs = [
    ['dispute', 'open', 'won', 'paid'],
    ['dispute', 'open', 'lost', 'disputed'],
    ['refund', 'succeeded', 'failed', 'paid'],
    ['refund', 'succeeded', 'canceled', 'paid'],
    ['refund', 'pending', 'succeeded', 'refunded'],
  ] as const
  for (const [kind, earlier, later, status] of pairs)
    for (const states of [
      [earlier, later],
      [later, earlier],
    ]) {
      const { tellAt, payments } = await open(t)
      await tellAt(0, money('ch_1'))
      for (const state of states) await tellAt(60, money('x_1', { refs, state }, { kind }))
      t.is((await payments())[0]?.status, status, `${kind} ${states}`)
    }
})

test('two indistinguishable events of one second cause a fetch later than both', async (t) => {
  const { tellAt, asked } = await open(t)
  await tellAt(0, money('ch_1', { price_id: 'price_1' }))
  t.deepEqual(await asked(), [])
  await tellAt(0, money('ch_1', { price_id: 'price_2' }))
  t.deepEqual(await asked(), [`payment ch_1 ${at(2)}`])
})

test('a repeated event writes nothing', async (t) => {
  const { tellAt, payments, storage, another } = await open(t)
  const origin = { provider: 'acme', account: '', id: 'evt_x', source: 'event' as const, at: at(0) }
  await tellAt(0, money('ch_1'))
  const state = async () => [await payments(), await storage.read((db) => db.selectFrom('facts').selectAll())]
  const before = await state()
  await tellAt(0, money('ch_1'))
  await another().apply([money('ch_1')], origin)
  t.deepEqual(await state(), before)
})

test('staff assign the owner of a payment without one', async (t) => {
  const { tell, join, owner } = await open(t)
  await join('bob', 'bob@example.com')
  await tell(money('ch_1'))
  const assigned = { by: 'op', at: at(9), member_id: 'bob' }
  await tell(money('l_1', { assigned, refs: [ref('payment', 'ch_1')] }, { kind: 'link' }))
  t.is((await owner('ch_1'))?.member_id, 'bob')
})

function collect(told: unknown[], entry: unknown) {
  told.push(entry)
  return []
}

test('a payment for a price is told once more with each change, and one of a subscription never', async (t) => {
  const told: unknown[] = []
  const { tell } = await open(t, { onPayment: (payment) => collect(told, payment) })
  await tell(bought('ch_1', 'cus_1', { price_id: 'price_1' }))
  t.deepEqual(told, [{ provider: 'acme', account: '', id: 'ch_1', price_id: 'price_1' }])
  await tell(bought('ch_2', 'cus_1', { price_id: null }))
  await tell(bought('ch_3', 'cus_1', { price_id: 'price_1', subscription_id: 'sub_1' }))
  await tell(money('re_1', { refs: [ref('payment', 'ch_unknown')], amount: 900 }, { kind: 'refund' }))
  t.is(told.length, 1, 'without a price, of a subscription, and only a refund')
  await tell(bought('ch_1', 'cus_1', { price_id: 'price_1', amount_refunded: 100 }))
  t.is(told.length, 2)
})

test('a dispute of a subscription’s payment is told when it begins, and not again', async (t) => {
  const told: unknown[] = []
  const { tell } = await open(t, { onDispute: (dispute) => collect(told, dispute) })
  const disputed = (payment: string, fields: Partial<MoneyFact> = {}) =>
    money(`dp_${payment}`, { state: 'open', refs: [ref('payment', payment)], ...fields }, { kind: 'dispute' })
  await tell(bought('ch_1', 'cus_1', { subscription_id: 'sub_1' }), bought('ch_2', 'cus_1'))
  await tell(disputed('ch_2'))
  t.deepEqual(told, [], 'bought once')
  await tell(disputed('ch_1'))
  t.deepEqual(told, [{ provider: 'acme', account: '', id: 'sub_1', payment: 'ch_1' }])
  await tell(disputed('ch_1', { amount: 901 }))
  await tell(bought('ch_1', 'cus_1', { subscription_id: 'sub_1', price_id: 'price_1' }))
  t.is(told.length, 1, 'a later change of the same dispute')
  await tell(disputed('ch_1', { state: 'won' }))
  await tell(disputed('ch_1', { state: 'open' }))
  t.true(told.length <= 2, 'begun anew at most once')
})

test('the row of a payment says when it was paid and changed, and whether money went back', async (t) => {
  const { tellAt, payments } = await open(t)
  await tellAt(0, bought('ch_1', 'cus_1', { paid_at: at(5) }))
  t.like((await payments())[0], { paid_at: at(5), changed_at: at(0), refunded: 0 })
  await tellAt(10, bought('ch_1', 'cus_1', { paid_at: at(5), amount_refunded: 1 }))
  t.like((await payments())[0], { paid_at: at(5), changed_at: at(10), refunded: 1 })
  await tellAt(20, money('re_9', { refs: [ref('payment', 'ch_later')], amount: 900 }, { kind: 'refund' }))
  t.like(
    (await payments()).find(({ status }) => status === 'waiting'),
    { paid_at: null, changed_at: null, refunded: 0, price_id: null, subscription_id: null },
  )
})

test('a purchase of a customer that another process recreated is processed again', async (t) => {
  const { tell, another, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  const origin = { provider: 'acme', account: '', id: 'evt_other', source: 'event' as const, at: at(9) }
  await another().apply([customer('cus_1', { email: 'new@example.com' }), bought('ch_2')], origin)
  await tell(bought('ch_3'))
  t.like(await owner('cus_1'), { email: 'new@example.com', member_id: 'member_1' })
})

test('a plain purchase of a known owner reads nothing about it for a minute, and then does', async (t) => {
  const { tell, storage, setNow, owner } = await open(t)
  const revision = async () => (await owner('cus_1'))!.revision
  await tell(customer('cus_1'), bought('ch_1'))
  await tell(bought('ch_2'))
  const known = await revision()
  await storage.read((db) => db.updateTable('customers').set({ purchased: 0 }))
  await tell(bought('ch_3'))
  t.is((await owner('cus_1'))?.purchased, 0)
  t.is(await revision(), known)
  setNow(3600 + 60)
  await tell(bought('ch_4'))
  t.is((await owner('cus_1'))?.purchased, 1)
})

test('a guest’s earlier purchases count as the later known customer’s', async (t) => {
  const { tell, owner } = await open(t)
  await tell(checkout('cs_1'))
  await tell(money('l_1', { customer_id: 'cus_1', refs: [ref('checkout', 'cs_1')] }, { kind: 'link' }))
  await tell(customer('cus_1', { email: null, name: null }))
  t.truthy(await owner('cus_1'))
})

test('a payment that turns out to be another customer’s takes nothing else along', async (t) => {
  const { tell, owner } = await open(t)
  await tell(customer('cus_1'), bought('ch_0'), bought('ch_1'))
  await tell(customer('cus_2', { email: 'bob@example.com' }), bought('ch_1', 'cus_2'))
  t.like(await owner('cus_1'), { member_id: 'member_1', purchased: 1 })
  t.like(await owner('cus_2'), { member_id: 'member_2', purchased: 1 })
})

test('an unchanged customer copy writes the owner only if its row differs', async (t) => {
  const { tell, another, owner, storage, leave } = await open(t)
  await tell(customer('cus_1'), bought('ch_1'))
  let events = 0
  // Each time a process that has seen nothing yet.
  const copy = () =>
    another().apply([customer('cus_1')], {
      provider: 'acme',
      account: '',
      source: 'event' as const,
      id: `evt_copy_${++events}`,
      at: at(100 + events),
    })
  const row = async () => (await owner('cus_1'))!
  const { revision: written } = await row()
  await copy()
  t.is((await row()).revision, written)
  const said = { email: 'ann@example.com', name: 'Ann', deleted: 0 as const }
  for (const other of [
    { email: 'x@example.com' },
    { email: null },
    { name: 'X' },
    { deleted: 1 as const },
    { purchased: 0 as const },
    { member_id: null },
  ]) {
    await storage.read((db) =>
      db.updateTable('customers').set({ member_id: 'member_1', purchased: 1, ...said, ...other }),
    )
    const { revision } = await row()
    await copy()
    t.like(await row(), { ...said, revision: revision + 1 }, JSON.stringify(other))
  }
  await storage.read((db) =>
    db.updateTable('customers').set({ member_id: 'member_1', purchased: 1, ...said }),
  )
  await leave('member_1', 'ann@example.com', at(200))
  await copy()
  t.like(await row(), { email: null, name: null, member_id: 'member_1' }, 'whoever left stays without a name')
})
