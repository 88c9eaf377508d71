import test from 'ava'
import { step } from '../../../src/core/storage/index.ts'
import type { Membership } from '../../../src/index.ts'
import { memberDoorStatements } from '../../../src/memberships/members/door-statements.ts'
import { openInstance } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'

// More than the search reads in one statement, of both kinds.
const each = 5200

async function fill(m: Membership): Promise<void> {
  const { memberInsert } = memberDoorStatements(m.storage)
  const at = '2026-01-01T00:00:00.000Z'
  const row = (id: string, email: string | null, name: string) => ({
    id,
    email,
    email_verified: 1,
    name,
    roles: '["member"]',
    language: null,
    content: '{}',
    created_by: null,
    created_at: at,
    updated_at: at,
  })
  const rows = Array.from({ length: each }, (_, n) => n).flatMap((n) => [
    row(`a_${n}`, `m${n}@example.com`, `Ann ${n}`),
    row(`z_${n}`, null, `Zoe ${n}`),
  ])
  rows.push(row('last', 'zz@example.org', 'Very Rare'), row('zz_last', null, 'Rare Without'))
  for (let from = 0; from < rows.length; from += 400)
    await m.storage.commit(rows.slice(from, from + 400).map((item) => step(memberInsert, item)))
}

for (const databases of allDatabases)
  test(`${databases.name.replace('Databases', '')}: a search finds everybody once, page by page, with and without an address`, async (t) => {
    const database = await databases()
    t.teardown(database.close)
    const m = await openInstance(await database.url(), () => new Date())
    t.teardown(() => m.close())
    await fill(m)
    const idsOf = async (q: string, limit: number): Promise<string[]> => {
      const ids: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await m.users.list({ q, limit, cursor })
        ids.push(...page.members.map(({ id }) => id))
        cursor = page.next
      }
      return ids
    }
    t.deepEqual(await idsOf('rare', 1), ['zz_last', 'last'], 'those without an address come first')
    t.deepEqual(await idsOf('nobody at all', 50), [])
    for (const [word, prefix] of [
      ['ann', 'a'],
      ['zoe', 'z'],
    ] as const) {
      const found = await idsOf(word, 500)
      t.is(found.length, each, word)
      t.is(new Set(found).size, each, `${word}: each once`)
      t.true(found.every((id) => id.startsWith(prefix)))
    }
    t.deepEqual(await idsOf('M77@Example.com', 50), ['a_77'], 'exactly the address finds one alone')
  })
