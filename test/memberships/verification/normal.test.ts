import test from 'ava'
import fc from 'fast-check'
import { fineMoment, normalMoment } from '../../../src/memberships/verification/normal.ts'

const moments = fc
  .date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('2100-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19))

test('a UTC moment of any precision keeps its millisecond; finer digits only order events', (t) => {
  fc.assert(
    fc.property(moments, fc.stringMatching(/^(\d{1,9})?$/), (second, digits) => {
      const text = digits === '' ? `${second}Z` : `${second}.${digits}Z`
      const milliseconds = `${digits}000`.slice(0, 3)
      t.is(normalMoment(text), `${second}.${milliseconds}Z`)
      const fine = `${digits.slice(3)}000000`.slice(0, 6)
      t.is(fineMoment(text), `${second}.${milliseconds}Z${fine === '000000' ? '' : fine}`)
    }),
  )
})

test('an invalid moment is null, as with the language’s own dates', (t) => {
  for (const text of ['2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z', '2026-03-01T25:00:00Z', 'soon', ''])
    t.is(normalMoment(text), null, text)
})
