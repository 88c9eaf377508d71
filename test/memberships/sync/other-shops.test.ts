import test from 'ava'
import { otherLines } from '../../../src/cli/others.ts'
import { loadConfig } from '../../../src/core/config/index.ts'
import { checkPurchases } from '../../../src/site/doctor/purchases.ts'
import { definitions } from '../../../src/testkit/definitions.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, buyByLink } from '../../support/visitor.ts'

test('comparing and importing list what other shops of the account sell, with the words to add', async (t) => {
  const plans = { pro: { prices: ['price_month'] } }
  const opened = await openStripeSite(t, { 'membership.providers.stripe.plans': plans })
  const { m, fake, another } = opened
  for (const [id, unit_amount] of [
    ['price_app', 300],
    ['price_app_year', 3000],
  ] as const)
    fake.addPrice({
      id,
      product: 'prod_app',
      unit_amount,
      currency: 'eur',
      recurring: { interval: 'month' },
    } as never)
  const own = await buy(opened, 'ann@example.com')
  await buyByLink(opened, { email: 'app1@example.com', price: 'price_app' })
  await buyByLink(opened, { email: 'app2@example.com', price: 'price_app_year' })
  await buyByLink(opened, { email: 'team@example.com', price: 'price_team' })
  await fake.deliver()
  await m.runDueJobs()
  t.is(await m.users.findByEmail('app1@example.com'), null)

  const compared = await m.operator.compare({ provider: 'stripe' })
  t.deepEqual(compared.differences, [], 'what other shops sold is no difference')
  const of = (product: string) => compared.others.find((other) => other.product === product)
  t.is(
    compared.others.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
    3,
  )
  t.like(of('prod_app'), {
    prices: ['price_app', 'price_app_year'],
    subscriptions: 2,
    reason: 'price_of_no_plan',
  })
  const lines = otherLines(compared.others).join('\n')
  t.regex(lines, /3 subscriptions of 2 products that this site did not sell/)
  t.regex(
    lines,
    /prod_app: 2 subscriptions\. Yours\? membership\.plans\.\{plan\}\.prices: \{ stripe: \['price_app', 'price_app_year'\] \}/,
  )

  // An empty database: the plan of an import says the same before it writes, and a second import brings nothing.
  const { m: empty } = await another({ 'membership.database.url': 'sqlite::memory:' })
  const planned = await empty.operator.import({ provider: 'stripe' })
  t.deepEqual(planned.others, compared.others)
  t.is(await empty.users.findByEmail('ann@example.com'), null)
  const written = await empty.operator.import({ provider: 'stripe', write: true })
  t.deepEqual(written.others, compared.others)
  const ann = (await empty.users.findByEmail('ann@example.com'))!
  t.is(ann.subscriptions()[0]?.id, own.id)
  t.is(await empty.users.findByEmail('app1@example.com'), null)
  const again = await empty.operator.import({ provider: 'stripe', write: true })
  t.is(again.brought.subscriptions, 0)

  // The words are added: what was foreign is this site's, and nothing is foreign any more.
  const { m: all } = await another({
    'membership.providers.stripe.plans': {
      pro: { prices: ['price_month', 'price_team', 'price_app', 'price_app_year'] },
    },
  })
  t.deepEqual((await all.operator.compare({ provider: 'stripe' })).others, [])
})

test('a gate of a price that nothing names is logged once, listed by the doctor, and counted by a comparison', async (t) => {
  const lines: string[] = []
  const settings = { 'membership.providers.stripe.plans': { pro: { prices: ['price_month'] } } }
  const opened = await openStripeSite(t, { ...settings, log: (line: string) => lines.push(line) })
  const { m, fake } = opened
  const { config } = await loadConfig({ root: false, env: {}, definitions, options: settings })
  const unnamed = async (now = fake.now()) =>
    (await checkPurchases(m.storage, { config, now, cancelsEarly: [] })).filter(
      ({ name }) => name === 'unnamed-gates',
    )
  await buy(opened, 'ann@example.com')
  await buyByLink(opened, { email: 'team@example.com', price: 'price_team' })
  await fake.deliver()
  await m.runDueJobs()
  const ann = (await m.users.findByEmail('ann@example.com'))!
  t.deepEqual(await unnamed(), [])
  for (const gate of ['price_team', 'price_team', 'price_of_nobody', 'pro'])
    t.is(ann.hasGate(gate as never), gate === 'pro')
  t.false((await m.users.findById(ann.id))!.hasGate('price_team' as never))
  t.is(lines.filter((line) => line.includes('is called "price_team"')).length, 1)

  // The page did not wait for the note.
  await m.runDueJobs()
  const [found] = await unnamed()
  t.regex(found!.what, /ask for 2 gates .*: price_team, price_of_nobody\./)
  const compared = await m.operator.compare({ provider: 'stripe' })
  t.deepEqual(
    compared.others.map(({ asked }) => asked),
    [{ price_team: 1 }],
  )
  t.regex(
    otherLines(compared.others).join('\n'),
    /A page asks for the gate 'price_team', which no plan names: 1 subscription of these has it\./,
  )

  const later = new Date(fake.now().getTime() + 32 * 86_400_000)
  t.deepEqual(await unnamed(later), [], 'nobody asked for a month')
})
