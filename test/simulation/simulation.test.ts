import test from 'ava'
import { definitions } from '../../src/testkit/definitions.ts'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { lineOf } from './figures.ts'
import { simulateLateMoney } from './late-money.ts'
import { sellers } from './sellers.ts'
import { simulate } from './simulate.ts'
import { simulateYear } from './year.ts'

// `npm run simulate` draws another year each time, of 300 members.
const runs = [
  { test, databases: sqliteDatabases, seed: '2026', members: 20, months: 4 },
  { test: thorough(test), databases: sqliteDatabases, seed: '2026', members: 100, months: 6 },
  { test: thorough(test), databases: postgresDatabases, seed: '2027', members: 15, months: 4 },
]

for (const { test, databases, ...size } of runs)
  test.serial(`${size.members} members for ${size.months} months: ${databases.name}`, async (t) => {
    const database = await databases()
    try {
      const { broken, figures, seconds } = await simulate({
        ...size,
        database: await database.url(),
        // Says that it is alive.
        progress: (line) => t.log(line),
      })
      t.log(`${seconds.toFixed(0)} s; ${lineOf(figures.world)}`)
      t.deepEqual(broken, [])
      // A simulation in which nothing happens proves nothing.
      for (const kind of ['pay', 'change', 'cancel', 'resume', 'open the link'])
        t.true((figures.actions.get(kind) ?? 0) > 0, kind)
      t.true((figures.world.get('dropped') ?? 0) > 10)
    } finally {
      await database.close()
    }
  })

// In which everything that is asked for below happens.
const seeds: Readonly<Record<string, string>> = { mollie: '1' }

// Stripe's year is above; what a provider cannot do is refused there, and nobody is wrongly in or out for it.
for (const [n, seller] of sellers.filter(({ key }) => key !== 'stripe').entries())
  (n % 3 === 0 ? test : thorough(test)).serial(`6 members for 3 months: ${seller.key}`, async (t) => {
    const database = await sqliteDatabases()
    try {
      const { broken, figures } = await simulateYear({
        seller,
        seed: seeds[seller.key] ?? '2028',
        members: 6,
        months: 3,
        database: await database.url(),
      })
      t.log(lineOf(figures.counts.actions), '|', lineOf(figures.counts.world))
      t.deepEqual(broken, [])
      for (const kind of ['pay', 'change', 'cancel'])
        t.true((figures.counts.actions.get(kind) ?? 0) > 0, kind)
      // Nobody pays after the end here.
      t.is(figures.counts.money.get('behind a note'), 0)
      t.true((figures.counts.money.get('behind an open gate') ?? 0) > 0)
    } finally {
      await database.close()
    }
  })

// Where payments state no period, late money pays for the one that begins with it.
const withoutPeriods = ['paypal', 'mollie']

for (const seller of sellers)
  test.serial(`money that comes late is noted for the operator, or opens: ${seller.key}`, async (t) => {
    const database = await sqliteDatabases()
    try {
      const { behind, broken } = await simulateLateMoney({ seller, database: await database.url() })
      t.deepEqual(broken, [])
      const opens = withoutPeriods.includes(seller.key)
      t.deepEqual([behind.get('a note'), behind.get('an open gate') ?? 0], opens ? [0, 1] : [1, 0])
    } finally {
      await database.close()
    }
  })

// `npm run simulate -- --provider stripe,paddle --months 24` is two years of more.
test.serial(
  'with two providers on one site nobody has wrong access, or pays for two memberships',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      const [seller, ...beside] = sellers.filter(({ key }) => key === 'stripe' || key === 'paddle')
      const { broken, figures } = await simulateYear({
        seller: seller!,
        beside,
        // In which members of one try to buy at the other, too.
        seed: '4',
        members: 6,
        months: 3,
        database: await database.url(),
      })
      t.log(lineOf(figures.counts.actions), '|', lineOf(figures.counts.world))
      t.deepEqual(broken, [])
      for (const kind of ['pay', 'change', 'cancel'])
        t.true((figures.counts.actions.get(kind) ?? 0) > 0, kind)
      t.true((figures.counts.refused.get('ERR_CHECKOUT_REFUSED') ?? 0) > 0)
    } finally {
      await database.close()
    }
  },
)

test('a member redirected to the site got no payment page', (t) => {
  for (const { key, checkoutIn } of sellers)
    for (const way of ['payment', 'subscribe'])
      t.is(checkoutIn(`http://127.0.0.1:4000/membership/${way}/0b7c9a1e-intent`), null, key)
})

test('every provider with a fake server has a simulated year', (t) => {
  const speaking = definitions.filter(({ fake, inProcess }) => fake !== undefined && !inProcess)
  t.deepEqual(sellers.map(({ key }) => key).sort(), speaking.map(({ key }) => key).sort())
})
