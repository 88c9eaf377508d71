import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { allBlocks, unwalked } from '../../scripts/walks/blocks.ts'
import { createFakeRevenueCat } from '../../src/fakes/revenuecat/index.ts'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { sellers } from '../simulation/sellers.ts'
import { runCommand } from '../support/command.ts'

const root = join(import.meta.dirname, '../..')
const secretOfSite = 'secret_of_the_site_of_these_pages'

/** The settings as a page shows them, and the ids of the prices at each provider. */
function configurationOf(page: string) {
  const [, text = ''] = /^export default (\{[\s\S]*?^\}) satisfies MembershipOptions$/m.exec(page) ?? []
  const options = new Function('env', `return ${text}`)((name: string) => name) as MembershipOptions
  const keys = Object.keys(options).flatMap((name) => /^membership\.providers\.(\w+)$/.exec(name)?.[1] ?? [])
  const { pro } = options['membership.plans'] as {
    pro: { prices: Prices | Readonly<Record<string, Prices>> }
  }
  const pricesOf = (key: string) => {
    const prices = Array.isArray(pro.prices) ? pro.prices : (pro.prices as Record<string, Prices>)[key]!
    return (prices as Prices).map((price) => (typeof price === 'string' ? price : price.id))
  }
  return { options, keys, pricesOf }
}
type Prices = readonly (string | { readonly id: string })[]

/** The provider's side, and what a site sets for it besides what its page shows. */
async function openSide(t: ExecutionContext, key: string, prices: readonly string[]) {
  if (key === 'revenuecat') {
    const fake = await createFakeRevenueCat({ now: () => new Date() })
    t.teardown(() => fake.close())
    return { secret: fake.secret, project: fake.project, webhook: fake.signingSecret, api_base: fake.base }
  }
  const seller = sellers.find((item) => item.key === key)
  // The commands on the other stores' pages ask no store.
  if (seller === undefined) return {}
  const fake = await seller.open({ start: new Date(), running: true })
  t.teardown(() => fake.close())
  for (const id of prices)
    fake.addPrice({ id, unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const api_base = `${fake.url}${seller.apiPath ?? ''}`
  return { secret: fake.secret, webhook: seller.webhook, api_base, ...seller.settings?.(fake) }
}

/** A site as the page configures it, against the fake servers of its providers: its folder, and where it listens. */
async function openSite(t: ExecutionContext, page: string) {
  const { options, keys, pricesOf } = configurationOf(page)
  const folder = mkdtempSync(join(root, '.guides-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'data'))
  const sides = keys.map(async (key) => {
    const name = `membership.providers.${key}` as 'membership.providers.paddle'
    const printed = options[name] ?? {}
    const side = await openSide(t, key, pricesOf(key))
    return [name, { ...printed, ...side, ...('livemode' in printed ? { livemode: false } : {}) }] as const
  })
  const settings = {
    ...options,
    ...Object.fromEntries(await Promise.all(sides)),
    'membership.url': 'https://example.com',
    'membership.secret': secretOfSite,
    'membership.database.url': `sqlite:${join(folder, 'data/site.db')}`,
  } as MembershipOptions
  writeFileSync(join(folder, 'membership.config.mjs'), `export default ${JSON.stringify(settings)}`)
  const m = await createMembership({ ...settings, root: false, install: false, log: () => {} })
  const server = createServer(m.listener()).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  return { folder, site: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Pages whose commands run on the site of another page. */
const configuredBy: Readonly<Record<string, string>> = {
  'docs/importing.md': 'docs/providers/stripe.md',
  'docs/switching.md': 'docs/providers/README.md',
}

const listed = unwalked.find((item) => item.test === 'test/docs/providers.test.ts')?.blocks ?? []
const blocks = allBlocks().filter(
  ({ page, language, code }) => language === 'sh' && listed.includes(`${page}: ${code.split('\n')[0]}`),
)

test('each block of the providers’ pages that is listed here stands on its page', (t) => {
  t.true(listed.length >= 14)
  t.is(blocks.length, listed.length)
})

for (const { page, code } of blocks)
  test.serial(`the commands of ${page} run: ${code.split('\n').at(-2)}`, async (t) => {
    const read = (name: string) => readFileSync(join(root, name), 'utf8')
    const { folder, site } = await openSite(t, read(configuredBy[page] ?? page))
    const csv = /^```csv\n([\s\S]*?)^```$/m.exec(read(page))?.[1]
    if (csv !== undefined) writeFileSync(join(folder, 'prices.csv'), csv)
    const commands = code.split('\n').filter((line) => line.startsWith('npx membership '))
    t.true(commands.length > 0)
    for (const line of commands) {
      // With --follow it goes on until somebody stops it.
      const [typed = ''] = line.replace(' --follow', '').replace('https://your.site', site).split(' #')
      const words = typed.trim().split(' ').slice(2)
      const { code: exit, stdout, stderr } = await runCommand(folder, words)
      // 2 says that something was found: a shop without mails, for example.
      t.true(exit === 0 || (exit === 2 && words[0] === 'doctor'), `${line}: ${exit}\n${stdout}\n${stderr}`)
    }
  })
