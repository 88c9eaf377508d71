import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { filesOfKind } from '../../scripts/prose/measure.ts'
import { unwalked } from '../../scripts/walks/blocks.ts'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { runCommand } from '../support/command.ts'

const root = join(import.meta.dirname, '../..')

/** A folder of a site that sells through Stripe's fake, with Ann, who bought, and two other accounts. */
async function openSite(folder: string) {
  const fake = await createFakeStripe({ start: new Date(), running: true })
  fake.addPrice({ id: 'price_pro', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const options: MembershipOptions = {
    'membership.url': 'https://example.com',
    'membership.database.url': `sqlite:${join(folder, 'data/site.db')}`,
    'membership.provider.handler': 'stripe',
    'membership.plans': {
      pro: { name: 'Pro', prices: ['price_pro'], limits: { exports: { amount: 100, every: 'month' } } },
    },
    'membership.providers.stripe': { secret: fake.secret, api_base: fake.url, webhook: 'whsec_guides' },
  }
  mkdirSync(join(folder, 'data'), { recursive: true })
  writeFileSync(join(folder, 'membership.config.mjs'), `export default ${JSON.stringify(options)}`)
  const m = await createMembership({ ...options, root: false, install: false, now: fake.now, log: () => {} })
  fake.sendTo({
    url: 'https://example.com/membership/webhooks/stripe',
    secret: 'whsec_guides',
    fetch: m.fetch,
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.create({ email: 'ann.old@example.com', verified: true })
  const mistyped = await m.users.create({ email: 'bob@exmaple.com' })
  const { url } = await m.checkout.start({ user: ann, price: 'price_pro' })
  await fake.pay(url)
  await fake.deliver()
  const buyer = await m.users.findById(ann.id)
  await m.close()
  return {
    fake,
    // The names that the pages make up, and those of this site.
    names: new Map([
      ['pi_123', buyer?.payments()[0]?.id ?? 'no payment'],
      ['sub_1', buyer?.subscriptions()[0]?.id ?? 'no subscription'],
      ['0f3k2', mistyped.id],
    ]),
  }
}

/** The commands of a block, without comments and redirections. */
function commandsOf(block: string): string[][] {
  return block.split('\n').flatMap((line) => {
    const [, command] = /^npx membership ([^>#]*)/.exec(line) ?? []
    const words = command?.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', ''))
    return words ? [words] : []
  })
}

const list = unwalked.find((item) => item.test === 'test/docs/guides.test.ts')

test('each command of the guides that is listed here stands on its page', async (t) => {
  t.true((list?.blocks.length ?? 0) > 10)
  const guides = filesOfKind(root, 'guide')
  for (const name of list?.blocks ?? []) {
    const [file = '', line = ''] = name.split(/: (.*)/)
    t.true(guides.includes(file), file)
    t.true((await readFile(join(root, file), 'utf8')).includes(`\n${line}\n`), name)
  }
})

for (const name of list?.blocks ?? [])
  test.serial(`the commands run: ${name}`, async (t) => {
    const [file = '', line = ''] = name.split(/: (.*)/)
    const page = await readFile(join(root, file), 'utf8')
    const [, block = ''] =
      [...page.matchAll(/^```sh(?: no-run)?\n([\s\S]*?)^```$/gm)].find(([, code = '']) =>
        code.startsWith(`${line}\n`),
      ) ?? []
    const folder = mkdtempSync(join(root, '.guides-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const { fake, names } = await openSite(folder)
    t.teardown(() => fake.close())
    const commands = commandsOf(block)
    t.true(commands.length > 0)
    // A file that a command reads stands on the page, too.
    const csv = /^```csv\n([\s\S]*?)^```$/m.exec(page)?.[1]
    for (const name of commands.flat().filter((word) => word.endsWith('.csv')))
      if (csv !== undefined) writeFileSync(join(folder, name), csv)
    // The page shows the merge in the block above.
    const merge = ['members', 'merge', 'ann@example.com', 'ann.old@example.com', '--write']
    if (commands[0]?.[1] === 'unmerge') t.is((await runCommand(folder, merge)).code, 0)
    for (const words of commands) {
      const { code, stdout, stderr } = await runCommand(
        folder,
        words.map((word) => names.get(word) ?? word),
      )
      // 2 says that something was found: a shop without mails, for example.
      const isFine = code === 0 || (code === 2 && ['doctor', 'compare'].includes(words[0] ?? ''))
      t.true(isFine, `${words.join(' ')}: ${code}\n${stdout}\n${stderr}`)
      // Nobody has deleted an account here, so that list is empty.
      if (words[1] !== 'deleted') t.not(stdout.trim(), '', words.join(' '))
    }
  })
