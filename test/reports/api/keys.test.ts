import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import test from 'ava'
import { kirbyPage } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import { added, dayMs, minuteMs, openIndex, refused, until } from './support.ts'

function sites() {
  return { 'a.example': { '/': kirbyPage('Site A') } }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** A number in base 62 with six digits; written apart from the code under test. */
function base62(value: number): string {
  return [5, 4, 3, 2, 1, 0].map((place) => alphabet[Math.floor(value / 62 ** place) % 62]).join('')
}

test('a key is a prefix, 40 base62 characters and a checksum of 6', async (t) => {
  const index = await openIndex(t)
  const { key } = await index.partner('ann')
  const [, random, checksum] = /^mk_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(key) ?? []
  t.is(checksum, base62(crc32(random ?? '')))
  const other = await index.partner('bob')
  t.not(other.key, key)
})

test('a missing, wrong, mistyped, revoked, expired or suspended key gets 401 with WWW-Authenticate', async (t) => {
  const index = await openIndex(t, sites())
  const { keys, partners } = index.m.reports
  const partner = await index.partner('ann')
  const bob = await index.partner('bob')
  const random = 'x'.repeat(40)
  const revoked = await keys.issue(partner.id)
  await keys.revoke(revoked.entry.id)
  const expiring = await keys.issue(partner.id, { expiresAt: new Date(index.clock.now().getTime() + 1000) })
  t.is((await index.client(expiring.key).list()).status, 200)
  index.clock.move(1000)
  await partners.setStatus(bob.id, 'suspended')
  const wrong = {
    'No API key': '',
    unknown: `mk_${random}${base62(crc32(random))}`,
    mistyped: `${partner.key.slice(0, -1)}${partner.key.endsWith('a') ? 'b' : 'a'}`,
    'cut off': partner.key.slice(0, 20),
    revoked: revoked.key,
    expired: expiring.key,
    suspended: bob.key,
  }
  for (const [word, key] of Object.entries(wrong)) {
    const answer = await index.client(key).list()
    t.regex(answer.headers.get('www-authenticate')!, /^ApiKey /, word)
    const body = await refused(t, answer, 401, 'ERR_API_KEY')
    t.true(body.detail.includes(word), body.detail)
    if (key !== '') t.false(JSON.stringify(body).includes(key))
  }
  await partners.setStatus(bob.id, 'active')
  t.is((await bob.list()).status, 200)
})

test('a revoked key opens nothing from that moment, despite cached answers of the hour', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const etag = (await partner.list()).headers.get('etag')!
  await index.m.reports.keys.revoke(partner.keyId)
  await refused(t, await partner.list(), 401, 'ERR_API_KEY')
  await refused(t, await partner.list('', { 'if-none-match': etag }), 401, 'ERR_API_KEY')
})

test('rotation gives a new key at once and keeps the old one valid for 24 hours', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const made = await index.m.reports.keys.rotate(partner.keyId)
  const fresh = index.client(made.key)
  t.is((await fresh.read(id)).status, 200)
  index.clock.move(dayMs - 1)
  t.is((await partner.read(id)).status, 200)
  index.clock.move(1)
  await refused(t, await partner.read(id), 401, 'ERR_API_KEY')
  t.is((await fresh.read(id)).status, 200)
})

test('a read key can read but not write: 403', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const made = await index.m.reports.keys.issue(partner.id, { scopes: ['read'] })
  const reader = index.client(made.key)
  t.is((await reader.list()).status, 200)
  t.is((await reader.read(id)).status, 200)
  const before = await (await partner.read(id)).text()
  for (const answer of [
    await reader.add('http://b.example/'),
    await reader.refresh(id),
    await reader.upload(id, await plainJpeg()),
    await reader.remove(id),
    await reader.ask('POST', '/reports/imports', {}, 'http://b.example/'),
  ])
    await refused(t, answer, 403, 'ERR_SCOPE')
  t.is(await (await partner.read(id)).text(), before)
})

test('the last use of a key is written at most once a minute, however many requests', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const { storage } = index.m
  const commit = storage.commit.bind(storage)
  let writes = 0
  storage.commit = async (unit) => {
    if (unit.some(({ statement }) => statement.name.endsWith('key-used'))) {
      writes++
      // A database far away: others ask before it is written.
      await new Promise((done) => setTimeout(done, 300))
    }
    return commit(unit)
  }
  const usedAt = async () => {
    const [row] = await index.m.reports.keys.list(partner.id)
    return row!.last_used_at
  }
  const start = index.clock.now().toISOString()
  await Promise.all(Array.from({ length: 10 }, () => partner.list()))
  await until(usedAt, (at) => at === start)
  index.clock.move(minuteMs - 1)
  await partner.list()
  t.is(await usedAt(), start)
  t.is(writes, 1)
  index.clock.move(1)
  await partner.list()
  await until(usedAt, (at) => at === index.clock.now().toISOString())
  t.is(writes, 2)
})

test('a key is shown once: neither the database nor the log has it', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  await partner.refresh(id, { 'idempotency-key': '"one"' })
  await partner.add('http://b.example/', { 'idempotency-key': '"two"' })
  await partner.upload(id, await plainJpeg(), { 'idempotency-key': '"three"' })
  const rotated = await index.m.reports.keys.rotate(partner.keyId)
  await index.m.reports.keys.revoke(partner.keyId)
  await partner.list()
  await index.client(`${partner.key}x`).list()
  const dump = await index.dump()
  t.true(dump.includes(createHash('sha256').update(partner.key).digest('hex')))
  t.true(dump.includes(partner.key.slice(-4)))
  for (const key of [partner.key, rotated.key])
    for (const text of [dump, index.log.join('\n')]) {
      t.false(text.includes(key))
      t.false(text.includes(key.slice(3, 43)))
    }
  for (const entry of await index.m.reports.keys.list(partner.id)) t.false('hash' in entry)
})
