import test from 'ava'
import { everything, type Judgement, judge, judgeItem, type Shop } from '../../../src/core/access/index.ts'

const shop: Shop = {
  accepts: 'plans',
  prices: new Set(['price_pro', 'pro_key', 'price_old']),
  products: new Set(['prod_pro']),
  listed: new Map([
    ['price_pro', 'prod_pro'],
    ['price_other', 'prod_other'],
    ['price_unnamed', 'prod_pro'],
  ]),
  isOpen: true,
}
const closed: Shop = { ...shop, isOpen: false }

test('a price or a product that a plan names is accepted, and says which', (t) => {
  t.deepEqual(judge({ items: [{ price_id: 'price_pro' }] }, shop), {
    standing: 'accepted',
    reason: 'price_of_plan',
  })
  t.deepEqual(judge({ items: [{ price_id: 'price_unnamed' }] }, shop), {
    standing: 'accepted',
    reason: 'product_of_plan',
  })
})

test('one item of ours is enough, and the reason is the item that a plan names', (t) => {
  const items = [{ price_id: 'price_other' }, { price_id: 'price_unnamed' }, { price_id: 'price_old' }]
  t.deepEqual(judge({ items }, shop), { standing: 'accepted', reason: 'price_of_plan' })
})

test('a listed price of no plan is foreign; one that is not listed is unknown while a name may be its key', (t) => {
  t.is(judge({ items: [{ price_id: 'price_other' }] }, shop).reason, 'price_of_no_plan')
  t.deepEqual(judgeItem({ price_id: 'price_new' }, shop), { standing: 'unknown', reason: 'price_not_listed' })
  t.is(judgeItem({ price_id: 'price_new' }, closed).standing, 'foreign')
})

test('nothing is decided without a price, nor while items are missing', (t) => {
  t.deepEqual(judge({ items: [] }, shop), { standing: 'unknown', reason: 'no_price' })
  t.is(judge({ items: [{ price_id: 'price_other' }], isCut: true }, closed).standing, 'unknown')
})

const accepted: Judgement = { standing: 'accepted', reason: 'price_of_plan' }
const unknown: Judgement = { standing: 'unknown', reason: 'no_price' }
const foreign: Judgement = { standing: 'foreign', reason: 'price_of_no_plan' }

test('what it belongs to decides before its own prices', (t) => {
  const items = [{ price_id: 'price_other' }]
  t.is(judge({ items, parent: accepted }, shop).standing, 'accepted')
  t.is(judge({ items, parent: unknown }, shop).standing, 'unknown')
  t.is(judge({ items: [], parent: foreign }, shop).standing, 'foreign')
  t.is(judge({ items: [{ price_id: 'price_pro' }], parent: foreign }, shop).standing, 'accepted')
})

test('what another site of this package sold is foreign, although a plan names the same price', (t) => {
  const items = [{ price_id: 'price_pro' }]
  const site = { ...shop, sites: new Set(['abc123', 'old000']) }
  const other: Judgement = { standing: 'foreign', reason: 'other_site' }
  t.deepEqual(judge({ items, sites: ['other1'] }, site), other)
  t.is(judge({ items, sites: ['abc123'] }, site).standing, 'accepted')
  t.is(judge({ items, sites: ['old000'] }, site).standing, 'accepted')
  t.is(judge({ items, sites: ['abc123', 'other1'] }, site).standing, 'accepted')
  // A payment that names no site follows its subscription.
  t.deepEqual(judge({ items, parent: other }, site), other)
  t.is(judge({ items, sites: ['other1'], parent: accepted }, site).standing, 'accepted')
  t.is(judge({ items, sites: ['other1'], isOwnCheckout: true }, site).standing, 'accepted')
  // Without an id, and for a site whose ids do not count, the prices decide.
  t.is(judge({ items }, site).standing, 'accepted')
  t.is(judge({ items, sites: ['other1'] }, shop).standing, 'accepted')
  t.is(judge({ items, sites: ['other1'] }, everything).standing, 'accepted')
  // The id of this site is no proof: a buyer can write it at another shop’s checkout.
  t.is(judge({ items: [{ price_id: 'price_other' }], sites: ['abc123'] }, site).standing, 'foreign')
})

test('an own checkout, an assignment and an earlier acceptance count whatever was bought', (t) => {
  const items = [{ price_id: 'price_other' }]
  for (const more of [{ isOwnCheckout: true }, { isAssigned: true }, { wasAccepted: true }])
    t.is(judge({ items, parent: foreign, ...more }, shop).standing, 'accepted')
})

test('a site that accepts everything judges nothing', (t) => {
  t.is(judge({ items: [] }, everything).standing, 'accepted')
  t.is(judgeItem({ price_id: null }, everything).standing, 'accepted')
})
