import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { blocksIn } from '../../scripts/walks/blocks.ts'
import { addCustomer, openCheckout, payCheckout, saleOf, type World } from '../../src/fakes/engine/index.ts'
import { createFakeStripe } from '../../src/fakes/stripe/index.ts'
import { createMembership } from '../../src/index.ts'
import { runCommand } from '../support/command.ts'
import { createMailbox } from '../support/visitor.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/an-account-that-already-sells.md'), 'utf8')
const [config, printed] = blocksIn('docs/an-account-that-already-sells.md', page)

/** The commands of the page, in its order. */
const commands = [...page.matchAll(/`npx membership ([^`]+)`/g)].map(([, words = '']) => words)

type Fake = Awaited<ReturnType<typeof createFakeStripe>>

/** The account of the page, before the site came: what the plans name, and three products of other apps. */
async function openAccount(): Promise<Fake> {
  const fake = await createFakeStripe({ start: new Date() })
  for (const [id, product, interval] of [
    ['price_pro_monthly', 'prod_pro', 'month'],
    ['price_pro_yearly', 'prod_pro', 'year'],
    ['price_pro_2019', 'prod_pro', 'month'],
    ['price_app', 'prod_app', 'month'],
    ['price_club', 'prod_club', 'month'],
    ['price_tool', 'prod_tool', 'month'],
  ] as const)
    fake.addPrice({ id, product, unit_amount: 900, currency: 'eur', recurring: { interval } })
  fake.addPrice({ id: 'price_workshop', product: 'prod_workshop', unit_amount: 5000, currency: 'eur' })
  return fake
}

const buyers: readonly (readonly [email: string, price: string])[] = [
  ['ann@example.com', 'price_pro_monthly'],
  ['bob@example.com', 'price_pro_yearly'],
  ['cal@example.com', 'price_pro_2019'],
  ['dan@example.com', 'price_workshop'],
  ...Array.from({ length: 9 }, (_, n) => [`app${n}@example.com`, 'price_app'] as const),
  ...Array.from({ length: 2 }, (_, n) => [`club${n}@example.com`, 'price_club'] as const),
  ['tool@example.com', 'price_tool'],
]

/** Sells by a payment link; returns the subscription or the payment. */
function sell(world: World, email: string, price: string): string {
  const { id: customer } = addCustomer(world, { email })
  const page = openCheckout(world, saleOf(world.store.get('price', price), { customer }))
  const { checkout } = payCheckout(world, page.id, {})
  return checkout.subscription ?? checkout.payment ?? ''
}

function openFolder(t: { teardown(end: () => void): void }): string {
  const folder = mkdtempSync(join(root, '.guides-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'data'))
  return folder
}

/** Writes the file as printed, with this account's keys and its address. */
function writeConfig(folder: string, fake: Fake, more = ''): void {
  const text = config!.code
    .replace(/^import type .*\n/m, '')
    .replace(' satisfies MembershipOptions', '')
    .replace("'sk_test_…'", `'${fake.secret}', api_base: '${fake.url}'${more}`)
    .replace('whsec_…', 'whsec_guides')
    .replace('export default {', "export default { 'membership.url': 'https://example.com',")
  writeFileSync(join(folder, 'membership.config.mjs'), text)
}

test('the guide “An account that already sells” runs as printed', async (t) => {
  const fake = await openAccount()
  t.teardown(() => fake.close())
  await fake.act((world) => {
    for (const [email, price] of buyers) sell(world, email, price)
  })
  const folder = openFolder(t)
  writeConfig(folder, fake)
  const run = async (words: string) => {
    const ended = await runCommand(folder, words.split(' '))
    // 2 says that something differs.
    t.true([0, 2].includes(ended.code), `${words}: ${ended.stdout}${ended.stderr}`)
    return ended.stdout
  }
  const [look, compare, write, ...rest] = commands
  t.deepEqual(
    [look, compare, write, ...rest.slice(0, 3)],
    [
      'import --provider stripe',
      'compare --provider stripe',
      'import --provider stripe --write',
      'foreign list',
      'foreign remove --write',
      'foreign keep sub_123 --write',
    ],
  )
  const mailbox = createMailbox()
  const members = async () => {
    const m = await createMembership({
      'membership.url': 'https://example.com',
      'membership.provider.handler': 'stripe',
      'membership.database.url': `sqlite:${join(folder, 'data/membership.db')}`,
      'membership.providers.stripe': {
        secret: fake.secret,
        api_base: fake.url,
        webhook: 'whsec_guides',
        plans: { pro: { prices: ['price_pro_monthly', 'price_pro_yearly'], retired: ['price_pro_2019'] } },
        prices: ['price_workshop'],
      },
      root: false,
      install: false,
      log: () => {},
      now: fake.now,
      ...mailbox.options,
    } as never)
    const rows = await m.storage.read((db) => db.selectFrom('members').select('email').orderBy('email'))
    await m.runDueJobs()
    const open = (await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never)
    await m.close()
    return { emails: rows.map(({ email }) => email), mails: mailbox.sent.length, open }
  }
  const asPrinted = async (words: string) => {
    const stdout = await run(words)
    t.true(stdout.includes(printed!.code), `${words}: ${stdout}`)
  }
  await asPrinted(look!)
  // The site starts once, which makes its database.
  t.deepEqual((await members()).emails, [])
  await asPrinted(compare!)
  const calls = () => fake.requests().filter(({ method }) => method !== 'GET').length
  t.is(calls(), 0, 'looking changes nothing at the provider')
  await run(write!)
  const taken = await members()
  t.deepEqual(taken, {
    emails: ['ann@example.com', 'bob@example.com', 'cal@example.com', 'dan@example.com'],
    mails: 0,
    open: true,
  })
  await run(write!)
  t.deepEqual(await members(), taken, 'a second import changes nothing')
  t.is(calls(), 0, 'an import changes nothing at the provider')
})

test('after an upgrade, the page’s commands list, keep and give back what other shops sold', async (t) => {
  const fake = await openAccount()
  t.teardown(() => fake.close())
  const folder = openFolder(t)
  // The earlier version took in every purchase.
  const m = await createMembership({
    'membership.url': 'https://example.com',
    'membership.provider.handler': 'stripe',
    'membership.database.url': `sqlite:${join(folder, 'data/membership.db')}`,
    'membership.providers.stripe': {
      secret: fake.secret,
      api_base: fake.url,
      webhook: 'whsec_guides',
      accepts: 'everything',
    },
    root: false,
    install: false,
    log: () => {},
    now: fake.now,
  } as never)
  fake.sendTo({
    url: 'https://example.com/membership/webhooks/stripe',
    secret: 'whsec_guides',
    fetch: m.fetch,
  })
  const ids = new Map<string, string>()
  await fake.act((world) => {
    for (const [email, price] of buyers.filter(([email]) => /^(ann|app0|tool)@/.test(email)))
      ids.set(email, sell(world, email, price))
  })
  await fake.deliver({ settle: true })
  await m.runDueJobs()
  t.is((await m.users.findByEmail('tool@example.com'))?.subscriptions().length, 1)
  await m.close()
  writeConfig(folder, fake)
  const run = async (words: string) => {
    const named = words.replace('sub_123', ids.get('app0@example.com')!)
    const ended = await runCommand(folder, named.split(' '))
    t.is(ended.code, 0, `${named}: ${ended.stdout}${ended.stderr}`)
    return ended.stdout
  }
  const calls = () => fake.requests().filter(({ method }) => method !== 'GET').length
  const before = calls()
  const [list = '', remove = '', keep = ''] = commands.slice(3)
  t.regex(await run(list), /2 purchases of yours, 4 of other shops, 0 unclear/)
  t.regex(await run(keep), /4 purchases of yours, 2 of other shops, 0 unclear/)
  t.regex(await run(remove), /2 of other shops, removed/)
  t.regex(await run(list), /4 purchases of yours, 0 of other shops, 0 unclear/)
  t.is(calls(), before, 'removing cancels nothing at a provider')
})
