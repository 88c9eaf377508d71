import type { ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import type { Look } from './looks.ts'

export interface Walk {
  readonly t: ExecutionContext
  readonly page: Page
  readonly look: Look
}

export const lockedArticle = '/articles/the-slow-line-south'

/** From the prices to a membership that is paid for. */
export const buy = async ({ t, page, look }: Walk, email: string): Promise<void> => {
  await page.goto('/pricing')
  await look('prices')
  await page.getByRole('button', { name: /^Subscribe ?: Pro, Yearly/ }).click()
  await look('checkout')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Name on the card').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Pay €50' }).click()
  await page.getByRole('heading', { name: 'Paid. Welcome.' }).waitFor()
  await look('paid')
  await page.getByRole('link', { name: 'Continue' }).click()
  t.regex(await mainText(page), /Pro, yearly, renews on 10 March 2027/)
}

/** Through the provider's page and back, to another plan, and out: paid until, then over. */
export const leave = async ({ t, page, look }: Walk): Promise<void> => {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Card and invoices' }).click()
  await page.waitForURL(/\/membership\/sandbox\/portal\//)
  await look('portal')
  await page.goto('/account')

  await page.getByRole('button', { name: /^Change to Pro, monthly/ }).click()
  await page.getByRole('heading', { name: 'Change your membership' }).waitFor()
  await look('preview')
  await page.getByRole('button', { name: 'Change now' }).click()
  await standing(page, /Pro, monthly, renews on/)

  await page.getByRole('button', { name: /^Cancel ?: Pro/ }).click()
  await standing(page, /Pro, monthly, cancelled, paid until/)
  await look('cancelled')
  t.true(await isOpen(page), 'paid until the end')

  await page.goto('/account')
  await press(page, 'One month forward')
  await press(page, 'One month forward')
  await standing(page, /Pro, monthly, ended/)
  await look('ended')
  t.false(await isOpen(page))
  await look('locked')
}

/** Asks for a link and takes it out of the demo's mailbox. */
export const logIn = async ({ page, look }: Walk, email: string): Promise<void> => {
  await page.goto('/membership/login')
  await look('login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a login link' }).click()
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  await look('link-sent')
  await openMail(page, /Log in/)
  await look('mail')
  const text = await page.locator('pre').innerText()
  const link = /https?:\/\/\S+\/membership\/login\/\S+/.exec(text)?.[0] ?? ''
  await page.goto(link)
  await look('link')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/\/account$/)
}

/** Opens the newest mail of that subject, which may take a moment to arrive. */
const openMail = async (page: Page, subject: RegExp): Promise<void> => {
  for (let tries = 0; tries < 40; tries++) {
    await page.goto('/demo/mailbox')
    const mail = page.locator('.mailbox-list a').filter({ hasText: subject }).first()
    if ((await mail.count()) > 0) return await mail.click()
    await page.waitForTimeout(250)
  }
  throw new Error(`no mail of the subject ${subject}`)
}

/** Waits for the account page to say where the member stands; webhooks take a moment. */
export const standing = async (page: Page, words: RegExp): Promise<void> => {
  for (let tries = 0; tries < 40; tries++) {
    await page.goto('/account')
    if (words.test(await mainText(page))) return
    await page.waitForTimeout(250)
  }
  throw new Error(`the account says: ${(await mainText(page)).slice(0, 300)}`)
}

/** Whether the article is open to this visitor. */
export const isOpen = async (page: Page): Promise<boolean> => {
  await page.goto(lockedArticle)
  return (await page.getByRole('heading', { name: /Read on/ }).count()) === 0
}

/** A button of the demo's bar. */
export const press = async (page: Page, name: string): Promise<void> => {
  await page.locator('.demo').getByRole('button', { name, exact: true }).click()
}

export const mainText = (page: Page): Promise<string> => page.getByRole('main').innerText()
