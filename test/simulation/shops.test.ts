import test from 'ava'
import { settings } from '../support/converge.ts'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { sellers } from './sellers.ts'
import { playMixedIntervals, playShopCases, playShopImport } from './shops/cases.ts'
import { playShopOrders } from './shops/orders.ts'
import { simulateShops } from './shops/year.ts'

test.serial(
  'this site’s part of a subscription with two intervals is open while its own time is paid',
  async (t) => {
    const databases = await sqliteDatabases()
    const seller = sellers.find(({ key }) => key === 'stripe')!
    try {
      t.deepEqual(await playMixedIntervals({ seller, database: await databases.url() }), [])
    } finally {
      await databases.close()
    }
  },
)

// Creem lists payments without their product.
for (const key of ['stripe', 'creem'])
  test.serial(`an import counts each payment for what this site sold at ${key}`, async (t) => {
    const databases = await sqliteDatabases()
    const seller = sellers.find((each) => each.key === key)!
    try {
      t.deepEqual(await playShopImport({ seller, database: await databases.url() }), [])
    } finally {
      await databases.close()
    }
  })

// Providers that tell of one purchase in many messages, in one, and by what to fetch.
for (const key of ['stripe', 'creem', 'mollie'])
  thorough(test).serial(
    `postgres: any order, repetition and split of the messages of ${key} leaves the same rows`,
    async (t) => {
      const databases = await postgresDatabases()
      const seller = sellers.find((each) => each.key === key)!
      const { numRuns: ways = 1, seed = Math.random() } = settings(2)
      try {
        const database = () => databases.url()
        t.deepEqual(await playShopOrders({ seller, seed: String(seed), ways, database }), [])
      } finally {
        await databases.close()
      }
    },
  )

// `npm run simulate -- --shops --seed random` plays a year of 2,000 customers at each provider.
for (const seller of sellers) {
  // The providers at which each reason alone decides something.
  const isFirst = seller.key === 'stripe' || seller.key === 'creem'
  const declareCases = isFirst ? test : thorough(test)
  declareCases.serial(`each reason of “is it ours?” decides as it says at ${seller.key}`, async (t) => {
    const databases = await sqliteDatabases()
    try {
      t.deepEqual(await playShopCases({ seller, database: await databases.url() }), [])
    } finally {
      await databases.close()
    }
  })
  test.serial(
    `any order, repetition and split of the messages of ${seller.key} leaves the same rows`,
    async (t) => {
      const databases = await sqliteDatabases()
      const { numRuns: ways = 1, seed = Math.random() } = settings(4)
      try {
        const database = () => databases.url()
        t.deepEqual(await playShopOrders({ seller, seed: String(seed), ways, database }), [])
      } finally {
        await databases.close()
      }
    },
  )
  const declare = seller.key === 'stripe' ? test : thorough(test)
  declare.serial(
    `other shops of an account at ${seller.key} make nothing here, and nothing changes them`,
    async (t) => {
      const databases = await sqliteDatabases()
      try {
        const size = { seed: '1', customers: 24, months: 1, database: await databases.url() }
        const { broken, counts } = await simulateShops({ ...size, seller })
        t.deepEqual(broken, [])
        t.true((counts.get('customers foreign') ?? 0) > 3)
        t.true((counts.get('paid and open') ?? 0) > 0)
      } finally {
        await databases.close()
      }
    },
  )
}
