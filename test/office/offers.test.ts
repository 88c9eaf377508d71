import test from 'ava'
import { countFigures } from '../../src/office/figures.ts'
import { confirm, openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'

const html = { accept: 'text/html' }

test('the office lists gifts and groups, with who bought and who has them, and revokes a gift once', async (t) => {
  const opened = await openOfficeSite(t, {
    'membership.providers.stripe.plans': {
      pro: { name: 'Pro', prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }] },
      team: {
        name: 'Team',
        seats: 'quantity',
        quantity: { max: 20 },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
  })
  const { m, fake, enter, mailbox } = opened
  const { id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team', quantity: '3' })
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  const [first, second] = await m.gifts.create({ plan: 'pro', months: 3, count: 2, label: 'Book fair' })
  const bob = await m.users.create({ email: 'bob@example.com', verified: true })
  await m.gifts.redeem({ code: first!.code, user: bob })
  await m.runDueJobs()
  const { visitor } = await enter('ops@example.com')

  const groups = (await visitor.get('/membership/office/groups', html)).text
  t.regex(
    groups,
    /ann@example\.com[\s\S]*Team[\s\S]*1 of 3[\s\S]*<td>1<\/td>/,
    'the buyer, seats used and paid, one open',
  )
  t.regex(groups, /ben@example\.com[\s\S]*invited[\s\S]*manager/)
  t.regex(groups, /aria-current="page">Groups</)

  const gifts = (await visitor.get('/membership/office/gifts', html)).text
  t.regex(gifts, /Pro, 3 months[\s\S]*Book fair[\s\S]*made by hand/)
  t.regex(gifts, /bob@example\.com[\s\S]*redeemed/)
  t.true((await m.users.findById(bob.id))!.hasGate('pro' as never))

  const others = async () =>
    (
      await countFigures({
        storage: m.storage,
        plans: () => m.plans(),
        inIso: ({ amount }) => amount,
        now: () => fake.now(),
      })
    ).others
  t.deepEqual(await others(), { gifts: 1, seats: 0 }, 'nobody has accepted an invitation')
  const join = { status: 'joined', expires_at: null }
  await m.storage.read((db) => db.updateTable('group_seats').set(join).where('status', '=', 'invited'))
  t.deepEqual(await others(), { gifts: 1, seats: 1 })

  const { page, answer } = await confirm(visitor, `/membership/office/gifts/revoke?gift=${first!.id}`)
  t.regex(page.text, /The rest of this gift \(Pro, 3 months\) ends at once/)
  t.regex(answer.text, /The gift is revoked\./)
  t.deepEqual(await others(), { gifts: 0, seats: 1 })
  t.false((await m.users.findById(bob.id))!.hasGate('pro' as never))
  const [noted, ...further] = await m.operator.audit.list({ member: bob.id })
  t.like(noted, {
    action: 'gift-revoke',
    by: 'ops@example.com',
    outcome: 'done',
    subject: `gift ${first!.id}`,
  })
  t.false(
    further.some(({ action }) => action === 'revoke' || action === 'gift-revoke'),
    'recorded once',
  )
  await m.runDueJobs()
  t.is(mailbox.of('bob@example.com', 'gift-closed').length, 1)
  t.regex((await visitor.get('/membership/office/gifts', html)).text, /revoked/)

  // A code made by hand has no address to send it to.
  const nowhere = await confirm(visitor, `/membership/office/gifts/send?gift=${second!.id}`)
  t.is(nowhere.answer.code, 'ERR_FORM')
  const { visitor: viewer } = await enter('look@example.com', 'viewer')
  t.notRegex((await viewer.get('/membership/office/gifts', html)).text, /gifts\/(revoke|send)/)
  t.is((await viewer.get(`/membership/office/gifts/revoke?gift=${second!.id}`, html)).status, 403)
})
