import test from 'ava'
import type { Browser } from 'playwright-core'
import { findChromium, launchChromium } from '../support/chromium.ts'
import { openDemo, orderFacts, pay } from './demo-site.ts'
import { lockedArticle, logIn, mainText } from './walks.ts'

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

const quiet = async () => {}
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
