import test from 'ava'
import { confirm, openOfficeSite } from '../../support/office.ts'
import { buy, createVisitor } from '../../support/visitor.ts'

const office = '/membership/office'

test('an operator logs in with a second factor, sees today’s figures, gives access until a day, and the log has it', async (t) => {
  const opened = await openOfficeSite(t)
  const { m, enter } = opened
  await buy(opened, 'ann@example.com')
  const { visitor, answer, codes } = await enter('ada@example.com')
  t.is(answer.status, 200)
  t.is(codes.length, 10)

  const today = await visitor.get(office)
  t.is(today.status, 200, today.text)
  t.regex(today.text, /1 person is a member, 1 more than a month ago/)
  t.regex(today.text, /€9<\/b>/)
  t.regex(today.text, /Nothing needs you/)

  const found = await visitor.get(`${office}/members?q=ann`)
  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.true(found.text.includes(`${office}/members/${ann.id}`), found.text)
  const member = await visitor.get(`${office}/members/${ann.id}`)
  t.regex(member.text, /open by a membership/)

  const given = await confirm(
    visitor,
    `${office}/members/${ann.id}/do/grant?gate=team&until=2026-03-31&reason=prize`,
  )
  t.regex(given.page.text, /team opens now and closes after 31 March/)
  t.is(given.answer.status, 303, given.answer.text)
  t.true((await m.users.findById(ann.id))?.hasGate('team' as never))
  t.is((await m.users.findById(ann.id))?.explain('team' as never).until, '2026-03-31T23:59:59.000Z')

  const again = await given.send()
  t.regex(again.text, /it was not done a second time/)
  t.is((await m.users.findById(ann.id))?.grants().length, 1)

  const [noted] = await m.audit.list({ member: ann.id })
  t.like(noted, { by: 'ada@example.com', action: 'grant', subject: 'team', outcome: 'done' })
  t.regex((await visitor.get(`${office}/log`)).text, /ada@example\.com/)
})

test('without `membership.office.enabled` there is no office', async (t) => {
  const { site, m } = await openOfficeSite(t, { 'membership.office.enabled': false })
  for (const path of ['', '/', '/enter', '/members', '/log']) {
    const { status } = await createVisitor(site).get(`${office}${path}`)
    t.is(status, 404, path)
  }
  t.deepEqual(
    m.routes().filter(({ path }) => path.startsWith(office)),
    [],
  )
})
