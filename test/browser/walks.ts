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
