import test from 'ava'
import { createMembership } from '../../src/index.ts'

test('calls take known keys alone, in either spelling, and say what was meant', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox.plans.pro.prices': ['pro_month'],
    install: false,
    root: false,
    log: () => undefined,
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
    /m\.checkout\.start\(\{ member, user, request/,
  )
  await says('subscriptions.cancel', 'sub_1', /takes one object with keys, and got a text/, /subscriptionId/)
  await says('payments.refund', 'pi_1', /got a text/, /payment, amount/)
  await says('gifts.redeem', undefined, /got nothing/, /code, user/)
})

test('calls take a member as loaded or by id, under one key', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': 'https://site.example',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans.pro': {
      prices: [{ id: 'pro_month', amount: 900, currency: 'EUR', interval: 'month' }],
      limits: { exports: { amount: 5, every: 'month' } },
    },
    install: false,
    root: false,
    log: () => undefined,
  })
  t.teardown(() => m.close())
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  for (const member of [ann, ann.id]) {
    await m.users.grant({ member, gate: 'pro' })
    t.deepEqual(await m.payments.list({ member }), [])
    t.deepEqual(await m.invoices.list({ member }), [])
    t.deepEqual(await m.gifts.of(member), { bought: [], own: [] })
    t.deepEqual(await m.teams.of(member), { managed: [], seats: [] })
    t.deepEqual(
      (await m.limits.list(member)).map(({ name }) => name),
      ['exports'],
    )
    t.is(
      (await m.limits.correct({ member, name: 'exports', amount: 1, reason: 'x', by: 'eve' })).name,
      'exports',
    )
    t.is(await m.appUserId(member), await m.appUserId(ann))
    t.is((await m.users.export(member)).profile.id, ann.id)
    t.regex((await m.users.loginLink(member)).url, /^https:\/\/site\.example\//)
    const { url } = await m.checkout.start({ member, price: 'pro_month' })
    t.regex(url, /sandbox/)
    const gone = { member, subscriptionId: 'sub_1' }
    await t.throwsAsync(m.subscriptions.cancel(gone), { code: 'ERR_NOT_FOUND' })
    await t.throwsAsync(m.subscriptions.describe({ action: 'resume', ...gone }), { code: 'ERR_NOT_FOUND' })
    await t.throwsAsync(m.gifts.redeem({ member, code: 'nothing' }), { code: 'ERR_NOT_FOUND' })
    await t.throwsAsync(m.teams.leave(gone), { code: 'ERR_NOT_FOUND' })
  }
  t.is((await m.users.export(ann)).grants.length, 2, 'both grants are hers')
  await t.throwsAsync(m.payments.list({ member: 'nobody' }), { code: 'ERR_NOT_FOUND' })
  await t.throwsAsync(m.subscriptions.cancel({ member: ann, user: ann, subscriptionId: 'sub_1' } as never), {
    code: 'ERR_USAGE',
    message: /"member" and "user"/,
  })
  await t.throwsAsync(m.subscriptions.cancel({ subscriptionId: 'sub_1' } as never), { code: 'ERR_USAGE' })
  const moved = await m.users.setEmail(ann, 'ann@example.org')
  t.is(moved.to, 'ann@example.org')
  t.is((await m.users.delete(ann)).member_id, ann.id)
})
