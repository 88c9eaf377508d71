import { createHash } from 'node:crypto'
import test from 'ava'
import { z } from 'zod'
import { defineProvider, MembershipError, type Provider } from '../../src/index.ts'
import { openHost } from '../support/host.ts'

/** A provider whose messages are a list of customers, without ids of their own; `verify` is the test's. */
const listed = (verify: Provider['verify']) =>
  defineProvider({
    key: 'listed',
    options: z.strictObject({}).prefault({}),
    create: () => ({
      key: 'listed',
      verify,
      keeps: ['listed-sequence'],
      read: ({ body, headers }) =>
        (JSON.parse(body.toString()) as { email: string }[]).map((object) => ({
          id: null,
          type: `customer ${String(headers['listed-sequence'])}`,
          occurred_at: '2026-03-01T12:00:00.000Z',
          livemode: null,
          object_id: object.email,
          object: { ...object, sequence: headers['listed-sequence'] },
        })),
      changes: ({ object }) => {
        const { email, sequence } = (object ?? {}) as { email?: string; sequence?: string }
        if (email === 'broken@example.com') throw new Error('not now')
        if (email === undefined) return []
        const data = { id: email, email, name: `${email} ${sequence}`, deleted: false, livemode: true }
        return [{ type: 'customer', id: email, stage: 'updated', data }]
      },
    }),
  })

const open = async (t: Parameters<typeof openHost>[0], verify: Provider['verify'], limit = 1000) => {
  const { m, site, log } = await openHost(t, {
    providers: [listed(verify)],
    'membership.providers.listed.webhook': 'a secret',
    'membership.ratelimit.limit': limit,
  })
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${site}/membership/webhooks/listed`, { method: 'POST', body: JSON.stringify(body), headers })
  return { m, send, log }
}

test('a signature may be verified with the help of somebody who answers later', async (t) => {
  const { m, send } = await open(t, async ({ headers }, [secret]) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (headers['listed-signature'] === secret?.secret) return 'main'
    throw new MembershipError('ERR_WEBHOOK_SIGNATURE', 'No.')
  })
  t.is((await send([{ email: 'ann@example.com' }], { 'listed-signature': 'wrong' })).status, 403)
  t.is((await m.webhooks.list()).length, 0)
  t.is((await send([{ email: 'ann@example.com' }], { 'listed-signature': 'a secret' })).status, 200)
  t.deepEqual(
    (await m.webhooks.list()).map(({ account }) => account),
    ['main'],
  )
})

test('what could not be verified is asked for again, and counts against nobody', async (t) => {
  let isAway = true
  const { m, send } = await open(
    t,
    async () => {
      if (isAway) throw new TypeError('fetch failed: certificates.example')
      return 'main'
    },
    2,
  )
  for (let n = 0; n < 5; n++) {
    const answer = await send([{ email: 'ann@example.com' }])
    t.is(answer.status, 503)
    t.true(Number(answer.headers.get('retry-after')) > 0)
    const problem = await answer.text()
    t.true(problem.includes('ERR_WEBHOOK_UNVERIFIED'), problem)
    t.false(problem.includes('certificates.example'), problem)
  }
  t.is((await m.webhooks.list()).length, 0)
  isAway = false
  t.is((await send([{ email: 'ann@example.com' }])).status, 200)
})

test('two messages without an id in one delivery are two, and the same delivery is known again', async (t) => {
  const { m, send } = await open(t, () => 'main')
  const both = [{ email: 'ann@example.com' }, { email: 'ben@example.com' }]
  t.is((await send(both)).status, 200)
  t.is(await (await send(both)).text(), '{"status":"duplicate"}')
  const events = await m.webhooks.list()
  t.deepEqual(events.map(({ object_id }) => object_id).sort(), ['ann@example.com', 'ben@example.com'])
  const hash = createHash('sha256').update(JSON.stringify(both)).digest('hex')
  t.deepEqual(events.map(({ event_id }) => event_id).sort(), [hash, `${hash}:1`])
})

test('a header that reading needs is kept with the body, so that a replay reads the same', async (t) => {
  const { m, send } = await open(t, () => 'main')
  const answer = await send([{ email: 'broken@example.com' }], {
    'listed-sequence': '7',
    authorization: 'Bearer secret',
  })
  t.is(answer.status, 202)
  const [{ seq } = { seq: 0 }] = await m.webhooks.list()
  const stored = await m.webhooks.get(String(seq))
  t.is(stored.headers, '{"listed-sequence":"7"}')
  t.is(stored.type, 'customer 7')
  t.false(await m.webhooks.replay(String(seq)))
  t.is((await m.webhooks.get(String(seq))).reason, 'not now')
})
