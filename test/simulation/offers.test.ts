import test from 'ava'
import { thorough } from '../support/parts.ts'
import { liveWithOffers } from './offers.ts'
import { sellers } from './sellers.ts'
import { liveWithTerms } from './terms.ts'

// `npm run simulate -- --offers --seed random --steps 200` lets them live for longer.
for (const seller of sellers) {
  const isUsual = seller.key === 'stripe' || seller.key === 'mollie'
  const declare = isUsual ? test : thorough(test)
  declare(
    `${seller.key}: members use features and limits, give gifts and share a team within the laws`,
    async (t) => {
      const { broken, counts } = await liveWithOffers(seller, '3', 40)
      t.deepEqual(broken, [])
      t.true(counts.size > 5, JSON.stringify([...counts]))
    },
  )
  declare(
    `${seller.key}: members read behind a wall, wait for lessons, choose amounts, are raised and buy in a sale`,
    async (t) => {
      const { broken, counts } = await liveWithTerms(seller, '3', 40)
      t.deepEqual(broken, [])
      t.true(counts.size > 8, JSON.stringify([...counts]))
    },
  )
}
