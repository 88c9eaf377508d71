import test from 'ava'
import { countFigures } from '../../src/office/figures.ts'
import { monthRows, recoveredRows } from '../../src/office/money-page.ts'
import { allDatabases } from '../support/databases.ts'
import { openOfficeSite } from '../support/office.ts'
import { buy, logIn } from '../support/visitor.ts'

const html = { accept: 'text/html' }

for (const connect of allDatabases)
  test(`${connect.name}: what failed and was paid later counts for the member who opened the page, else for a retry`, async (t) => {
    const database = await connect()
    const opened = await openOfficeSite(t, {
      'membership.database.url': await database.url(),
    })
    t.teardown(database.close)
    const { m, fake, mailbox } = opened
    await m.operator.catalogue.refresh('stripe')
    const people = ['ann', 'ben', 'eve'] as const
    const bought = Object.fromEntries(
      await Promise.all(
        people.map(async (name) => [
          name,
          await buy(opened, `${name}@example.com`, { path: '/membership/subscribe/pro' }),
        ]),
      ),
    ) as Record<(typeof people)[number], Awaited<ReturnType<typeof buy>>>
    const customers = fake.objects.list('customer').map(({ id }) => String(id))
    const useCard = (card: string) => {
      for (const customer of customers) fake.useCard(customer, card)
    }
    const settle = async () => {
      await fake.deliver({ settle: true })
      await m.runDueJobs()
    }

    const failRenewal = async () => {
      useCard('4000000000000341')
      await fake.advance({ months: 1, ms: 7_200_000 })
      await settle()
    }
    const recover = async () => {
      useCard('4242424242424242')
      await fake.advance({ days: 5 })
      await settle()
    }
    const linkOf = (name: string) =>
      new URL(
        /https?:\/\/\S+\/membership\/pay\/\S+/.exec(
          mailbox.of(`${name}@example.com`, 'payment-failed').at(-1)!.text,
        )![0],
      ).pathname

    await failRenewal()
    // Ann follows the link of the mail, Eve the button of her account, and Ben does nothing.
    t.truthy((await bought.ann.visitor.send(linkOf('ann'))).json.url)
    const eve = await logIn(opened, mailbox, 'eve@example.com')
    t.truthy((await eve.send(`/membership/renew/${bought.eve.id}`)).json.url)
    await recover()
    // A page that is opened after the payment changes nothing.
    t.is((await bought.ben.visitor.send(linkOf('ben'))).json.url, null)

    const { visitor } = await opened.enter('op@example.com')
    const shown = async () => {
      const money = (await visitor.get('/membership/office/money', html)).text
      const [, table = ''] = /id="recovered-title"([\s\S]*?)<\/section>/.exec(money) ?? []
      return [
        ...table.matchAll(
          /<th scope="row">([^<]*)<\/th><td class="num"><a [^>]*>([^<]*)<\/a><\/td>.*?<td class="num"><a href="([^"]*)">(\d+)</g,
        ),
      ].map(([, by, amount, link = '', count]) => ({
        by,
        amount,
        link: link.replaceAll('&amp;', '&'),
        count,
      }))
    }
    const rows = await shown()
    t.deepEqual(
      rows.map(({ by, amount, count }) => [by, amount, count]),
      [
        ['The member, from a mail or the account', '€18', '2'],
        ['A retry of the provider', '€9', '1'],
      ],
    )
    const buyers = await Promise.all(
      rows.map(async ({ link }) => {
        const list = (await visitor.get(link, html)).text
        return [...list.matchAll(/>(\w+)@example\.com</g)].map(([, name]) => name).sort()
      }),
    )
    t.deepEqual(buyers, [['ann', 'eve'], ['ben']])

    // Ann's page of the first time says nothing about the second.
    await failRenewal()
    await recover()
    const figures = await countFigures({
      storage: m.storage,
      plans: () => m.plans(),
      inIso: ({ amount }) => amount,
      now: () => fake.now(),
    })
    t.deepEqual(
      recoveredRows(monthRows(figures, null)).map(({ by, amount, count }) => [by, amount, count]),
      [
        ['member', 1800, 2],
        ['retry', 3600, 4],
      ],
    )
  })
