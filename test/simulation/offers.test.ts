import test from 'ava'
import { thorough } from '../support/parts.ts'
import { liveWithOffers, offerSellers } from './offers.ts'

// `npm run simulate -- --offers --seed random --steps 200` lets them live for longer.
for (const seller of offerSellers) {
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
}
