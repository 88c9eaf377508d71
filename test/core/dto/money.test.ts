import test from 'ava'
import {
  addInterval,
  type Cost,
  currencyDigits,
  formatMoney,
  isDearer,
  moneyWriter,
  toCost,
} from '../../../src/core/dto/index.ts'

// Between a code and its digits stands a space that breaks no line.
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ')
}

test('whole amounts have no fraction, others all digits of their currency', (t) => {
  t.is(formatMoney({ amount: 900, currency: 'EUR' }), '€9')
  t.is(formatMoney({ amount: 950, currency: 'EUR' }), '€9.50')
  t.is(formatMoney({ amount: 900, currency: 'jpy' }), '¥900')
  t.is(plain(formatMoney({ amount: 1234, currency: 'KWD' })), 'KWD 1.234')
  t.is(plain(formatMoney({ amount: 12345, currency: 'CLF' })), 'CLF 1.2345')
  t.is(plain(formatMoney({ amount: 950, currency: 'EUR' }, 'de')), '9,50 €')
})

test('a currency’s digits follow ISO 4217 in any case of letters; the default is two', (t) => {
  for (const code of 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '))
    t.is(currencyDigits(code), 0, code)
  for (const code of 'BHD IQD JOD KWD LYD OMR TND'.split(' ')) t.is(currencyDigits(code), 3, code)
  for (const code of ['CLF', 'UYW']) t.is(currencyDigits(code), 4, code)
  for (const code of ['EUR', 'USD', 'XXX']) t.is(currencyDigits(code), 2, code)
  t.is(currencyDigits('jpy'), 0)
})

test('an amount is formatted with the minor units of its provider', (t) => {
  const write = moneyWriter((provider, currency) =>
    provider === 'acme' && currency === 'ISK' ? 2 : undefined,
  )
  t.is(plain(write({ amount: 900, currency: 'ISK' })), 'ISK 900')
  t.is(plain(write({ amount: 900, currency: 'ISK', provider: 'acme' })), 'ISK 9')
  t.is(plain(write({ amount: 900, currency: 'ISK', provider: 'other' })), 'ISK 900')
  t.is(plain(write({ amount: 950, currency: 'EUR', provider: 'acme' }, 'de')), '9,50 €')
})

test('a total cost covers all units, and is unknown if a part is', (t) => {
  const price = { amount: 900, currency: 'EUR', interval: 'month' as const, interval_count: 3 }
  t.deepEqual(toCost(price, 2), { amount: 1800, currency: 'EUR', interval: 'month', interval_count: 3 })
  t.is(toCost({ ...price, interval_count: null }, 1)?.interval_count, 1)
  for (const part of ['amount', 'currency', 'interval'])
    t.is(toCost({ ...price, [part]: null }, 1), null, part)
  t.is(toCost({ ...price, amount: 0 }, 1)?.amount, 0)
})

test('a change is dearer if a day costs more, or if a longer time is paid at once', (t) => {
  const cost = (amount: number, interval: Cost['interval'] = 'month', interval_count = 1): Cost => ({
    amount,
    interval,
    interval_count,
    currency: 'EUR',
  })
  t.true(isDearer(cost(1001), cost(1000)))
  t.false(isDearer(cost(1000), cost(1000)))
  t.false(isDearer(cost(999), cost(1000)))
  t.true(isDearer(cost(1, 'year'), cost(1000)), 'a longer time at once')
  t.true(isDearer(cost(1, 'month', 2), cost(1000)))
  t.false(isDearer(cost(1000), cost(12_000, 'year')), 'as much for as long')
  t.true(isDearer(cost(1001), cost(12_000, 'year')))
  t.true(isDearer(cost(250, 'week'), cost(1000)), 'a month is longer than four weeks')
  t.false(isDearer(cost(229, 'week'), cost(1000)))
  t.true(isDearer(cost(33, 'day'), cost(1000)))
  t.false(isDearer(cost(32, 'day'), cost(1000)))
})

test('an interval later is the same day, or the last day of a shorter month', (t) => {
  const later = (at: string, interval: Cost['interval'], interval_count = 1) =>
    addInterval(`${at}T10:20:30.000Z`, { interval, interval_count }).replace('T10:20:30.000Z', '')
  t.is(later('2026-01-31', 'day'), '2026-02-01')
  t.is(later('2026-01-31', 'day', 3), '2026-02-03')
  t.is(later('2026-01-31', 'week', 2), '2026-02-14')
  t.is(later('2026-01-31', 'month'), '2026-02-28')
  t.is(later('2026-01-31', 'month', 3), '2026-04-30')
  t.is(later('2026-03-15', 'month'), '2026-04-15')
  t.is(later('2024-02-29', 'year'), '2025-02-28')
  t.is(later('2024-02-29', 'year', 4), '2028-02-29')
  t.is(later('2026-12-31', 'month', 2), '2027-02-28')
})

test('a day that a short month cut off comes back with the moment from which the periods count', (t) => {
  const month = { interval: 'month', interval_count: 1 } as const
  const chain = (start: string, anchor: string | null, steps: number) => {
    const days = [start]
    while (days.length <= steps) days.push(addInterval(days.at(-1)!, month, anchor))
    return days.slice(1).map((day) => day.slice(5, 10))
  }
  const start = '2026-01-31T12:00:00.000Z'
  t.deepEqual(chain(start, start, 4), ['02-28', '03-31', '04-30', '05-31'])
  t.deepEqual(chain('2026-02-28T09:00:00.000Z', start, 2), ['03-31', '04-30'], 'a stored day mends itself')
  t.deepEqual(chain('2026-03-28T09:00:00.000Z', start, 2), ['04-28', '05-28'], 'another day stays')
  t.deepEqual(chain('2026-02-28T09:00:00.000Z', '2026-01-28T09:00:00.000Z', 1), ['03-28'])
  t.is(
    addInterval('2028-02-29T00:00:00.000Z', { ...month, interval_count: -1 }, start).slice(0, 10),
    '2028-01-31',
  )
  t.is(
    addInterval('2028-02-29T00:00:00.000Z', { interval: 'year', interval_count: 1 }, start).slice(0, 10),
    '2029-02-28',
  )
})
