import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { findings, look, now } from './support.ts'

const [older, newer] = ['o'.repeat(40), 'n'.repeat(40)]

test('doctor names what an earlier secret is still needed for, and gift codes that no secret reads any more', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const url = await database.url()
  const { m } = await openStripeSite(t, { 'membership.database.url': url, 'membership.secret': [older] })
  const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => now })
  t.teardown(() => storage.close())
  const found = async (secrets: readonly string[], name: string) =>
    findings(await look({ 'membership.secret': secrets }, { storage }), name)
  t.deepEqual(await found([older], 'old-secrets'), [])
  const [kept] = await found([newer, older], 'old-secrets')
  t.is(kept?.status, 'warning')
  t.regex(kept?.what ?? '', /earlier secret is still needed by 1 gift code/)
  t.deepEqual(await found([newer, older], 'gift-codes'), [])
  const [lost] = await found([newer], 'gift-codes')
  t.is(lost?.status, 'problem')
  t.regex(`${lost?.what} ${lost?.fix}`, /1 gift cannot be read.*Name the earlier secret after the newest one/)
  await m.gifts.revoke(gift!.id, 'ada')
  t.deepEqual(await found([newer], 'gift-codes'), [], 'a code that is over needs no secret')
})
