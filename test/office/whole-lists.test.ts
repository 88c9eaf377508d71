import test from 'ava'
import { step } from '../../src/core/storage/index.ts'
import { openOfficeSite } from '../support/office.ts'
import { createVisitor } from '../support/visitor.ts'

const office = '/membership/office'
const at = '2026-01-10T00:00:00.000Z'

async function open(t: Parameters<typeof openOfficeSite>[0]) {
  const opened = await openOfficeSite(t, { office: { who: () => ({ name: 'ada', role: 'viewer' }) } })
  return { ...opened, visitor: createVisitor(opened.site) }
}

test('members.csv has every member, however many there are', async (t) => {
  const { m, visitor } = await open(t)
  const insert = m.storage.prepare<{ id: string; email: string }>('test-member', (db, p) =>
    db.insertInto('members').values({
      id: p.id,
      email: p.email,
      email_verified: 1,
      name: null,
      roles: '[]',
      language: null,
      content: '{}',
      created_by: null,
      created_at: at,
      updated_at: at,
      password_hash: null,
    }),
  )
  const count = 10_300
  for (let from = 0; from < count; from += 500)
    await m.storage.commit(
      Array.from({ length: Math.min(500, count - from) }, (_, n) => {
        const id = `member-${String(from + n).padStart(6, '0')}`
        return step(insert, { id, email: `${id}@example.com` })
      }),
    )
  const csv = await visitor.get(`${office}/members.csv`)
  t.is(csv.text.trim().split('\n').length, count + 1)
})

test('Messages shows waiting ones beside many that were given up, page by page', async (t) => {
  const { m, visitor } = await open(t)
  const insert = m.storage.prepare<{ id: string; kind: string; status: string }>('test-message', (db, p) =>
    db.insertInto('outbox').values({
      id: p.id,
      lane: p.id,
      kind: p.kind,
      payload: '{}',
      status: p.status,
      created_at: at,
      due_at: '2030-01-01T00:00:00.000Z',
      attempts: 1,
      error: null,
    }),
  )
  await m.storage.commit(
    Array.from({ length: 101 }, (_, n) =>
      step(insert, { id: `dead${n}`, kind: `kind-dead${n}`, status: 'dead' }),
    ),
  )
  await m.storage.commit([step(insert, { id: 'waits', kind: 'kind-waits', status: 'waiting' })])
  const seen = new Set<string>()
  let path: string | undefined = `${office}/messages`
  for (let pages = 0; path !== undefined && pages < 8; pages++) {
    const { text }: { text: string } = await visitor.get(path)
    t.regex(text, /<td>kind-waits</)
    for (const [, kind] of text.matchAll(/<td>kind-(dead\d+)</g)) seen.add(kind!)
    path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  t.is(seen.size, 101)
})

test('a search continues beyond its first page, also among members without an address', async (t) => {
  const { m, visitor } = await open(t)
  const insert = m.storage.prepare<{ id: string; email: string | null }>('test-member', (db, p) =>
    db.insertInto('members').values({
      id: p.id,
      email: p.email,
      email_verified: 1,
      name: 'Searched Person',
      roles: '[]',
      language: null,
      content: '{}',
      created_by: null,
      created_at: at,
      updated_at: at,
      password_hash: null,
    }),
  )
  await m.storage.commit(
    Array.from({ length: 130 }, (_, n) =>
      step(insert, { id: `m${String(n).padStart(3, '0')}`, email: n < 70 ? null : `p${n}@example.com` }),
    ),
  )
  const seen = new Set<string>()
  let path: string | undefined = `${office}/members?q=searched`
  for (let pages = 0; path !== undefined && pages < 6; pages++) {
    const { text }: { text: string } = await visitor.get(path)
    for (const [, id] of text.matchAll(/office\/members\/(m\d{3})"/g)) seen.add(id!)
    path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  t.is(seen.size, 130)
})
