import test from 'ava'
import { allDatabases } from '../../support/databases.ts'
import { openOfficeSite } from '../../support/office.ts'
import { strictRows } from '../../support/strict-csv.ts'
import { buy } from '../../support/visitor.ts'

const html = { accept: 'text/html' }
const office = '/membership/office'

for (const connect of allDatabases)
  test(`${connect.name}: why members cancel is counted once, by plan, without a name`, async (t) => {
    const database = await connect()
    const opened = await openOfficeSite(t, { 'membership.database.url': await database.url() })
    t.teardown(database.close)
    const { m, fake } = opened
    await m.operator.catalogue.refresh('stripe')
    const ann = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/pro' })
    const ben = await buy(opened, 'ben@example.com', { path: '/membership/subscribe/pro' })
    const cid = await buy(opened, 'cid@example.com', { path: '/membership/subscribe/pro' })

    const page = (await ann.visitor.get(`/membership/cancel/${ann.id}`, html)).text
    t.is(page.match(/type="radio" name="reason"/g)?.length, 5)
    t.notRegex(page, / checked/, 'nothing is chosen for the member')

    const wrong = await ann.visitor.send(`/membership/cancel/${ann.id}`, { reason: 'ann@example.com' })
    t.is(wrong.status, 400)
    t.regex(wrong.text, /price, use, missing, broken, other/)

    // Two clicks at once are one cancellation.
    await Promise.all([1, 2].map(() => ann.visitor.send(`/membership/cancel/${ann.id}`, { reason: 'price' })))
    await ben.visitor.send(`/membership/cancel/${ben.id}`)
    // An operator’s cancellation has no answer.
    await m.subscriptions.cancel({
      user: (await m.users.findByEmail('cid@example.com'))!,
      subscriptionId: cid.id,
    })
    await fake.deliver()

    const rows = await m.storage.read((db) => db.selectFrom('leaving_reasons').selectAll().orderBy('reason'))
    const month = fake.now().toISOString().slice(0, 7)
    t.deepEqual(
      rows.map((row) => ({ ...row, times: Number(row.times) })),
      [
        { month, plan: 'pro', reason: '', times: 1 },
        { month, plan: 'pro', reason: 'price', times: 1 },
      ],
    )

    const { visitor } = await opened.enter('op@example.com')
    const money = (await visitor.get(`${office}/money`, html)).text
    const [, table = ''] = /id="reasons-title"([\s\S]*?)<\/section>/.exec(money) ?? []
    t.regex(table, /It costs too much<\/th><td class="num">50%/)
    t.regex(table, /No answer<\/th><td class="num">50%/)
    t.regex(table, /answers of members who then stayed count, too/)
    const german = (await visitor.get(`${office}/money`, { ...html, 'accept-language': 'de' })).text
    t.regex(german, /Antworten von Mitgliedern, die dann doch geblieben sind, zählen mit/)
    t.notRegex((await visitor.get(`${office}/money?plan=team`, html)).text, /reasons-title/)
    t.deepEqual(strictRows((await visitor.get(`${office}/money/reasons.csv`)).text), [
      { Month: month, Plan: 'pro', Reason: '', Times: '1' },
      { Month: month, Plan: 'pro', Reason: 'price', Times: '1' },
    ])
  })
