import test from 'ava'
import { sqliteDatabases } from '../support/databases.ts'
import { lineOf } from './figures.ts'
import { happenings, simulateLostHours, spreadOf } from './lost-hours.ts'
import { simulateMalice } from './malice/malice.ts'
import { simulateMoney } from './money-year.ts'
import { sellers } from './sellers.ts'

// `npm run simulate -- --money` is a whole year of 40.
test.serial(
  'the office’s revenue, counts, churn and recovery match the books of two providers',
  async (t) => {
    const database = await sqliteDatabases()
    try {
      const { broken, lines, figures } = await simulateMoney({
        seed: '1',
        members: 8,
        months: 3,
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
