import test from 'ava'
import { bareProvider } from '../../src/providers/bare.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { createFakeServer } from '../../src/testkit/index.ts'

for (const key of ['stripe', 'paddle', 'creem'])
  test(`${key}: a list that meets a rate limit is read once the limit's header says so`, async (t) => {
    const definition = definitions.find((each) => each.key === key)!
    const fake = await createFakeServer(definition)
    t.teardown(() => fake.close())
    const provider = bareProvider(definition, { secret: fake.secret, api_base: fake.url })
    fake.outage({ kind: '429', requests: 1 })
    let pages = 0
    for await (const _ of provider.list!()) pages++
    t.true(pages > 0)
    const statuses = fake.requests().map(({ status }) => status)
    t.is(statuses[0], 429)
    t.true(statuses.slice(1).every((status) => status === 200))
  })
