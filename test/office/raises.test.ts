import test from 'ava'
import { confirm, openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'

const html = { accept: 'text/html' }
const plans = {
  'membership.providers.stripe.plans': {
    pro: {
      name: 'Pro',
      prices: [
        { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const },
        { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' as const },
      ],
    },
  },
}
const request = { from: 'price_month', to: 'price_new', on: '2026-03-01T00:00:00.000Z', noticeDays: 30 }

test('the office lists price raises: who, why it waits, and when the new price is charged', async (t) => {
  const opened = await openOfficeSite(t, plans)
  const { m, fake, enter } = opened
  fake.addPrice({ id: 'price_new', unit_amount: 1200, currency: 'eur', recurring: { interval: 'month' } })
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise({ ...request, needsConsent: false }, 'olga')
  await m.runDueJobs()
  await m.raises.noticeBounced(id, 'ann@example.com')
  const { visitor } = await enter('ops@example.com')
  const page = (await visitor.get('/membership/office/raises', html)).text
  t.regex(page, /aria-current="page">Raises</)
  t.regex(page, /Ordered by olga/)
  t.regex(page, /30 days of notice\./)
  t.regex(page, /ann@example\.com[\s\S]*paused[\s\S]*the notice did not arrive/)
})

test('an operator stops a raise, lets it go on and undoes it; a viewer cannot', async (t) => {
  const opened = await openOfficeSite(t, plans)
  const { m, fake, enter, mailbox } = opened
  fake.addPrice({ id: 'price_new', unit_amount: 1200, currency: 'eur', recurring: { interval: 'month' } })
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise({ ...request, needsConsent: false }, 'olga')
  await m.runDueJobs()
  const { visitor } = await enter('ops@example.com')
  const { visitor: viewer } = await enter('look@example.com', 'viewer')
  const raises = '/membership/office/raises'
  t.notRegex((await viewer.get(raises, html)).text, /raises\/(stop|undo)/)
  t.is((await viewer.get(`${raises}/undo?raise=${id}`, html)).status, 403)
  t.is((await viewer.send(`${raises}/undo`, { raise: id, key: 'x'.repeat(20) }, html)).status, 403)
  const offered = async () =>
    [...(await visitor.get(raises, html)).text.matchAll(/raises\/(\w+)\?/g)].map(([, does]) => does)
  t.deepEqual(await offered(), ['stop', 'undo'])

  await visitor.get(`${raises}/stop?raise=${id}`, html)
  t.is((await m.raises.show(id)).status, 'running', 'until it is confirmed')
  const stopped = await confirm(visitor, `${raises}/stop?raise=${id}`)
  t.regex(stopped.page.text, /no further membership gets the new price/)
  t.regex(stopped.answer.text, /The raise is stopped\./)
  t.is((await m.raises.show(id)).status, 'stopped')
  t.deepEqual(await offered(), ['resume', 'undo'])
  t.regex((await visitor.get(raises, html)).text, /Stopped\./)
  await confirm(visitor, `${raises}/resume?raise=${id}`)
  t.is((await m.raises.show(id)).status, 'running')

  const undone = await confirm(visitor, `${raises}/undo?raise=${id}`)
  t.regex(undone.page.text, /1 membership keeps the old price/)
  t.regex((await undone.send()).text, /was done before/, 'sent twice, it is one action')
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'price-raise-off').length, 1)
  t.deepEqual(await offered(), [])
  t.regex((await visitor.get(raises, html)).text, /Undone\.[\s\S]*ann@example\.com[\s\S]*undone/)
  const done = (await m.operator.audit.list({})).filter(({ subject }) => subject === `raise ${id}`)
  t.deepEqual(done.map(({ action }) => action).sort(), ['raise-resume', 'raise-stop', 'raise-undo'])
  t.true(done.every(({ by, outcome }) => by === 'ops@example.com' && outcome === 'done'))
  t.is((await visitor.get(`${raises}/undo?raise=none`, html)).status, 404)
})
