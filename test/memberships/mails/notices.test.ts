import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox } from '../../support/visitor.ts'

test('each mail goes out when it is due, once, also through a transport that fails', async (t) => {
  const mailbox = createMailbox()
  let broken = 2
  const tried: string[] = []
  const opened = await openStripeSite(t, {
    mails: {
      transport: async (mail) => {
        tried.push(mail.id)
        if (broken-- > 0) throw new Error('no connection')
        await mailbox.options.mails.transport(mail)
      },
    },
  })
  const { fake, m } = opened
  const { id } = await buy(opened, 'ann@example.com')
  const settle = async () => {
    for (let n = 0; n < 60; n++) {
      await fake.deliver()
      await m.work()
      if ((await m.outbox.list()).length === 0) return
      await fake.advance({ ms: 30_000 })
    }
  }
  const kinds = () => mailbox.of('ann@example.com').map(({ kind }) => kind)
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt'])
  t.is(tried[0], tried[1], 'the same mail under the same id')
  t.regex(mailbox.sent[1]!.text, /€9 on 15 January 2026 for Pro/)
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt', 'payment-failed'])
  fake.useCard(fake.objects.list('customer')[0]!.id, '4242424242424242')
  await fake.advance({ days: 5 })
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt', 'payment-failed', 'receipt'])
  const user = (await m.users.findByEmail('ann@example.com'))!
  await m.actions.cancel({ user, subscriptionId: id, when: 'period_end' })
  await fake.advance({ ms: 200_000 })
  await settle()
  t.is(kinds().at(-1), 'cancellation')
  t.is(kinds().length, 5)
  t.is(new Set(mailbox.sent.map((mail) => mail.id)).size, 5)
})
