/**
 * Opens the built documentation as a visitor does, and holds its limits: the landing page takes at most 350
 * kB in 10 requests, any other page 500 kB, the search finds guides first, and no text of the diagram is cut.
 * `npm run docs:weight`.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'

const folder = join(import.meta.dirname, '../.docs')
const [mostBytes, mostRequests, mostOfPage] = [350_000, 10, 500_000]
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

const kinds = JSON.parse(
  readFileSync(join(import.meta.dirname, '../docs/.vitepress/sidebar.json'), 'utf8'),
) as {
  kind: string
  pages: Record<string, string>
}[]
const guides = kinds
  .filter(({ kind }) => kind === 'guide')
  .flatMap(({ pages }) => Object.values(pages).map((page) => `/${page}`))

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://x')
  const path = normalize(join(folder, decodeURIComponent(pathname)))
  const file = [path, `${path}.html`, join(path, 'index.html')].find(
    (name) => name.startsWith(folder) && existsSync(name) && statSync(name).isFile(),
  )
  if (file === undefined) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
  createReadStream(file).pipe(response)
}).listen(0, '127.0.0.1')
await new Promise((ready) => server.once('listening', ready))
const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const wrong: string[] = []
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.name.endsWith('.html') && statSync(file).size > mostOfPage)
    wrong.push(`${file} weighs ${statSync(file).size} bytes, at most ${mostOfPage}.`)
}
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const loaded: { path: string; bytes: number }[] = []
  page.on('requestfinished', async (request) => {
    const { responseBodySize } = await request.sizes()
    loaded.push({ path: new URL(request.url()).pathname, bytes: responseBodySize })
  })
  await page.goto(site, { waitUntil: 'networkidle' })
  // The whole page, so that pictures that load when they are seen count, too.
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.waitForLoadState('networkidle')
  const bytes = loaded.reduce((sum, item) => sum + item.bytes, 0)
  for (const item of loaded) console.log(`${String(item.bytes).padStart(8)}  ${item.path}`)
  console.log(`${loaded.length} requests, ${(bytes / 1000).toFixed(0)} kB without compression`)
  if (bytes > mostBytes) wrong.push(`The landing page takes ${bytes} bytes, at most ${mostBytes}.`)
  if (loaded.length > mostRequests)
    wrong.push(`The landing page takes ${loaded.length} requests, at most ${mostRequests}.`)

  for (const words of ['gate', 'refund', 'checkout', 'webhook', 'createMembership']) {
    await page.goto(site, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill(words)
    await page.locator('#localsearch-list li a').first().waitFor()
    const first = (await page.locator('#localsearch-list li a').first().getAttribute('href')) ?? ''
    console.log(`search for ${words}: ${first}`)
    if (!guides.includes(first.replace(/#.*/, '')))
      wrong.push(`The search for "${words}" begins with ${first}, which is no guide.`)
  }

  await page.goto(`${site}/any-order`)
  const source = await page.locator('img[alt^="Two servers"]').getAttribute('src')
  await page.goto(new URL(source ?? '', site).href)
  const cut = (await page.evaluate(`[...document.querySelectorAll('text')]
    .filter((text) => {
      const { x, y, width, height } = text.getBBox()
      const box = document.documentElement.viewBox.baseVal
      return x < box.x || y < box.y || x + width > box.x + box.width || y + height > box.y + box.height
    })
    .map((text) => text.textContent)`)) as string[]
  for (const text of cut) wrong.push(`The diagram cuts "${text}".`)
} finally {
  await browser.close()
  server.closeAllConnections()
  server.close()
}
for (const line of wrong) console.error(line)
process.exitCode = wrong.length === 0 ? 0 : 1
