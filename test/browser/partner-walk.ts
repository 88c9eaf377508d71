import type { Browser } from 'playwright-core'
import type { Membership } from '../../src/index.ts'
import { plainJpeg } from '../reports/preview/support.ts'
import { visitor } from '../support/chromium.ts'
import { tabTo } from './keyboard.ts'
import { createLook } from './looks.ts'

/** A partner with two websites in the index. */
export async function addPartner(m: Membership, site: string): Promise<{ key: string; id: string }> {
  const partner = await m.reports.partners.add({ name: 'Ann’s studio', email: 'ann@partner.example' })
  const { key } = await m.reports.keys.issue(partner.id)
  const ids: string[] = []
  for (const host of ['a.example', 'b.example']) {
    const answer = await fetch(`${site}/reports?url=http://${host}/`, {
      method: 'POST',
      headers: { 'X-API-KEY': key },
    })
    ids.push(((await answer.json()) as { data: { id: string } }).data.id)
  }
  return { key, id: ids[0]! }
}

/** The partners' pages: in the light by keyboard on a desktop, in the dark and in German on a phone, and without JavaScript. */
export async function walkPartnerPages(deps: {
  browser: Browser
  site: string
  key: string
  id: string
  problems: string[]
}): Promise<void> {
  const { browser, site, key, id, problems } = deps
  const pages = [
    ['/partner', 'wall'],
    ['/partner/list', 'list'],
    [`/partner/websites/${id}`, 'website'],
    ['/partner/websites/nothing', 'problem'],
  ] as const
  const preview = { name: 'shot.jpg', mimeType: 'image/jpeg', buffer: await plainJpeg(640, 400) }

  const desk = await visitor(browser, {
    baseURL: site,
    viewport: { width: 1280, height: 800 },
    bypassCSP: true,
  })
  const { page } = desk
  const see = createLook(page, { size: 'partner-desktop', widths: [1280], schemes: ['light'], problems })
  await page.goto('/partner')
  await see('login')
  await page.getByLabel('API key').fill('mk_wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await see('login-wrong')
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your websites' }).waitFor()
  for (const [path, name] of pages) {
    await page.goto(path)
    await see(name)
  }
  await page.goto('/partner')
  await tabTo(page, page.getByRole('link', { name: 'Site A' }))
  await page.keyboard.press('Enter')
  await page.getByLabel('Your own picture').setInputFiles(preview)
  await tabTo(page, page.getByRole('button', { name: 'Save picture' }))
  await page.keyboard.press('Enter')
  await page.getByText('Your own picture.').waitFor()
  await see('picture-done')
  // By dragging: the file is dropped on the form, which is then sent.
  await page.goto(`/partner/websites/${id}`)
  const dropped = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File([Uint8Array.from(atob('${preview.buffer.toString('base64')}'), (c) => c.charCodeAt(0))], 'dragged.jpg', { type: 'image/jpeg' })); return data })()`,
  )
  await page.locator('.o-drop').dispatchEvent('drop', { dataTransfer: dropped })
  await page.waitForURL(/done=picture/)
  await desk.close()

  const phone = await visitor(browser, {
    baseURL: site,
    viewport: { width: 360, height: 740 },
    bypassCSP: true,
    locale: 'de-DE',
  })
  await phone.page.goto('/partner')
  const look = createLook(phone.page, {
    size: 'partner-phone',
    widths: [360, 320],
    schemes: ['dark'],
    problems,
  })
  await look('login')
  await phone.page.getByLabel('API-Schlüssel').fill(key)
  await phone.page.getByRole('button', { name: 'Meine Websites zeigen' }).click()
  await phone.page.getByRole('heading', { name: 'Ihre Websites' }).waitFor()
  for (const [path, name] of pages) {
    await phone.page.goto(path)
    await look(name)
  }
  await phone.close()

  const plain = await visitor(browser, { baseURL: site, javaScriptEnabled: false })
  await plain.page.goto('/partner')
  await plain.page.getByLabel('API key').fill(key)
  await plain.page.getByRole('button', { name: 'Show my websites' }).click()
  await plain.page.getByRole('link', { name: 'Site B' }).click()
  await plain.page.getByLabel('Your own picture').setInputFiles(preview)
  await plain.page.getByRole('button', { name: 'Save picture' }).click()
  await plain.page.getByText('The picture is saved.').waitFor()
  await plain.page.getByRole('link', { name: 'List to copy' }).click()
  if (!/a\.example/.test(await plain.page.getByLabel(/2 addresses/).inputValue()))
    problems.push('the list to copy lacks an address')
  await plain.page.getByRole('button', { name: 'Log out' }).click()
  await plain.page.getByLabel('API key').waitFor()
  problems.push(...plain.complaints)
  await plain.close()
}
