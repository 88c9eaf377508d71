import test from 'ava'
import type { Shop } from '../../../src/core/access/index.ts'
import { openStorage, type Storage } from '../../../src/core/storage/index.ts'
import { createAuditLog } from '../../../src/memberships/audit-log/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { type ChangeKind, createChanges } from '../../../src/memberships/subscriptions/changes.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { allDatabases } from '../../support/databases.ts'

const shop: Shop = {
  accepts: 'plans',
  prices: new Set(['price_pro']),
  products: new Set(['prod_pro']),
  listed: new Map([['price_app', 'prod_app']]),
  isOpen: false,
}

function now() {
  return new Date('2026-03-01T12:00:00.000Z')
}

const noPeriod = { current_period_start: null, current_period_end: null }

function ledgerOn(storage: Storage) {
  return createLedger({
    neighbours: neighboursOn(storage),
    storage,
    now,
    shopOf: () => shop,
    canFetch: () => false,
    reports: false,
    rules: { create: true, roles: ['member'] },
    randomId: () => 'x',
  })
}

test('a change of a subscription that two shops sold is refused on both databases, and waits for the operator', async (t) => {
  for (const open of allDatabases) {
    const database = await open()
    t.teardown(database.close)
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'normal', pool: 2, now })
    t.teardown(() => storage.close())
    const ledger = ledgerOn(storage)
    const item = (price_id: string) => ({ id: null, price_id, product_id: null, quantity: 1, ...noPeriod })
    await ledger.apply(
      [
        {
          type: 'subscription',
          id: 'sub_two',
          at: now().toISOString(),
          stage: 'updated',
          data: {
            id: 'sub_two',
            customer_id: 'cus_1',
            price_id: 'price_pro',
            product_id: null,
            quantity: 1,
            items: [item('price_pro'), item('price_app')],
            status: 'active',
            provider_status: null,
            currency: 'EUR',
            unit_amount: 900,
            interval: 'month',
            interval_count: 1,
            started_at: now().toISOString(),
            trial_ends_at: null,
            current_period_start: null,
            current_period_end: null,
            cancel_at_period_end: false,
            cancel_at: null,
            canceled_at: null,
            ended_at: null,
            paused_at: null,
            resumes_at: null,
            metadata: {},
          },
        },
      ],
      { provider: 'acme', account: '', id: 'evt_1', source: 'event', at: now().toISOString() },
    )
    const changes = createChanges({
      storage,
      ledger,
      now,
      randomId: () => 'x',
      log: () => {},
      auditLog: createAuditLog({ storage, now, randomId: () => 'r' }),
      providers: new Map([
        [
          'acme',
          {
            key: 'acme',
            cancel: async () => t.fail('nothing is cancelled'),
            updateCustomer: async () => t.fail('no customer is changed'),
          } as never,
        ],
      ]),
    })
    const wish = { kind: 'cancel' as const, provider: 'acme', account: '', object: 'sub_two', memberId: null }
    const ask = () =>
      changes.ask(
        { ...wish, requestedBy: { kind: 'member' }, name: 'cancel sub_two', reason: 'a test' },
        {} as never,
      )
    for (let n = 0; n < 2; n++) {
      const error = await t.throwsAsync(ask(), { code: 'ERR_ACTION_REFUSED' })
      t.is((error as Error & { reason?: string }).reason, 'foreign')
    }
    const { provider, id, kind } = (await changes.listByHand())[0] ?? {}
    t.deepEqual({ provider, id, kind }, { provider: 'acme', id: 'sub_two', kind: 'cancel' })
    t.is((await changes.listByHand()).length, 1, 'asked for twice, it is one task')

    // The other shop reads the customer's name and address, too.
    const customer = { ...wish, kind: 'updateCustomer' as const, object: 'cus_1' }
    const renamed = await t.throwsAsync(
      changes.ask(
        { ...customer, requestedBy: { kind: 'member' }, name: 'rename cus_1', reason: 'a test' },
        {} as never,
      ),
      { code: 'ERR_ACTION_REFUSED' },
    )
    t.is((renamed as Error & { reason?: string }).reason, 'foreign')
  }
})

test('no change of a purchase that this site did not sell reaches a provider, whoever asks', async (t) => {
  const storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  t.teardown(() => storage.close())
  const ledger = ledgerOn(storage)
  const origin = { provider: 'acme', account: '', source: 'event' as const, at: now().toISOString() }
  const data = { refs: [], state: 'paid' as const, amount: 900, currency: 'EUR', price_id: 'price_app' }
  await ledger.apply(
    [{ type: 'money', kind: 'payment', stage: 'updated', id: 'in_app', data: { id: 'in_app', ...data } }],
    { ...origin, id: 'evt_1' },
  )
  const kinds: readonly ChangeKind[] = [
    'cancel',
    'swap',
    'schedule',
    'unschedule',
    'pause',
    'discount',
    'resume',
    'refund',
  ]
  const called: string[] = []
  const methods = Object.fromEntries(kinds.map((kind) => [kind, async () => void called.push(kind)]))
  const changes = createChanges({
    storage,
    ledger,
    now,
    randomId: () => 'x',
    log: () => {},
    auditLog: createAuditLog({ storage, now, randomId: () => 'r' }),
    providers: new Map([['acme', { key: 'acme', ...methods } as never]]),
  })
  for (const kind of kinds)
    for (const requestedBy of [
      { kind: 'member' },
      { kind: 'operator', name: 'Eve' },
      { kind: 'law' },
      { kind: 'rule', name: 'repeated-trial' },
    ] as const) {
      const object = kind === 'refund' ? 'in_app' : 'sub_app'
      const wish = { kind, provider: 'acme', account: '', object, memberId: null, requestedBy }
      const name = `${kind} ${requestedBy.kind}`
      const error = await t.throwsAsync(changes.ask({ ...wish, name, reason: 'a test' }, {} as never), {
        code: 'ERR_ACTION_REFUSED',
      })
      t.is((error as Error & { reason?: string }).reason, 'foreign', name)
    }
  t.deepEqual(called, [])
})
