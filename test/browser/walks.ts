import type { ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { tabTo } from './keyboard.ts'
import type { Look } from './looks.ts'

export interface Walk {
  readonly t: ExecutionContext
  readonly page: Page
  readonly look: Look
}

export const lockedArticle = '/articles/the-slow-line-south'

/** From the prices to a membership that is paid for. */
export async function buy({ t, page, look }: Walk, email: string): Promise<void> {
  await page.goto('/pricing?every=year')
  await look('prices')
  await page.getByRole('button', { name: /^Subscribe ?: Pro, Yearly/ }).click()
  await page.getByRole('heading', { name: 'Buy Pro, yearly' }).waitFor()
  await look('order')
  await order(page)
  await look('checkout')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Name on the card').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Pay €50' }).click()
  await page.getByRole('heading', { name: /^Thank you\./ }).waitFor()
  await look('paid')
  await page.getByRole('link', { name: 'Continue' }).click()
  t.regex(await mainText(page), /Pro, yearly\s+€50 per year\s+Renews on 10 March 2027/)
  t.is(
    await page.getByRole('button', { name: 'Card and invoices' }).count(),
    0,
    'a purchase proves no address',
  )
  await look('just-paid')
  await page.getByRole('button', { name: 'Send me a login link' }).click()
  await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor()
  await openLink(page)
}

/** Gives the consent that the order page asks for, and orders. */
export async function order(page: Page): Promise<void> {
  await page.locator('#agree').check()
  await page.locator('form.confirm button').click()
  await page.waitForURL(/\/membership\/sandbox\//)
}

/** Through the provider's page and back, to another plan, and out: paid until, then over. */
export async function leave({ t, page, look }: Walk): Promise<void> {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Card and invoices' }).click()
  await page.waitForURL(/\/membership\/sandbox\/portal\//)
  await look('portal')
  await page.goto('/account')

  await page.getByRole('button', { name: /^Change to Pro, monthly/ }).click()
  await page.getByRole('heading', { name: 'Change to Pro, monthly' }).waitFor()
  const facts = await mainText(page)
  for (const fact of [
    /You have\s+Pro, yearly: €50 per year/,
    /You get\s+Pro, monthly: €5 per month/,
    /Due today\s+€0/,
    /€45 of what you paid counts towards your next payments/,
    /Next payment\s+nothing on 10 April, paid from your credit/,
  ])
    t.regex(facts, fact)
  await look('change')
  // A year in months costs more, so the law of the shop's country names the duty to pay.
  await page.getByRole('button', { name: 'Order with obligation to pay' }).click()
  await status(page, /Done\. You now have Pro, monthly/)
  await standing(page, /Pro, monthly\s+€5 per month\s+Renews on/)

  await page.getByRole('button', { name: /^Cancel ?: Pro/ }).click()
  await page.getByRole('heading', { name: 'Cancel Pro, monthly' }).waitFor()
  t.regex(await mainText(page), /You keep Pro, monthly until 10 April/)
  await look('cancel')
  await page.getByRole('button', { name: 'Cancel on 10 April' }).click()
  await status(page, /Pro, monthly is cancelled\. You keep access until 10 April/)
  await look('cancelled')
  await page.getByRole('button', { name: 'Keep my membership' }).click()
  await status(page, /Pro, monthly continues/)
  await page.getByRole('button', { name: /^Cancel ?: Pro/ }).click()
  await page.getByRole('button', { name: 'Cancel on 10 April' }).click()
  await standing(page, /Cancelled, paid until 10 April/)
  t.true(await isOpen(page), 'paid until the end')

  await page.goto('/account')
  await press(page, 'One month forward')
  await press(page, 'One month forward')
  await standing(page, /Ended\s+\(1\)/)
  await look('ended')
  t.false(await isOpen(page))
  await look('locked')
}

/** A renewal that the card does not pay: open for the days of grace, told on the pages and by a mail, and paid after all. */
export async function failAndPay({ t, page, look }: Walk): Promise<void> {
  await page.goto('/account')
  for (let month = 1; month <= 11; month++) await press(page, 'One month forward')
  await press(page, 'Make the next renewal fail')
  await page
    .locator('.demo')
    .getByRole('button', { name: 'The next payment will fail', includeHidden: true })
    .waitFor({ state: 'attached' })
  await press(page, 'One month forward')
  await standing(page, /Payment failed\. Please check your card/)
  await look('failed')
  t.true(await isOpen(page), 'open while there is time to pay')
  await openMail(page, /Your payment failed/)
  await look('mail-failed')
  await page.goto('/account')
  await page
    .getByRole('button', { name: /^Pay €/ })
    .first()
    .click()
  await page.waitForURL(/\/membership\/sandbox\//)
  await look('pay')
  await page.getByRole('main').getByRole('button', { name: /^Pay / }).click()
  await standing(page, /Pro, yearly\s+€50 per year\s+Renews on 10 March 2028/)
  t.true(await isOpen(page), 'paid after all')
}

/** Something bought for good, whose money goes back. */
export async function refund({ t, page }: Walk): Promise<void> {
  await page.goto('/pricing')
  // The bar gives back what was paid last.
  await press(page, 'One month forward')
  await page.getByRole('button', { name: /^Buy for €30/ }).click()
  await order(page)
  await page.getByLabel('Name on the card').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Pay €30' }).click()
  await page.getByRole('heading', { name: /^Thank you\./ }).waitFor()
  t.is((await page.goto('/archive'))?.status(), 200)
  await press(page, 'Refund')
  await page.goto('/account')
  t.regex(await mainText(page), /The Archive\s+€30\s+refunded|refunded[\s\S]*The Archive\s+€30/)
  t.is((await page.goto('/archive'))?.status(), 403)
}

/** From the prices to the article without touching a mouse; every stop of the way can be seen to be one. */
export async function buyByKeyboard({ t, page }: Walk, email: string): Promise<void> {
  await page.goto('/')
  await page.keyboard.press('Tab')
  t.is(await page.locator(':focus').innerText(), 'Skip to the content')
  await page.keyboard.press('Enter')
  t.is(await page.locator(':focus').getAttribute('id'), 'main', 'past the bar and the menu')
  await page.goto('/pricing?every=year')
  await tabTo(page, page.getByRole('button', { name: /^Subscribe ?: Pro, Yearly/ }))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/membership\/order/)
  await tabTo(page, page.locator('#agree'))
  await page.keyboard.press('Space')
  await tabTo(page, page.getByRole('button', { name: 'Order with obligation to pay' }))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/membership\/sandbox\//)
  await tabTo(page, page.getByRole('textbox', { name: /E-mail/ }))
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Ada Lovelace')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Thank you\./ }).waitFor()
  await tabTo(page, page.getByRole('link', { name: /^Continue$/ }))
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/account$/)
  await tabTo(page, page.getByRole('button', { name: /^Cancel ?: Pro/ }))
  await posted(page, () => page.keyboard.press('Space'))
  await tabTo(page, page.getByRole('button', { name: /^Cancel on / }))
  await posted(page, () => page.keyboard.press('Enter'))
  await status(page, /is cancelled/)
  await standing(page, /Cancelled, paid until/)
  await tabTo(page, page.getByRole('button', { name: /^Send me a login link$/ }))
}

/** Asks for a link and takes it out of the demo's mailbox. */
export async function logIn({ page, look }: Walk, email: string): Promise<void> {
  await page.goto('/membership/login')
  await look('login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a login link' }).click()
  await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor()
  await look('link-sent')
  await openLink(page, look)
}

/** Takes the newest login link out of the demo's mailbox and presses its button. */
async function openLink(page: Page, look?: Look): Promise<void> {
  await openMail(page, /Log in/)
  await look?.('mail')
  const text = await page.locator('pre').innerText()
  const link = /https?:\/\/\S+\/membership\/login\/\S+/.exec(text)?.[0] ?? ''
  await page.goto(link)
  await look?.('link')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/\/account$/)
}

/** Opens the newest mail of that subject, which may take a moment to arrive. */
export async function openMail(page: Page, subject: RegExp): Promise<void> {
  for (let tries = 0; tries < 160; tries++) {
    await page.goto('/demo/mailbox')
    const mail = page.locator('.mailbox-list a').filter({ hasText: subject }).first()
    if ((await mail.count()) > 0) return await mail.click()
    await page.waitForTimeout(250)
  }
  throw new Error(`no mail of the subject ${subject}`)
}

/** Waits for the account page to say where the member stands; webhooks take a moment. */
export async function standing(page: Page, words: RegExp): Promise<void> {
  for (let tries = 0; tries < 160; tries++) {
    await page.goto('/account')
    if (words.test(await mainText(page))) return
    await page.waitForTimeout(250)
  }
  throw new Error(`the account says: ${(await mainText(page)).slice(0, 300)}`)
}

/** Waits for the one line that says what was just done. */
export async function status(page: Page, words: RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: words }).waitFor()
}

/** Whether the article is open to this visitor. */
export async function isOpen(page: Page): Promise<boolean> {
  await page.goto(lockedArticle)
  return (await page.getByRole('heading', { name: /Read on/ }).count()) === 0
}

/** A button of the demo's bar. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.locator('.demo').getByRole('button', { name, exact: true })
  // One line on a phone: the buttons come with the list.
  if (!(await button.isVisible())) await page.locator('.demo summary').click()
  await posted(page, () => button.click())
}

/** Sends a form, and waits until the page that answers it is there. */
async function posted(page: Page, send: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), send()])
}

export function mainText(page: Page): Promise<string> {
  return page.getByRole('main').innerText()
}
