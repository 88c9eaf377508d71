import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { englishIn } from '../support/english.ts'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Where a run keeps its pictures: {step}-{size}-{scheme}.png. */
export const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots')

// A picture shows people something and is compared with nothing: `npm test` goes without.
const takesPictures = process.env.TEST_PART !== 'usual'

/** Called at every step of a walk, on the page that the visitor sees then. */
export type Look = (step: string) => Promise<void>

/** How much light there is. */
export type Scheme = 'light' | 'dark'

/**
 * Looks at pages as a person would: in the light and in the dark, or in one of both where another walk sees the same page in
 * the other, with the rules of axe-core, at each width for what overflows sideways, and in a German page for our own English.
 * What is wrong is added to `problems`. The page's context must let axe in (`bypassCSP`).
 */
export function createLook(
  page: Page,
  options: {
    size: string
    widths: readonly number[]
    problems: string[]
    schemes?: readonly Scheme[]
    /** The same pages are looked at elsewhere, in another width, light or language: what does not differ by these is left. */
    isSeenElsewhere?: boolean
  },
): Look {
  const { size, widths, problems, schemes = ['light', 'dark'], isSeenElsewhere } = options
  const seen = new Map<string, number>()
  return async (step) => {
    const number = String(seen.size + 1).padStart(2, '0')
    seen.set(step, seen.size)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      if (takesPictures)
        await page.screenshot({
          path: join(screenshots, `${size}-${number}-${step}-${colorScheme}.png`),
          fullPage: true,
        })
      // Between light and dark nothing but colours differs.
      const isFirst = colorScheme === schemes[0]
      const rules = isFirst ? (isSeenElsewhere ? byLayout : null) : ['color-contrast']
      for (const problem of await violations(page, rules))
        problems.push(`${step} (${size}, ${colorScheme}): ${problem}`)
    }
    for (const problem of await overflows(page, widths)) problems.push(`${step} (${size}): ${problem}`)
    if ((await page.locator('html').getAttribute('lang')) === 'de')
      for (const phrase of englishIn(await page.content())) problems.push(`${step} (${size}): "${phrase}"`)
  }
}

// What depends on the width, the colours and the language of a page.
const byLayout = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'html-lang-valid']

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What axe-core finds of WCAG 2.2 AA, however slight. */
export async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.addScriptTag({ path: axeFile })
  const runOnly = rules === null ? { type: 'tag', values: tags } : { type: 'rule', values: rules }
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly, preload: false })
  const { violations: found } = await page.evaluate<AxeResults>(`axe.run(${options})`)
  return found.map(({ id, nodes }) => {
    const where = nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary ?? ''}`)
    return `${id}: ${where.join('; ')}`
  })
}

/** The widths at which the page can be pushed sideways, with what sticks out. */
async function overflows(page: Page, widths: readonly number[]): Promise<string[]> {
  const before = page.viewportSize()
  const problems: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: before?.height ?? 800 })
    const wide = await page.evaluate<string[] | null>(sticking)
    if (wide !== null) problems.push(`wider than ${width} px: ${wide.join(', ')}`)
  }
  if (before !== null) await page.setViewportSize(before)
  return problems
}

// Runs in the page.
const sticking = `(() => {
  if (document.documentElement.scrollWidth <= window.innerWidth) return null
  return [...document.body.querySelectorAll('*')]
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect()
      return right > window.innerWidth + 0.5 || (document.dir === 'rtl' && left < -0.5)
    })
    .map(({ tagName, className }) => tagName.toLowerCase() + '.' + className)
    .slice(0, 5)
})()`

const tile = { width: 260, height: 340, label: 26 }

/**
 * Puts the tops of all pictures of a folder on one sheet, each with its name, and beside each the picture of the same page
 * in `before`. Returns how many there are. A page without an earlier picture has an empty half.
 */
export async function contactSheet(folder: string, file: string, before: string | null): Promise<number> {
  const { default: sharp } = await import('sharp')
  const pngs = async (path: string) =>
    (await readdir(path)).filter((name) => name.endsWith('.png')).sort((a, b) => a.localeCompare(b))
  const names = await pngs(folder)
  if (names.length === 0) return 0
  const earlier = new Map(
    before === null ? [] : (await pngs(before)).map((name) => [name, join(before, name)] as const),
  )
  const width = before === null ? tile.width : 2 * tile.width + 6
  // As wide as high: a picture of this kind has at most 16383 pixels each way.
  const columns = Math.max(1, Math.round(Math.sqrt((names.length * tile.height) / width)))
  const step = { x: width + 18, y: tile.height + tile.label + 12 }
  const topOf = (path: string) =>
    sharp(path)
      .resize({ width: tile.width, height: tile.height, fit: 'cover', position: 'top' })
      .png()
      .toBuffer()
  const tiles = []
  for (const [n, name] of names.entries()) {
    const at = { left: (n % columns) * step.x, top: Math.floor(n / columns) * step.y }
    const past = earlier.get(name)
    const isNew = before !== null && past === undefined
    const text = name.replace('.png', '').replace(/[^\w-]/g, '') + (isNew ? ' (no picture before)' : '')
    const label = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${tile.label}"><text x="0" y="17" font-family="sans-serif" font-size="12">${text}</text></svg>`,
    )
    if (past !== undefined) tiles.push({ input: await topOf(past), left: at.left, top: at.top })
    tiles.push(
      { input: await topOf(join(folder, name)), left: at.left + width - tile.width, top: at.top },
      { input: label, left: at.left, top: at.top + tile.height },
    )
  }
  const size = { width: columns * step.x, height: Math.ceil(names.length / columns) * step.y }
  await sharp({ create: { width: size.width, height: size.height, channels: 3, background: '#ffffff' } })
    .composite(tiles)
    .webp({ quality: 70 })
    .toFile(file)
  return names.length
}
