import test from 'ava'
import { createMembership, type Identity } from '../../src/index.ts'

test('identify names a member, an address, or nobody; anything else is said once and is a visitor', async (t) => {
  const log: string[] = []
  let answer: unknown = null
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    install: false,
    root: false,
    log: (line: string) => log.push(line),
    identify: () => answer as Identity,
  })
  t.teardown(() => m.close())
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const asked = async (returned: unknown): Promise<string | null> => {
    answer = returned
    return (await m.viewOf(new Request('https://site.example/'))).user()?.email ?? null
  }
  for (const known of [{ member: ann }, { member: ann.id }, { id: 'u-7', email: 'ann@example.com' }])
    t.is(await asked(known), 'ann@example.com')
  t.is(await asked(null), null)
  t.deepEqual(log, [])
  for (const wrong of [{ id: ann.id }, 'ann@example.com', {}, { name: 'Ann' }, { email: null }, 7, true])
    t.is(await asked(wrong), null, JSON.stringify(wrong))
  t.is(await asked({ member: 'nobody' }), null)
  t.is(await asked({ member: 'nobody' }), null)
  t.deepEqual(log, [
    'identify() returned nothing that names a person, who counts as not logged in.',
    'identify() returned a member who is not known here, and who counts as not logged in.',
  ])
})
