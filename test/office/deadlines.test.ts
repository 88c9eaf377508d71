import test from 'ava'
import { confirm, openOfficeSite } from '../support/office.ts'
import { buy, createVisitor } from '../support/visitor.ts'

const office = '/membership/office'

test('a deadline is on Today and in a list, oldest first, is mailed once and again before it is due, and is settled once', async (t) => {
  const opened = await openOfficeSite(t, {
    'membership.shop.country': 'DE',
    'membership.operator.email': 'shop@example.com',
  })
  const { m, fake, site, mailbox, enter } = opened
  const { user } = await buy(opened, 'ann@example.com')
  const declare = (path: 'cancel' | 'withdraw', fields: Record<string, string>) =>
    createVisitor(site).send(`/membership/${path}`, { name: 'Ann Example', contract: 'Pro', ...fields })
  const settle = async () => {
    for (let n = 0; n < 6; n++) {
      await fake.deliver()
      await m.runDueJobs()
    }
  }
  await settle()
  await declare('withdraw', { email: 'ann@example.com' })
  await settle()
  await fake.advance({ days: 1 })
  await declare('cancel', { email: 'nobody@example.com', ends_on: '2026-02-20' })
  await fake.advance({ days: 1 })
  // https://docs.stripe.com/disputes/responding: evidence_details.due_by
  const dispute = fake.dispute(fake.objects.list('charge')[0]!.id) as {
    evidence_details: { due_by: number }
  }
  await settle()
  t.is(
    new Date(dispute.evidence_details.due_by * 1000).toISOString().slice(0, 10),
    '2026-01-24',
    'a week to answer',
  )

  const { visitor } = await enter('ada@example.com')
  const today = (await visitor.get(office)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  for (const words of [
    'payment is disputed due on 24 January',
    '1 withdrawal waits for its refund due on 29 January',
    '1 cancellation waits for you due on 20 February',
  ])
    t.true(today.includes(words), `${words} in ${today}`)
  const list = async () => {
    const { text } = await visitor.get(`${office}/deadlines`)
    return [...text.matchAll(/<tr>\s*<th scope="row">([^<]+).*?<td>([^<]+)</gs)].map(
      ([, day, what]) => `${day!.trim()} ${what}`,
    )
  }
  t.deepEqual(await list(), [
    '29 January Withdrawal',
    '20 February Cancellation',
    '24 January Disputed payment',
  ])
  const mails = () => mailbox.of('shop@example.com', 'operator-deadline').map(({ subject }) => subject)
  t.deepEqual(
    mails().map((subject) => /a (\w+) (is|needs)/.exec(subject)?.[1]),
    ['withdrawal', 'cancellation', 'payment'],
  )
  t.regex(mailbox.of('shop@example.com', 'operator-deadline')[0]!.text, /due on 29 January 2026/)
  await settle()
  t.is(mails().length, 3)

  const [declared] = await m.operator.declarations.list({ open: true })
  t.is(declared?.member_id, user.id)
  const settled = await confirm(visitor, `${office}/deadlines/settle?declaration=${declared!.id}`)
  t.regex(settled.page.text, /refunds nothing/)
  t.regex(settled.answer.text, /Marked as done/)
  t.regex((await settled.send()).text, /not done again/)
  t.like((await m.operator.declarations.list()).at(-1), { status: 'done', done_by: 'ada@example.com' })
  t.like((await m.operator.audit.list({ member: user.id }))[0], {
    action: 'declaration-settle',
    outcome: 'done',
  })

  fake.closeDispute(String((dispute as unknown as { id: string }).id), 'won')
  await settle()
  t.deepEqual(await list(), ['20 February Cancellation'])
  await fake.advance({ days: 32 })
  await settle()
  t.is(mails().length, 4, 'three days are left')
})

test('an open declaration stays first in the list, however many later ones are settled', async (t) => {
  const { m, fake, site } = await openOfficeSite(t, { 'membership.shop.country': 'DE' })
  const declare = async () => {
    const fields = { name: 'Ann', contract: 'Pro', email: 'ann@example.com' }
    return (await createVisitor(site).send('/membership/withdraw', fields)).json.id as string
  }
  const first = await declare()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ days: 1 })
    await m.operator.declarations.settle(await declare(), 'ada')
  }
  await m.runDueJobs()
  const open = await m.operator.declarations.list({ open: true, limit: 2 })
  t.deepEqual(
    open.map(({ id, due_on }) => [id, due_on]),
    [[first, '2026-01-29']],
  )
})

test('a refund that the bank or the provider rejects is on Today until one succeeds or somebody settles it', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, fake, site, enter } = opened
  const { user } = await buy(opened, 'ann@example.com')
  const { visitor } = await enter('ada@example.com')
  const today = async () => (await visitor.get(office)).text
  t.true((await today()).includes('All clear.'))
  const paid = async () => (await m.payments.list({ user }))[0]!
  const settle = async () => {
    await fake.deliver()
    await m.runDueJobs()
  }

  await m.payments.refund({ payment: await paid(), amount: 100 })
  await settle()
  // https://docs.stripe.com/refunds#failed-refunds: the bank returns the money days later.
  const refunded = fake.events().find((event) => String(event.type).startsWith('refund.')) as {
    id: string
    created: number
    data: { object: object }
  }
  const failed = {
    ...refunded,
    id: 'evt_failed',
    type: 'refund.failed',
    created: refunded.created + 60,
    data: { object: { ...refunded.data.object, status: 'failed' } },
  }
  const body = Buffer.from(JSON.stringify(failed))
  const answer = await fetch(`${site}/membership/webhooks/stripe`, {
    method: 'POST',
    body,
    headers: m.webhooks.sign('stripe', body),
  })
  t.is(answer.status, 200)
  await settle()
  t.regex(await today(), /1 refund was rejected/)
  const list = await visitor.get(`${office}/deadlines`)
  t.regex(list.text, /Rejected refund[\s\S]*€1 /)
  const [, path = ''] = /href="([^"]+deadlines\/refund[^"]+)"/.exec(list.text) ?? []
  const done = await confirm(visitor, path.replaceAll('&amp;', '&'))
  t.regex(done.page.text, /sends no money/)
  t.true((await today()).includes('All clear.'))
  t.like((await m.operator.audit.list({ member: user.id }))[0], { action: 'refund-settle', outcome: 'done' })

  // The provider refuses at once.
  const charge = fake.objects.list('charge')[0]!.id
  await fake.advance({ ms: 3_600_000 })
  const known = await paid()
  const over = await t.throwsAsync(m.payments.refund({ payment: known, amount: known.amount }))
  t.truthy(over)
  t.regex(await today(), /1 refund was rejected/)
  await fake.advance({ ms: 3_600_000 })
  fake.refund(charge)
  await settle()
  t.true((await today()).includes('All clear.'), 'all of it went back since')
})
