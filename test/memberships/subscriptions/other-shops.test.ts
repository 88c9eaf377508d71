import test from 'ava'
import type { Shop } from '../../../src/core/access/index.ts'
import { openStorage } from '../../../src/core/storage/index.ts'
import { createAuditLog } from '../../../src/memberships/audit-log/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { type ChangeKind, createChanges } from '../../../src/memberships/subscriptions/changes.ts'

const shop: Shop = {
  accepts: 'plans',
  prices: new Set(['price_pro']),
  products: new Set(['prod_pro']),
  listed: new Map([['price_app', 'prod_app']]),
  isOpen: false,
}

test('no change of a purchase that this site did not sell reaches a provider, whoever asks', async (t) => {
  const now = () => new Date('2026-03-01T12:00:00.000Z')
  const storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  t.teardown(() => storage.close())
  const ledger = createLedger({
    ...{ storage, now, shopOf: () => shop, canFetch: () => false, reports: false },
    ...{ rules: { create: true, roles: ['member'] }, randomId: () => 'x' },
  })
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
    'resume',
    'refund',
  ]
  const called: string[] = []
  const methods = Object.fromEntries(kinds.map((kind) => [kind, async () => void called.push(kind)]))
  const changes = createChanges({
    ...{ storage, ledger, now, randomId: () => 'x', log: () => {} },
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
