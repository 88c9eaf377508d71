import test from 'ava'
import { definitions } from '../../src/testkit/definitions.ts'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { lineOf } from './figures.ts'
import { happenings, simulateLostHours, spreadOf } from './lost-hours.ts'
import { simulateMalice } from './malice/malice.ts'
import { simulateMoney } from './money-year.ts'
import { sellers } from './sellers.ts'
import { simulate } from './simulate.ts'
import { simulateYear } from './year.ts'

// `npm run simulate` draws another year each time, of 300 members.
const runs = [
  { test, databases: sqliteDatabases, seed: '2026', members: 12, months: 3 },
  { test: thorough(test), databases: sqliteDatabases, seed: '2026', members: 20, months: 4 },
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
for (const seller of sellers.filter(({ key }) => key !== 'stripe'))
  (seller.key === 'paypal' ? test : thorough(test)).serial(
    `6 members for 3 months: ${seller.key}`,
    async (t) => {
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
      } finally {
        await database.close()
      }
    },
  )

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

// `npm run simulate -- --money` is a whole year of 40.
test.serial(
  'the office’s revenue, counts, churn and recovery match the books of two providers',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      const { broken, lines, figures } = await simulateMoney({
        ...{ seed: '1', members: 8, months: 3 },
        database: await database.url(),
      })
      t.log(lineOf(figures.actions))
      t.deepEqual(broken, [])
      for (const kind of ['received', 'refunded', 'recurring'])
        for (const currency of ['EUR', 'USD'])
          t.true(
            lines.some((line) => line.startsWith(kind) && line.includes(currency)),
            `${kind} ${currency}`,
          )
      t.true(lines.some((line) => line.startsWith('recovered')))
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

test.serial(
  'members who try to have the most for the least get nothing unpaid, and pay nothing twice',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      const { broken, table, figures, seconds } = await simulateMalice({
        seed: '2026',
        rogues: 6,
        days: 40,
        database: await database.url(),
      })
      t.log(`${seconds.toFixed(0)} s; ${lineOf(figures.world)}`)
      for (const line of table) t.log(line)
      t.deepEqual(broken, [])
      t.true((figures.actions.get('pay 303') ?? 0) > 5)
    } finally {
      await database.close()
    }
  },
)

test.serial(
  'an hour without deliveries: purchases are known within five minutes, and all access is right at the end',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      const seller = sellers.find(({ key }) => key === 'stripe')!
      const { late, broken } = await simulateLostHours({
        seller,
        seed: '2026',
        members: 6,
        hours: 1,
        database: await database.url(),
      })
      for (const what of happenings) t.log(`${what}: ${spreadOf(late[what])}`)
      t.deepEqual(broken, [])
      t.true(late.purchase.length >= 3)
      t.true(Math.max(...late.purchase) <= 300)
    } finally {
      await database.close()
    }
  },
)
