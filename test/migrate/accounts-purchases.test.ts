import test from 'ava'
import { gateList, paidPrices } from '../../src/migrate/accounts/purchases.ts'

test('a payment opens the price that it names, in any notation', (t) => {
  const forms: unknown[] = [
    ['price_1'],
    [' price_1 '],
    [{ price_id: 'price_1' }],
    [{ id: 'pi_9', price: 'price_1', status: 'succeeded' }],
    [{ price: { id: 'price_1', product: 'prod_1' } }],
    { pi_9: { price: 'price_1' } },
    { price_1: '2023-04-02' },
    { price_1: 4900 },
    { price_1: 'paid' },
    ['price_1', 'price_1'],
  ]
  for (const form of forms)
    t.deepEqual(paidPrices(form), { prices: ['price_1'], unclear: 0 }, JSON.stringify(form))
})

test('unpaid or refunded purchases open nothing', (t) => {
  const forms: unknown[] = [
    [{ price: 'price_1', status: 'refunded' }],
    [{ price: 'price_1', status: 'Pending' }],
    [{ price: 'price_1', refunded: true }],
    [{ price: 'price_1', paid: false }],
    [{ price: 'price_1', status: 'a word of tomorrow' }],
    { price_1: false },
    { price_1: 'refunded' },
    [],
    null,
    undefined,
    'price_1',
  ]
  for (const form of forms) t.deepEqual(paidPrices(form), { prices: [], unclear: 0 }, JSON.stringify(form))
})

test('a payment without a price is counted, not guessed', (t) => {
  t.deepEqual(paidPrices([{ id: 'pi_1', amount: 5 }, 'two words', 7, null, 'price_1']), {
    prices: ['price_1'],
    unclear: 4,
  })
  t.deepEqual(paidPrices({ pi_1: { amount: 5 } }), { prices: [], unclear: 1 })
})

test('gates are a list, or words separated by commas', (t) => {
  t.deepEqual(gateList(['a', 'b', 'a', 3, 'no gate']), ['a', 'b'])
  t.deepEqual(gateList(' a, b,,c '), ['a', 'b', 'c'])
  t.deepEqual(gateList({ a: true }), [])
})
