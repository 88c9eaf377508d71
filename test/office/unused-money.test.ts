import test from 'ava'
import { confirm, openOfficeSite } from '../support/office.ts'
import { askFake, buy } from '../support/visitor.ts'

const office = '/membership/office'

// A member whose retries ended the membership, and whose open invoice is paid after so many days.
async function paidLate(t: Parameters<typeof openOfficeSite>[0], days: number) {
  const opened = await openOfficeSite(t, { 'membership.operator.email': 'shop@example.com' })
  const { m, fake, mailbox, enter } = opened
  const settle = async () => {
    for (let n = 0; n < 6; n++) {
      await fake.deliver()
      await m.runDueJobs()
      await fake.advance({ ms: 30_000 })
    }
  }
  const { user } = await buy(opened, 'ann@example.com')
  await settle()
  fake.useCard(fake.objects.list('customer').at(-1)!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle()
  await fake.advance({ days: 8 })
  await settle()
  const ended = (await m.users.findById(user.id))!
  if (!ended.subscriptions()[0]!.ended) throw new Error('the retries have not ended it')
  await fake.advance({ days })
  const open = fake.objects.list('invoice').find(({ status }) => status === 'open')!
  fake.useCard(fake.objects.list('customer').at(-1)!.id, '4242424242424242')
  await askFake(fake, 'POST', `/v1/invoices/${open.id}/pay`, {
    payment_method: fake.objects.list('payment_method').at(-1)!.id,
  })
  await settle()
  const receipt = mailbox.of('ann@example.com', 'receipt').at(-1)!
  const alerts = () => mailbox.of('shop@example.com').map(({ subject }) => subject)
  const { visitor } = await enter('ada@example.com')
  return {
    ...opened,
    user,
    settle,
    receipt,
    alerts,
    visitor,
    today: async () => (await visitor.get(office)).text,
  }
}

test('money that arrives when its period is over is on Today, is mailed to the operator, and its receipt thanks for no access', async (t) => {
  const { m, fake, user, settle, receipt, alerts, visitor, today } = await paidLate(t, 60)
  const ann = (await m.users.findById(user.id))!
  t.false(ann.hasGate('pro' as never))
  const payment = ann.payments()[0]!
  t.like(payment, { status: 'paid', amount: 900 })
  t.notRegex(receipt.text, /Thank you/)
  t.regex(receipt.text, /You paid €9 on .*already ended, so\s+this payment opens nothing/s)
  t.regex(await today(), /1 payment arrived after the end and opened nothing/)
  t.deepEqual(
    alerts().filter((subject) => subject.includes('opened nothing')),
    [`127.0.0.1: a payment opened nothing (${payment.id})`],
  )
  await settle()
  t.is(alerts().filter((subject) => subject.includes('opened nothing')).length, 1, 'once')

  const list = await visitor.get(`${office}/deadlines`)
  t.regex(list.text, /Payment that opened nothing[\s\S]*€9 /)
  const [, path = ''] = /href="([^"]+deadlines\/payment[^"]+)"/.exec(list.text) ?? []
  const done = await confirm(visitor, path.replaceAll('&amp;', '&'))
  t.regex(done.page.text, /refunds nothing and opens nothing/)
  t.true((await today()).includes('All clear.'))
  t.like((await m.operator.audit.list({ member: user.id }))[0], { action: 'payment-settle', outcome: 'done' })
  await fake.advance({ ms: 3_600_000 })
  await settle()
  t.true((await today()).includes('All clear.'))
})

test('money that opens its period after the end is no note, and its receipt thanks', async (t) => {
  const { m, user, receipt, alerts, today } = await paidLate(t, 2)
  t.like((await m.users.findById(user.id))!.explain('pro' as never), { open: true, ground: 'paid' })
  t.regex(receipt.text, /Thank you/)
  t.true((await today()).includes('All clear.'))
  t.deepEqual(alerts(), [])
})

test('a payment that opened nothing leaves the list with its refund', async (t) => {
  const { m, user, settle, today } = await paidLate(t, 60)
  t.regex(await today(), /1 payment arrived after the end/)
  const payment = (await m.payments.list({ user }))[0]!
  await m.payments.refund({ payment })
  await settle()
  t.notRegex(await today(), /arrived after the end/)
})
