import test from 'ava'
import { createMembership } from '../../src/index.ts'

test('calls take known keys alone, in either spelling, and say what was meant', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox.plans.pro.prices': ['pro_month'],
    ...{ install: false, root: false, log: () => undefined },
  })
  t.teardown(() => m.close())
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  // As a program in plain JavaScript would write it.
  const loose = m as unknown as Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>
  const says = async (call: string, given: unknown, message: RegExp, action: RegExp) => {
    const [group = '', name = ''] = call.split('.')
    const error = (await t.throwsAsync(loose[group]![name]!(given))) as Error & {
      code: string
      action: string
    }
    t.is(error.code, 'ERR_USAGE', call)
    t.regex(error.message, message)
    t.regex(error.action, action)
  }
  await loose.users!.grant!({ member_id: ann.id, gate: 'pro', expires_at: '2020-01-01T00:00:00Z' })
  t.false((await m.viewOf(await m.users.findById(ann.id))).allows('pro'), 'the end was heard')
  const grant = { memberId: ann.id, gate: 'pro' }
  await says('users.grant', { ...grant, lasting: '1y' }, /"lasting"/, /memberId, gate/)
  await says('users.grant', { ...grant, expiresAt: null, expires_at: null }, /one key/, /Keep "expiresAt"/)
  await says('users.create', { emial: 'ben@example.com' }, /"emial"/, /Did you mean "email"/)
  await says(
    'checkout.start',
    { email: 'ben@example.com' },
    /"email"/,
    /m\.checkout\.start\(\{ user, request/,
  )
  await says('subscriptions.cancel', 'sub_1', /takes one object with keys, and got a text/, /subscriptionId/)
  await says('payments.refund', 'pi_1', /got a text/, /payment, amount/)
  await says('gifts.redeem', undefined, /got nothing/, /code, user/)
})
