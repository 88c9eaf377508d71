import type { Locator, Page } from 'playwright-core'

/** Goes on with Tab until that element has the focus, and sees that every stop on the way shows where one is. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  const focus = page.locator(':focus')
  for (let tabs = 0; tabs < 80; tabs++) {
    await page.keyboard.press('Tab')
    // Past the last element the browser's own bar has it.
    if ((await focus.count()) === 0) continue
    const { isSeen, element } = await page.evaluate<{ isSeen: boolean; element: string }>(look)
    if (!isSeen) throw new Error(`nobody sees that the focus is at ${element}`)
    if ((await focus.and(wanted).count()) > 0) return
  }
  throw new Error(`the keyboard does not come to ${wanted}`)
}

const look = `(() => {
  const element = document.activeElement
  const { outlineStyle, boxShadow } = getComputedStyle(element)
  return { isSeen: outlineStyle !== 'none' || boxShadow !== 'none', element: element.outerHTML }
})()`
