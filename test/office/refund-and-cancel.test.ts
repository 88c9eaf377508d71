import test from 'ava'
import { MembershipError } from '../../src/core/errors.ts'
import { defineProvider, type Provider } from '../../src/index.ts'
import { stripe } from '../../src/providers/stripe/index.ts'
import { confirm, openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'

test('a refund whose cancellation is refused says so, records each step, and refunds nothing twice', async (t) => {
  let refuses = true
  const refusing = (provider: Provider): Provider => ({
    ...provider,
    cancel: async (wish) => {
      if (refuses)
        throw new MembershipError('ERR_ACTION_REFUSED', 'The provider keeps it until May.', {
          reason: 'provider_refused',
        })
      return provider.cancel!(wish)
    },
  })
  const opened = await openOfficeSite(t, {
    customProviders: [defineProvider({ ...stripe, create: (context) => refusing(stripe.create(context)) })],
  })
  const { m, fake, enter } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  const { visitor } = await enter('ada@example.com')
  const own = async () => (await m.users.findById(user.id))!
  const payment = (await own()).payments()[0]!
  const path = `/membership/office/members/${user.id}/do/refund?payment=${payment.id}&amount=4&cancel=now`
  const done = await confirm(visitor, path)
  t.regex(done.answer.text, /Partly done/)
  t.regex(done.answer.text, /payment is refunded, but the membership is not cancelled: The provider keeps it/)
  const log = async () =>
    (await m.operator.audit.list({ member: user.id })).map(({ action, outcome, subject }) => [
      action,
      outcome,
      subject,
    ])
  t.deepEqual((await log()).sort(), [
    ['cancel', 'failed', id],
    ['refund', 'done', payment.id],
  ])
  t.regex((await done.send()).text, /Partly done/)
  await fake.deliver()
  await m.runDueJobs()
  t.is(fake.objects.list('refund').length, 1)
  t.is((await own()).payments()[0]!.amount_refunded, 400)
  t.is((await log()).length, 2)

  refuses = false
  const cancelled = await confirm(
    visitor,
    `/membership/office/members/${user.id}/do/cancel?subscription=${id}&when=now`,
  )
  t.is(cancelled.answer.status, 303)
  t.true((await own()).subscriptions()[0]!.ended)
})

test('both steps of a refund with cancellation are recorded, and neither is repeated on resubmission', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, fake, enter } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  const { visitor } = await enter('ada@example.com')
  const payment = (await m.users.findById(user.id))!.payments()[0]!
  const path = `/membership/office/members/${user.id}/do/refund?payment=${payment.id}&cancel=now`
  const done = await confirm(visitor, path)
  t.is(done.answer.status, 303, done.answer.text)
  t.regex((await done.send()).text, /was not done again/)
  await fake.deliver()
  await m.runDueJobs()
  t.is(fake.objects.list('refund').length, 1)
  t.true((await m.users.findById(user.id))!.subscriptions()[0]!.ended)
  t.deepEqual(
    (await m.operator.audit.list({ member: user.id }))
      .map(({ action, outcome, subject }) => [action, outcome, subject])
      .sort(),
    [
      ['cancel', 'done', id],
      ['refund', 'done', payment.id],
    ],
  )
})
