import test from 'ava'
import type { Membership } from '../../src/index.ts'
import type { AuditedAction } from '../../src/memberships/audit-log/index.ts'
import { openStripeSite } from '../support/stripe-site.ts'

async function recordsOf(m: Membership, member: string) {
  return (await m.operator.audit.list({ member }))
    .map(({ by, action, subject, outcome }) => [by, action, subject, outcome].join(' '))
    .sort()
}

test('a call that names the person who acts is in the audit log, and one that does not is as before', async (t) => {
  const { m } = await openStripeSite(t, { 'membership.url': 'https://site.example' })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const grant = await m.users.grant({ member: ann, gate: 'pro', reason: 'prize' })
  await m.users.revoke(grant)
  t.deepEqual(await m.operator.audit.list(), [], 'nobody was named')

  const second = await m.users.grant({ member: ann, gate: 'pro', by: 'eve' })
  await m.users.revoke(second, 'eve')
  await m.users.loginLink(ann, 'eve')
  await m.users.setEmail(ann, 'ann@example.org', 'eve')
  t.deepEqual(await recordsOf(m, ann.id), [
    'eve email  done',
    'eve grant pro done',
    'eve login-link  done',
    `eve revoke ${second} done`,
  ])
  const find = async (action: AuditedAction) =>
    (await m.operator.audit.list()).find((record) => record.action === action)
  const link = await find('login-link')
  t.deepEqual(Object.keys(link?.after as object), ['expires_at'], 'the link stays secret')
  await t.throwsAsync(m.users.grant({ member: 'nobody', gate: 'pro', by: 'eve' }), { code: 'ERR_NOT_FOUND' })
  t.like((await m.operator.audit.list({ member: 'nobody' }))[0], {
    action: 'grant',
    outcome: 'failed',
    error: 'ERR_NOT_FOUND',
  })
  for (const by of ['', '  ', 7])
    await t.throwsAsync(m.users.grant({ member: ann, gate: 'pro', by: by as string }), { code: 'ERR_USAGE' })
  await t.throwsAsync(m.webhooks.replay('evt_unknown', 'eve'), { code: 'ERR_NOT_FOUND' })
  t.like(await find('replay'), { by: 'eve', outcome: 'failed' })
  await t.throwsAsync(m.raises.stop('unknown', 'eve'), { code: 'ERR_NOT_FOUND' })
  t.like(await find('raise-stop'), { by: 'eve', error: 'ERR_NOT_FOUND' })
  await m.operator.compare({ memberId: ann.id, by: 'eve' })
  t.is((await recordsOf(m, ann.id)).length, 4, 'a comparison that writes nothing is not recorded')
  await m.operator.compare({ memberId: ann.id, write: true, by: 'eve' })
  t.true((await recordsOf(m, ann.id)).includes('eve compare  done'))
  await m.users.delete(ann, 'eve')
  t.true((await recordsOf(m, ann.id)).includes('eve delete  done'))
})

test('actions on a subscription and a refund are recorded with the state before and after', async (t) => {
  const { m, fake } = await openStripeSite(t, {
    'membership.url': 'https://site.example',
    'membership.providers.stripe.discount': { percent: 50, coupon: 'stay' },
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  fake.addCoupon({ id: 'stay', percent_off: 50 })
  const { url } = await m.checkout.start({ member: ann, price: 'price_month' })
  await fake.pay(url)
  await fake.deliver()
  await fake.advance({ ms: 10_000 })
  const [subscription] = (await m.users.get(ann.id)).subscriptions()
  const subscriptionId = subscription!.id
  await m.subscriptions.cancel({ member: ann.id, subscriptionId, by: 'eve' })
  await m.subscriptions.resume({ member: ann.id, subscriptionId, by: 'eve' })
  await m.subscriptions.change({ member: ann.id, subscriptionId, quantity: 2, by: 'eve' })
  const [payment] = await m.payments.list({ member: ann.id })
  await m.payments.refund({ payment: payment!, amount: 100, key: 'one', by: 'eve' })
  t.deepEqual(await recordsOf(m, ann.id), [
    `eve cancel ${subscriptionId} done`,
    `eve change ${subscriptionId} done`,
    `eve refund ${payment!.id} done`,
    `eve resume ${subscriptionId} done`,
  ])
  const records = await m.operator.audit.list({ member: ann.id })
  const of = (action: AuditedAction) => records.find((record) => record.action === action)
  t.like(of('cancel'), { before: { cancel_at_period_end: false }, after: { cancel_at_period_end: true } })
  t.like(of('resume'), { before: { cancel_at_period_end: true }, after: { cancel_at_period_end: false } })
  t.like(of('change'), { before: { quantity: 1 }, after: { quantity: 2 } })
  t.like(of('refund'), { after: { amount_refunded: 100 } })
  await fake.advance({ ms: 10_000 })
  await m.subscriptions.discount({ member: ann.id, subscriptionId, by: 'eve' })
  t.deepEqual(
    (await recordsOf(m, ann.id)).filter((record) => record.includes('discount')),
    [`eve discount ${subscriptionId} done`],
    'once, and not as the member’s',
  )
  await m.subscriptions.cancel({ member: ann.id, subscriptionId })
  t.is((await recordsOf(m, ann.id)).length, 5)
  await t.throwsAsync(m.subscriptions.preview({ member: ann.id, subscriptionId, by: 'eve' } as never), {
    code: 'ERR_USAGE',
  })
})

test('an invitation is recorded for the buyer, without the address of the person invited', async (t) => {
  const { m, fake } = await openStripeSite(t, {
    'membership.url': 'https://site.example',
    'membership.providers.stripe.plans': {
      team: { seats: 'quantity', quantity: { min: 2, max: 9 }, prices: ['price_team'] },
    },
  })
  const bob = await m.users.create({ email: 'bob@example.com', verified: true })
  const { url } = await m.checkout.start({ member: bob, price: 'price_team', quantity: 2 })
  await fake.pay(url)
  await fake.deliver()
  const [group] = (await m.teams.of(bob.id)).managed
  const seat = await m.teams.invite({
    subscriptionId: group!.subscription_id,
    email: 'cleo@example.com',
    by: 'eve',
  })
  const [record] = await m.operator.audit.list({ member: bob.id })
  t.like(record, { by: 'eve', action: 'group-invite', outcome: 'done', after: { seat: seat.id } })
  t.false(JSON.stringify(await m.operator.audit.list()).includes('cleo@'))
})
