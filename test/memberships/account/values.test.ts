import test from 'ava'
import fc from 'fast-check'
import { fieldTypes, valueSchema } from '../../../src/memberships/account/fields.ts'
import { fieldsFrom } from '../../support/account.ts'
import { settings } from '../../support/converge.ts'

async function schemas(t: Parameters<typeof fieldsFrom>[0], fields: string) {
  const known = await fieldsFrom(t, `fields:\n${fields}`)
  return (name: string, value: unknown): unknown => {
    const parsed = valueSchema(known.get(name)!).safeParse(value)
    return parsed.success ? parsed.data : new Error(parsed.error.issues[0]?.message)
  }
}
function isError(value: unknown) {
  return value instanceof Error
}

test('each type parses a form’s value to what it means', async (t) => {
  const take = await schemas(
    t,
    `  text: { type: text, minlength: 2, maxlength: 3 }
  area: { type: textarea }
  tel: { type: tel }
  url: { type: url }
  number: { type: number, min: 1, max: 10 }
  toggle: { type: toggle }
  terms: { type: toggle, required: true }
  date: { type: date, min: 2026-01-01 }
  pick: { type: radio, options: [{ value: 1, text: One }, { value: 2, text: Two }] }
  must: { type: select, options: [a], required: true }
  many: { type: multiselect, options: { a: A, b: B, c: C }, max: 2 }
  tags: { type: tags }`,
  )
  t.is(take('text', ' abc '), 'abc')
  t.is(take('text', ''), null)
  t.is(take('text', '😀😀😀'), '😀😀😀', 'characters count, not their halves')
  for (const wrong of ['a', 'abcd', 'a\nb', 'a\0b', 1, {}, undefined])
    t.true(isError(take('text', wrong)), String(wrong))
  t.is(take('area', 'a\r\nb\tc'), 'a\nb\tc')
  t.true(isError(take('area', 'a\u0007')))
  t.is(take('tel', '+49 (0)30 12-34'), '+49 (0)30 12-34')
  t.true(isError(take('tel', 'call me')))
  t.is(take('url', 'https://example.com/a?b'), 'https://example.com/a?b')
  for (const wrong of ['javascript:alert(1)', 'data:text/html,x', '//example.com', 'example.com'])
    t.true(isError(take('url', wrong)), wrong)
  t.is(take('number', '2.5'), 2.5)
  t.is(take('number', 10), 10)
  t.is(take('number', ''), null)
  for (const wrong of ['0', '11', 'NaN', '0x5', '1e1', Infinity, Number.NaN, true])
    t.true(isError(take('number', wrong)), String(wrong))
  for (const on of ['on', 'true', '1', true, ['false', 'on']]) t.is(take('toggle', on), true)
  for (const off of ['off', 'false', '0', '', false, null, ['false']]) t.is(take('toggle', off), false)
  for (const wrong of ['maybe', {}, [], 2]) t.true(isError(take('toggle', wrong)), String(wrong))
  t.true(isError(take('terms', 'off')))
  t.is(take('date', '2028-02-29'), '2028-02-29')
  for (const wrong of ['2027-02-29', '2025-12-31', '29.2.2028', '2028-02-29T00:00'])
    t.true(isError(take('date', wrong)), wrong)
  t.is(take('pick', '2'), '2')
  t.true(isError(take('pick', '3')))
  t.is(take('pick', ''), null)
  t.true(isError(take('must', '')))
  t.deepEqual(take('many', ['a', 'b', 'a', '']), ['a', 'b'])
  t.deepEqual(take('many', 'a'), ['a'])
  t.deepEqual(take('many', ''), [])
  for (const wrong of [['a', 'b', 'c'], ['d'], ['toString'], { 0: 'a' }, [['a']]])
    t.true(isError(take('many', wrong)), JSON.stringify(wrong))
  t.deepEqual(take('tags', 'red, green,red'), ['red', 'green'])
  t.true(
    isError(
      take(
        'tags',
        Array.from({ length: 101 }, (_, i) => `t${i}`),
      ),
    ),
  )
  t.true(isError(take('tags', ['x'.repeat(17_000)])))
})

test('any value is stored as small plain JSON or refused, and nothing throws', async (t) => {
  const known = await fieldsFrom(
    t,
    `fields:\n${fieldTypes.map((type) => `  a_${type}: { type: ${type}, options: [a, b] }`).join('\n')}`,
  )
  const given = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.string()),
    fc.constantFrom('a', '1', 'on'),
  )
  fc.assert(
    fc.property(fc.constantFrom(...known.values()), given, (field, value) => {
      const parsed = valueSchema(field).safeParse(value)
      if (!parsed.success) return true
      const text = JSON.stringify(parsed.data)
      // A character may take six as JSON writes it.
      return text !== undefined && text.length <= 6 * 16_384 + 2
    }),
    settings(3000),
  )
  t.pass()
})
