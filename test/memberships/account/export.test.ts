import test from 'ava'
import { accountExportSchema } from '../../../src/core/dto/account-export.ts'
import { createExport } from '../../../src/memberships/account/index.ts'
import { createLives } from '../../../src/site/assembly/lives.ts'
import { allDatabases } from '../../support/databases.ts'
import { annLeaves } from '../../support/leaving.ts'

for (const databases of allDatabases) {
  const name = databases.name.replace('Databases', '')
  test.serial(`${name}: an export contains all data of the member, no secret and nobody else`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const { m, clock, ann, deletions } = await annLeaves(t, await database.url())
    const exportOf = createExport({
      storage: m.storage,
      lives: createLives({ storage: m.storage, now: clock.now }),
      now: clock.now,
    })
    const copy = await exportOf((await m.users.findById(ann.id))!)
    t.deepEqual(
      accountExportSchema.parse(JSON.parse(JSON.stringify(copy))),
      copy,
      'it has its documented shape',
    )

    t.is(copy.profile.email, 'ann@example.com')
    t.deepEqual(copy.fields, { town: 'Annville' })
    t.deepEqual(
      copy.subscriptions.map((s) => s.id),
      ['sub_1'],
    )
    t.deepEqual(copy.payments.map((p) => p.id).sort(), ['in_1', 'pi_1'])
    t.deepEqual(
      copy.grants.map((g) => [g.gate, g.reason]),
      [['price_gift', 'a gift for Ann']],
    )
    t.deepEqual(
      copy.customers.map((c) => [c.customer_id, c.email]),
      [['cus_1', 'ann@example.com']],
    )
    t.is(copy.sessions.length, 1)
    t.is(copy.checkouts.length, 2)
    t.is(copy.deletion, null)
    for (const secret of [
      /ses_1/,
      /int_1/,
      /anns-browser/,
      /checkout\.stripe\.com/,
      /bob/i,
      /sub_b/,
      /password_hash/,
    ])
      t.notRegex(JSON.stringify(copy), secret)

    await deletions.request(ann.id)
    const empty = await exportOf((await m.users.findById(ann.id))!)
    t.truthy(empty.deletion?.done_at)
    t.notRegex(JSON.stringify(empty), /ann@|"Ann"|Annville/)
  })
}
