import test from 'ava'
import { addCustomer } from '../../../src/fakes/engine/index.ts'
import { sellers } from '../../simulation/sellers.ts'
import { buyByLink } from '../../simulation/shops/cases.ts'
import { openSite } from '../../simulation/shops/year.ts'
import { sqliteDatabases } from '../../support/databases.ts'

// Only the address tells who bought there, and an account may have customers without one.
test('a customer without an address is asked for once, and not again with each answer', async (t) => {
  const databases = await sqliteDatabases()
  const seller = sellers.find(({ key }) => key === 'lemonsqueezy')!
  const opened = await openSite({ seller, database: await databases.url(), seed: 'nameless', chaos: {} })
  t.teardown(async () => {
    await opened.close()
    await databases.close()
  })
  const { fake } = opened
  const customer = await fake.act((world) => {
    const { id } = addCustomer(world, { email: null })
    buyByLink(world, { seller, customer: id, words: ['month'] })
    return id
  })
  await opened.begin()
  await opened.m.operator.import({ provider: seller.key as 'stripe', write: true })
  const asked = () => fake.requests().filter(({ path }) => path === `/v1/customers/${customer}`).length
  const isOver = Promise.race([
    opened.m.runDueJobs().then(() => true),
    new Promise<false>((resolve) => setTimeout(resolve, 5000, false)),
  ])
  t.true(await isOver, `asked for ${asked()} times, and the jobs go on`)
  const known = asked()
  t.is(known, 1)
  await opened.m.runDueJobs()
  t.is(asked(), known)
})
