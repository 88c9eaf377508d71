import test from 'ava'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium } from '../support/chromium.ts'
import { openDemo, orderFacts, pay } from './demo-site.ts'
import { createLook } from './looks.ts'
import { lockedArticle, logIn, mainText, press, standing } from './walks.ts'

// Pages of a purchase promise what it gives, and nothing else.

const chromium = findChromium()
const browsers: Browser[] = []
const walk = chromium === null ? test.skip : test.serial

test.before(async () => {
  if (chromium !== null) browsers.push(await launchChromium(chromium))
})
test.after.always(async () => {
  for (const browser of browsers) await browser.close()
})

async function quiet() {}
const german = { locale: 'de-DE' }

walk('a top-up is offered in the account alone, and sold as what it adds', async (t) => {
  const { meet, log } = await openDemo(t, browsers[0]!)
  const page = await meet()
  for (const path of [lockedArticle, '/pricing', '/pricing?every=year']) {
    await page.goto(path)
    t.notRegex(await mainText(page), /10 more/, path)
  }
  await page.goto('/membership/order?plan=pro&price=pro_yearly&redirect=/account')
  await pay(page, 'ada@example.com')
  await logIn({ t, page, look: quiet }, 'ada@example.com')
  await page.getByRole('button', { name: /^10 more for €3/ }).click()
  await page.getByRole('heading', { name: 'Top up: Articles to print, 10 more', level: 1 }).waitFor()
  t.like(await orderFacts(page), {
    'You get': 'Articles to print, 10 more',
    Description: 'It is used after what your plan includes. It does not expire. It does not include Pro.',
    'Due today': '€3, incl. VAT',
    Renews: 'No, this is a one-time payment',
  })
  await pay(page, null)
  await page.goto('/account')
  const account = await mainText(page)
  t.regex(account, /Articles to print\s+0 of 2 used, 2 left\. 10 more from top-ups\./)
  t.notRegex(account, /Yours to keep/, 'it is no membership')
  t.regex(account, /Articles to print, 10 more\s+€3\s+paid/, 'and the history names it')

  const stranger = await meet(german)
  await stranger.goto('/membership/order?product=prints_10')
  await stranger.getByRole('heading', { name: 'Aufstocken: Artikel zum Drucken, 10 zusätzlich' }).waitFor()
  t.is(
    (await orderFacts(stranger)).Beschreibung,
    'Wird genutzt, sobald das Kontingent Ihres Tarifs verbraucht ist. Verfällt nicht. Pro ist nicht enthalten.',
  )
  await pay(stranger, 'ben@example.com')
  await stranger.goto(lockedArticle)
  t.is(await stranger.locator('.paywall').count(), 1, 'what was sold opens nothing, as the page said')
  t.deepEqual(log, [])
})

walk('the order page of a gift says whose it is, when it is sent and with which words', async (t) => {
  const { site, meet, log } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/membership/gift/pro')
  await page.locator('#gift-to').fill('kit@example.com')
  await page.locator('#gift-on').fill('2026-03-13')
  await page.locator('#gift-message').fill('For the long evenings.')
  await page.locator('main form button').click()
  await page.getByRole('heading', { name: 'Give Pro for 12 months', level: 1 }).waitFor()
  const facts = await orderFacts(page)
  t.like(facts, {
    'You give': 'Pro, 12 months',
    For: 'kit@example.com',
    Sent: '13 March',
    'Your message': 'For the long evenings.',
    Description: 'Every article, from the day it is written.',
    'Due today': '€50, incl. VAT',
    Renews: 'No, this is a one-time payment',
  })
  await pay(page, 'ada@example.com')
  const ada = await site.membership.users.findByEmail('ada@example.com')
  const [bought] = (await site.membership.users.export(ada!)).checkouts
  const kept = JSON.stringify(bought)
  t.regex(kept, /You give/)
  t.notRegex(kept, /long evenings/, 'words that a buyer typed reach no receipt')

  const german = await meet({ locale: 'de-DE' })
  await german.goto('/membership/gift/pro')
  await german.locator('main form button').click()
  await german.getByRole('heading', { name: 'Pro verschenken: 12 Monate' }).waitFor()
  t.like(await orderFacts(german), {
    'Sie verschenken': 'Pro, 12 Monate',
    Für: 'Noch niemanden. Sie bekommen eine Seite mit dem Code zum Ausdrucken.',
  })
  t.deepEqual(log, [])
})

walk('the order page says each amount once: today, then, and until when', async (t) => {
  const { meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/membership/order?plan=pro&price=pro_monthly')
  t.like(await orderFacts(page), {
    'You get': 'Pro, monthly, with a trial of 7 days',
    'Due today': '€0',
    Then: '€5 per month, incl. VAT, from 17 March until you cancel',
    Renews: 'automatically, monthly, until you cancel',
  })
  t.is((await mainText(page)).split('€5').length - 1, 1)
  await page.goto('/membership/order?plan=pro&price=pro_yearly')
  t.like(await orderFacts(page), {
    'You get': 'Pro, yearly',
    'Due today': '€50, incl. VAT',
    Then: '€50 per year, incl. VAT, from 10 March 2027 until you cancel',
  })
  await page.goto('/membership/order?product=archive_once')
  const once = await orderFacts(page)
  t.like(once, { 'Due today': '€30, incl. VAT', Renews: 'No, this is a one-time payment' })
  t.false('Then' in once)
  t.is((await mainText(page)).split('€30').length - 1, 1)
})

/** Orders something, pays it, and reads the page after paying. */
async function bought(page: Page, path: string, email: string | null) {
  await page.goto(path)
  await pay(page, email)
  return {
    title: await page.locator('.notice h1').innerText(),
    text: await page.locator('.notice').innerText(),
  }
}

walk('the page after paying says what is open, until when, and what comes next, for each kind', async (t) => {
  const { site, meet, log } = await openDemo(t, browsers[0]!)
  const trial = await bought(
    await meet(),
    '/membership/order?plan=pro&price=pro_monthly&redirect=/articles/the-slow-line-south',
    'trial@example.com',
  )
  t.is(trial.title, 'Your trial has started. Welcome.')
  t.regex(trial.text, /You have Pro until 17 March\. Cancel before that day/)
  t.regex(trial.text, /Open to you now\s+Every article/)
  t.regex(trial.text, /Then\s+€5 per month, from 17 March until you cancel/)
  t.notRegex(trial.text, /everything for members|printed issues/, 'a trial of Pro opens no archive')

  const paid = await bought(await meet(), '/membership/order?plan=pro&price=pro_yearly', 'paid@example.com')
  t.is(paid.title, 'Thank you. You’re in.')
  t.regex(paid.text, /You now have Pro\.[\s\S]*€50 per year, from 10 March 2027 until you cancel/)

  const once = await bought(await meet(), '/membership/order?product=archive_once', 'once@example.com')
  t.regex(once.text, /You now have The Archive, and it stays yours\. Nothing renews\./)
  const given = await bought(await meet(), '/membership/order?product=pro_gift', 'given@example.com')
  t.regex(given.text, /You have Pro (until 10 March 2027|for 12 months)\. It does not renew\./)

  const buyer = await meet()
  const topUp = await bought(buyer, '/membership/order?product=prints_10', 'top@example.com')
  t.is(topUp.title, 'Thank you. Your top-up is ready.')
  t.regex(topUp.text, /Articles to print\s+10 left/)
  t.notRegex(topUp.text, /\bPro\b/)

  const team = await meet()
  await team.goto('/membership/order?plan=circle&price=circle_monthly&quantity=3')
  await pay(team, 'team@example.com')
  t.regex(await mainText(team), /You pay for 3 seats of Reading Circle\. One is yours\./)
  t.regex(
    (await team.getByRole('link', { name: 'Invite the others' }).getAttribute('href')) ?? '',
    /^\/membership\/group\//,
  )

  const supporter = await meet()
  await supporter.goto('/membership/order?plan=supporter&price=supporter_monthly&amount=1000')
  await pay(supporter, 'sup@example.com')
  t.regex(await mainText(supporter), /Thank you for your support[\s\S]*€10 per month, from 10 April/)

  const giver = await meet({ locale: 'de-DE' })
  await giver.goto('/membership/gift/pro')
  await giver.locator('#gift-to').fill('kit@example.com')
  await giver.locator('#gift-on').fill('2026-03-13')
  await giver.locator('main form button').click()
  await pay(giver, 'giver@example.com')
  const gift = await mainText(giver)
  t.regex(gift, /Ihr Geschenk ist bezahlt/)
  t.regex(gift, /Wir schicken es am 13\. März an kit@example\.com\./)
  t.regex(gift, /Für Sie ändert sich nichts/)
  await giver.getByRole('link', { name: 'Geschenk ansehen und drucken' }).click()
  await giver.getByRole('heading', { name: 'Ihr Geschenk: Pro' }).waitFor()
  t.truthy(await site.membership.users.findByEmail('giver@example.com'))
  t.deepEqual(log, [])
})

walk('a page names one tax word, one state of the browser, and no unpaid time', async (t) => {
  const { meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/membership/order?product=archive_once&redirect=/account')
  t.is((await orderFacts(page))['Due today'], '€30, incl. VAT')
  await pay(page, 'ada@example.com')
  await page.goto('/account')
  t.regex(await mainText(page), /This browser is not confirmed yet\./)
  t.notRegex(await mainText(page), /just paid/)
  await logIn({ t, page, look: quiet }, 'ada@example.com')
  await page
    .getByRole('link', { name: /^Receipt/ })
    .first()
    .click()
  t.regex(await mainText(page), /Tax\s+incl\. VAT/)
  await page.goto('/account')
  await page
    .getByRole('link', { name: /^Invoice/ })
    .first()
    .click()
  t.regex(await mainText(page), /Tax\s+incl\. VAT/)

  const ben = await meet()
  await ben.goto('/membership/order?plan=supporter&price=supporter_monthly&amount=500')
  await pay(ben, 'ben@example.com')
  await press(ben, 'Make the next renewal fail')
  await press(ben, 'One month forward')
  await standing(ben, /Payment failed/)
  await ben.goto('/membership/office/members')
  const row = ben.getByRole('row', { name: /ben@example\.com/ })
  t.regex(await row.innerText(), /10 Apr/, 'paid until the renewal that failed')
  t.notRegex(await row.innerText(), /10 May/)
  await row.getByRole('link').click()
  const member = await mainText(ben)
  t.regex(member, /10 Mar[a-z]*( 2026)? – 10 Apr/)
  t.regex(member, /A payment for Supporter, monthly failed/)
  t.notRegex(member, /first payment/)

  await ben.goto('/account')
  await ben
    .getByRole('button', { name: /^Pay €/ })
    .first()
    .click()
  await ben.getByRole('heading', { name: 'Pay the open amount' }).waitFor()
  t.is(await ben.getByRole('button').count(), 1, 'one button, and it names the sum')
  await ben.getByRole('button', { name: 'Pay €5' }).click()
  await standing(ben, /Renews on 10 May/)
})

walk('the account is one card that says what is had, what is charged next and by which card', async (t) => {
  const { meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/membership/order?plan=supporter&price=supporter_monthly&amount=500')
  await pay(page, 'ada@example.com')
  await logIn({ t, page, look: quiet }, 'ada@example.com')
  const card = page.locator('.own')
  t.is(await card.count(), 1)
  const facts = async () => (await card.locator('dl').innerText()).replace(/\s+/g, ' ')
  t.is(await card.locator('.pill').innerText(), 'Active')
  t.regex(await card.innerText(), /Renews on 10 April/)
  t.regex(await facts(), /^Next payment €5 incl\. VAT Last paid with Card ending in 4242$/)
  t.true((await card.locator('button:not(.link), a.button').count()) <= 1, 'one filled button at most')
  const rows = page.locator('#history table tbody tr')
  t.regex(
    (await rows.filter({ hasText: '€5' }).innerText()).replace(/\s+/g, ' '),
    /10 March 2026 Supporter, monthly €5 paid Invoice.*Receipt/,
  )

  await press(page, 'Make the next renewal fail')
  await press(page, 'One month forward')
  await standing(page, /Payment failed/)
  t.is(await page.locator('.arrears').count(), 1, 'the card alone says what is due')
  t.is(await card.locator('.pill').innerText(), 'Unpaid')
  t.is(await card.locator('.arrears strong').innerText(), '€5')
  t.regex(await card.locator('.arrears').innerText(), /You keep access until 1 May 2026/)
  const buttons = await card.locator('button:not(.link), a.button').allInnerTexts()
  t.deepEqual(
    buttons.map((text) => text.replace(/\s+/g, ' ')),
    ['Pay €5 : Supporter, monthly'],
    'one button',
  )
  await page.goto('/')
  t.is(
    await page
      .locator('.arrears')
      .getByRole('button', { name: /^Pay €5/ })
      .count(),
    1,
    'other pages keep it',
  )
})

walk('what cannot be read is answered beside its field, with what was typed', async (t) => {
  const { site, meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/membership/order?plan=circle&price=circle_monthly&quantity=4&redirect=/account')
  await pay(page, 'ada@example.com')
  await logIn({ t, page, look: quiet }, 'ada@example.com')
  await page.getByRole('link', { name: /^Invite and remove people/ }).click()
  const list = page.locator('#group-emails')
  await list.fill('good@example.com\nnot an address\nben@@example.com')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  t.is(await list.inputValue(), 'not an address\nben@@example.com')
  t.regex(
    await page.locator('#group-emails-error').innerText(),
    /^These 2 lines have no valid e-mail address\.[\s\S]*Invited: good@example\.com/,
  )
  t.is(await page.locator(':focus').getAttribute('id'), 'group-emails')
  const ada = await site.membership.users.findByEmail('ada@example.com')
  const { managed } = await site.membership.teams.of(ada!)
  t.deepEqual(
    managed[0]?.members.map(({ email }) => email).filter((email) => email !== 'ada@example.com'),
    ['good@example.com'],
  )

  // The last seats are taken by the same form, which then is no longer there.
  await list.fill('cid@example.com\ndan@example.com\nnobody at all')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  t.regex(
    await page.locator('section .field-error').innerText(),
    /^This line has no valid e-mail address\.[\s\S]*nobody at all[\s\S]*Invited: cid@example\.com, dan@example\.com/,
  )

  for (const [options, words] of [
    [{}, /^This code is not valid\./],
    [german, /^Dieser Code gilt nicht\./],
  ] as const) {
    const visitor = await meet(options)
    await visitor.goto('/membership/redeem')
    await visitor.locator('#gift-code').fill('ABCDE-12345-XXXXX-00000')
    await visitor.locator('main form button').click()
    await visitor.locator('#gift-code-error').waitFor()
    t.regex(await visitor.locator('#gift-code-error').innerText(), words)
    t.is(await visitor.locator('#gift-code').inputValue(), 'ABCDE-12345-XXXXX-00000')
  }

  const supporter = await meet()
  await supporter.goto('/pricing')
  await supporter.locator('#amount-supporter_monthly').fill('2,50')
  await supporter.getByRole('button', { name: /Supporter, Monthly$/ }).click()
  t.is(await supporter.locator('#amount').inputValue(), '2,50')
  t.regex(await supporter.locator('#amount-error').innerText(), /from €3 to €500/)
  await supporter.locator('#amount').fill('7.50')
  await supporter.getByRole('button', { name: 'Continue', exact: true }).click()
  t.regex((await orderFacts(supporter))['Due today']!, /^€7\.50/)
})

walk('each plan is a card with one price and one button, and a year says what it saves', async (t) => {
  const { meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  await page.goto('/pricing')
  const cards = page.locator('.plan')
  t.is(await cards.count(), 4)
  for (const card of await cards.all())
    t.is((await card.locator('button').all()).length - (await card.locator('details button').count()), 1)
  const pro = page.locator('.plan', { has: page.getByRole('heading', { name: /^Pro/ }) })
  t.regex(await pro.innerText(), /12 months\s+€50/, 'other prices are lines')
  t.true(
    (await pro.locator('.feature-lacks').allInnerTexts()).some((text) => text.includes('The printed issues')),
  )
  await page.goto('/pricing?every=year')
  t.regex(await pro.innerText(), /€50 per year[\s\S]*That is €4\.17 a month\. You save €10 a year\./)
  await page.goto('/membership/order?plan=supporter&price=supporter_monthly&amount=500&redirect=/pricing')
  await pay(page, 'ada@example.com')
  await page.goto('/pricing')
  t.regex(await cards.first().innerText(), /Supporter/, 'the member’s own plan is first')
})

walk('what a member has is not sold again, and a free page is worth reading', async (t) => {
  const { site, meet } = await openDemo(t, browsers[0]!)
  const page = await meet()
  const offer = page.getByRole('button', { name: /^Start free trial/ })
  await page.goto('/pricing')
  t.true(await offer.isVisible())
  await page.goto('/membership/order?plan=circle&price=circle_monthly&quantity=2&redirect=/pricing')
  await pay(page, 'ada@example.com')
  await page.goto('/pricing')
  const pro = page.locator('section.plan', { has: page.getByRole('heading', { name: /^Pro/ }) })
  t.regex(await pro.innerText(), /You already have everything that this plan opens\./)
  t.notRegex(await pro.innerText(), /Recommended/)
  t.false(await offer.isVisible())
  await pro.locator('summary').first().click()
  t.true(await offer.isVisible(), 'who wants it nonetheless still finds it')
  const titles = await page.locator('.price-label').allInnerTexts()
  t.true(titles.length > 0)

  const stranger = await meet()
  await stranger.goto('/')
  t.regex(await mainText(stranger), /Opening an issue uses one of them\./)
  for (const issue of [1, 2]) {
    await stranger.goto(`/issues/${issue}`)
    t.true((await stranger.locator('.metered p').count()) >= 5, `issue ${issue} has pages to read`)
  }
  t.is((await stranger.goto('/issues/3'))?.status(), 403)
  t.truthy(site.url)
})

walk(
  'pages of a purchase and the page of the design fit and break no rule of axe, light and dark',
  async (t) => {
    const before = process.env.NODE_ENV
    t.teardown(() => {
      process.env.NODE_ENV = before
    })
    process.env.NODE_ENV = 'test'
    const plain = await openDemo(t, browsers[0]!)
    t.is(
      (await (await plain.meet()).goto('/membership/office/kitchen'))?.status(),
      404,
      'in development only',
    )
    process.env.NODE_ENV = 'development'
    const { meet } = await openDemo(t, browsers[0]!)
    const problems: string[] = []
    for (const { size, widths, options } of [
      { size: 'design-desktop', widths: [1280, 640], options: { viewport: { width: 1280, height: 800 } } },
      {
        size: 'design-phone',
        widths: [390, 320],
        options: { viewport: { width: 390, height: 844 }, locale: 'de-DE' },
      },
    ]) {
      const page = await meet(options)
      const look = createLook(page, { size, widths, problems })
      await page.goto('/membership/office/kitchen')
      t.is(await page.locator('.pill').count(), 5)
      if (size === 'design-desktop') await look('kitchen')
      for (const [step, path] of [
        ['prices', '/pricing'],
        ['paywall', lockedArticle],
        ['order-once', '/membership/order?product=archive_once'],
        ['order', '/membership/order?plan=pro&price=pro_monthly'],
      ] as const) {
        await page.goto(path)
        await look(step)
      }
      await pay(page, `${size}@example.com`)
      await look('return')
      await page.goto('/account')
      await look('account')
    }
    t.deepEqual(problems, [])
  },
)
