import { readFileSync } from 'node:fs'
import test from 'ava'
import { parse } from 'yaml'
import { openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}
function sectionOf(html: string, title: string): string {
  return textOf(
    new RegExp(`<section[^>]*aria-labelledby="${title}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? '',
  )
}

test('a member’s page says first what they have, what they paid and what is wrong', async (t) => {
  const opened = await openOfficeSite(t)
  const { fake, m, enter } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await m.payments.refund({ payment: user.payments()[0]!, amount: 100 })
  let { visitor } = await enter('ada@example.com')
  const page = async () =>
    (await visitor.get(`/membership/office/members/${user.id}`, { accept: 'text/html' })).text
  const settle = async () => {
    for (let n = 0; n < 5; n++) {
      await fake.deliver()
      await m.runDueJobs()
    }
  }
  await settle()
  const calm = await page()
  t.regex(sectionOf(calm, 'has-title'), /Pro, monthly active Next charge: €9 on 15 February/)
  t.regex(
    sectionOf(calm, 'paid-title'),
    /€9 of it €1 refunded in 1 payment Last: €9 on 15 January, €1 refunded/,
  )
  t.regex(sectionOf(calm, 'payments-title'), /€9 €1 refunded partly refunded/)
  t.regex(sectionOf(calm, 'wrong-title'), /Nothing is wrong\./)
  const today = await visitor.get('/membership/office', { accept: 'text/html' })
  t.regex(sectionOf(today.text, 'payments-title'), /ann@example\.com Pro, monthly €9 €1 refunded/)
  const german = await visitor.get('/membership/office', { accept: 'text/html', 'accept-language': 'de' })
  t.regex(sectionOf(german.text, 'payments-title'), /1\s€ erstattet/)

  fake.useCard(user.subscriptions()[0]!.customer_id!, '4000000000000341')
  await fake.advance({ months: 1 })
  await fake.advance({ ms: 7_200_000 })
  await settle()
  // The office asks for a login again after that time.
  visitor = (await enter('bob@example.com')).visitor
  const failed = await page()
  t.regex(sectionOf(failed, 'has-title'), /Pro, monthly payment failed/i)
  t.regex(sectionOf(failed, 'wrong-title'), /Pro, monthly is not paid/)
  t.notRegex(sectionOf(failed, 'wrong-title'), /Nothing is wrong/)

  t.notRegex(failed, /<select[^>]*name="cancel"/, 'a refund is asked for on its own page')
  const [, refund = ''] = /href="([^"]*do\/refund[^"]*)"/.exec(failed) ?? []
  const confirmation = await visitor.get(refund.replaceAll('&amp;', '&'), { accept: 'text/html' })
  t.is(confirmation.status, 200)
  t.regex(textOf(confirmation.text), /refunds €8 of €9/)
  const buttonOf = async (path: string, language = 'en') => {
    const shown = await visitor.get(path, { accept: 'text/html', 'accept-language': language })
    const [, form = ''] = /<form class="o-confirm"([\s\S]*?)<\/form>/.exec(shown.text) ?? []
    return /<button>([^<]*)<\/button>/.exec(form)?.[1]
  }
  const act = `/membership/office/members/${user.id}/do`
  const [payment, subscription] = [user.payments()[0]!.id, user.subscriptions()[0]!.id]
  t.is(await buttonOf(`${act}/refund?payment=${payment}`), 'Refund €8')
  t.is(await buttonOf(`${act}/refund?payment=${payment}&amount=2&cancel=now`), 'Refund €2 and end now')
  t.is(await buttonOf(`${act}/cancel?subscription=${subscription}&when=now`), 'End now')
  t.is(await buttonOf(`${act}/cancel?subscription=${subscription}`, 'de'), 'Zum Ende des Zeitraums kündigen')
  t.is(await buttonOf(`${act}/note?text=called`), 'Add the note')
  t.regex(confirmation.text, /<details>[\s\S]*name="amount"[\s\S]*name="cancel"[\s\S]*<\/details>/)

  const folds = [...failed.matchAll(/<details><summary>(\d+) provider events?<\/summary>/g)]
  t.true(folds.length > 0)
  const unfolded = failed.replace(/<details>[\s\S]*?<\/details>/g, '')
  t.notRegex(unfolded, /stripe: (invoice|charge|customer)\./, 'events are folded')
})

test('each action that the office confirms names itself on its button, in every language', (t) => {
  // These have no page of their own: members or the command line run them, or a link downloads.
  const unconfirmed = ['assign', 'close-checkout', 'discount', 'email', 'export', 'unmerge']
  for (const language of ['en', 'de']) {
    const file = new URL(`../../templates/office/words/${language}.yml`, import.meta.url)
    const { action, button } = parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
    const named = Object.keys(button!).map((key) => key.split('_')[0]!)
    const missing = Object.keys(action!).filter((key) => !named.includes(key) && !unconfirmed.includes(key))
    t.deepEqual(missing, [], language)
  }
})
