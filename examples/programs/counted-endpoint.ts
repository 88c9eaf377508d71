import { createMembership, definePlans, isMembershipError } from 'membership'
import { createClock } from 'membership/testkit'

const plans = definePlans({
  developer: {
    limits: { calls: { amount: 2, every: 'month' } },
    prices: [{ id: 'developer', amount: 1900, currency: 'EUR', interval: 'month' }],
  },
})

/** An API of which a plan allows two calls a month; the third is answered 402. */
export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    now: createClock('2026-01-15T12:00:00Z').now,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
    'membership.plans': plans,
    identify: ({ headers }) =>
      headers.get('authorization') === 'Bearer key_of_ann'
        ? { userId: 'ann', email: 'ann@example.com' }
        : null,
  })
  const api = async (): Promise<Response> => {
    const member = m.user()
    if (member === null) return new Response('Send your key.', { status: 401 })
    try {
      const { left } = await m.limits.use(member.id, 'calls')
      return Response.json({ left })
    } catch (error) {
      if (!isMembershipError(error, 'ERR_LIMIT')) throw error
      return Response.json({ again: error.extensions.limit.resets_at }, { status: error.status })
    }
  }
  const call = async () => {
    const headers = { authorization: 'Bearer key_of_ann' }
    const answer = await m.fetch(new Request('https://site.example/api', { headers }), { next: api })
    return `${answer.status} ${await answer.text()}`
  }
  try {
    const ann = await m.users.create({ email: 'ann@example.com', verified: true })
    await m.users.grant({ memberId: ann.id, gate: 'developer' })
    return [await call(), await call(), await call()].join('\n')
  } finally {
    await m.close()
  }
}
export const expected = `200 {"left":1}
200 {"left":0}
402 {"again":"2026-02-01T00:00:00.000Z"}`
