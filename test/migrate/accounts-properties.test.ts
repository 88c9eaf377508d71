import test from 'ava'
import fc from 'fast-check'
import { parse } from 'yaml'
import { revertAccount, rewriteAccount } from '../../src/migrate/accounts/index.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import { toBytes, toSource } from '../../src/migrate/source.ts'
import { settings } from '../support/converge.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

/** The text format, read a second way: line by line, as its description says. */
function readContent(bytes: Buffer): Map<string, string> {
  const text = bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')
  const fields = new Map<string, string>()
  let lines: string[] = []
  const end = () => {
    const field = lines.join('\n')
    const colon = field.indexOf(':')
    if (colon > 0)
      fields.set(
        field.slice(0, colon).trim().toLowerCase().replaceAll('-', '_').replaceAll(' ', '_'),
        field.slice(colon + 1).trim(),
      )
    lines = []
  }
  for (const line of text.split('\n').map((item) => (item.endsWith('\r') ? item.slice(0, -1) : item))) {
    if (/^----[ \t]*$/.test(line)) end()
    else lines.push(line.startsWith('\\----') ? line.slice(1) : line)
  }
  end()
  return fields
}

const word = fc.constantFrom(
  'ann',
  'purchases',
  'Käufe',
  'price_1',
  'stripe',
  'payments: 2',
  '- a',
  '\\x',
  '#',
  'a: b',
)
const line = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
  fc.constantFrom('\\----', '\\---- x', '---', '-- --', 'Stripe: purchases: [no]', '', '  purchases:'),
)
const otherField = fc.record({
  name: fc.constantFrom('Name', 'Bio', 'Paypal', 'stripe-note', 'My Stripe', 'purchases', 'gates'),
  lines: fc.array(line, { maxLength: 5 }),
})
const price = fc.constantFrom('price_1', 'price_b', "'purchases'", '"x: y"')
const data = fc.record({
  prices: fc.array(price, { maxLength: 4 }),
  quote: fc.constantFrom('', '"', "'"),
  style: fc.constantFrom('block', 'flow', 'json'),
  first: fc.boolean(),
  note: fc.boolean(),
})

function dataLines({
  prices,
  quote,
  style,
  first,
  note,
}: typeof data extends fc.Arbitrary<infer D> ? D : never): string[] {
  const key = `${quote}purchases${quote}`
  if (style === 'json')
    return JSON.stringify(
      { customer: 'cus_1', purchases: prices, deep: { purchases: 1 } },
      null,
      note ? 2 : 0,
    ).split('\n')
  if (style === 'flow') return [`{ customer: cus_1, ${key}: [${prices.join(', ')}] }`]
  const list = prices.length === 0 ? [`${key}: []`] : [`${key}:`, ...prices.map((price) => `  - ${price}`)]
  const rest = [
    'customer: cus_1',
    ...(note ? ['# purchases before', 'note: |', '  purchases:', '  \\---- here'] : []),
  ]
  return first ? [...list, ...rest] : [...rest, ...list]
}

const contentFile = fc.record({
  fields: fc.array(otherField, { maxLength: 4 }),
  place: fc.nat(4),
  data,
  inline: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  encoding: fc.constantFrom('utf8' as const, 'latin1' as const),
  divider: fc.constantFrom('----', '----  '),
  end: fc.boolean(),
})

function toFile(c: typeof contentFile extends fc.Arbitrary<infer C> ? C : never): Buffer {
  const blocks = c.fields.map(({ name, lines }) => [`${name}:`, '', ...lines])
  const own = dataLines(c.data)
  blocks.splice(c.place, 0, c.inline ? [`Stripe: ${own[0]}`, ...own.slice(1)] : ['Stripe:', '', ...own])
  const text = blocks.map((lines) => lines.join(c.eol)).join(`${c.eol}${c.eol}${c.divider}${c.eol}${c.eol}`)
  const body = Buffer.from(text + (c.end ? c.eol : ''), c.encoding)
  return c.bom && c.encoding === 'utf8' ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) : body
}

function rewritten(file: string, bytes: Buffer) {
  const source = toSource(file, bytes)
  if (typeof source === 'string') return null
  const { edits, findings } = rewriteAccount(source, facts)
  return { source, edits, findings, bytes: toBytes(source, applyEdits(source.text, edits)) }
}

test('in any content file one word changes, and the result parses with the other name of the list', (t) => {
  fc.assert(
    fc.property(contentFile, (content) => {
      const before = toFile(content)
      const result = rewritten('site/accounts/a/user.txt', before)!
      t.is(result.edits.length, 1)
      t.deepEqual(result.findings, [])
      const { start, end, text } = result.edits[0]!
      t.is(result.source.text.slice(start, end), 'purchases')
      t.is(text, 'payments')
      t.is(result.bytes.length, before.length - 1)

      const [then, now] = [readContent(before), readContent(result.bytes)]
      const [was, is] = [then, now].map((fields) => parse(fields.get('stripe')!) as Record<string, unknown>)
      t.deepEqual(is!.payments, was!.purchases)
      t.deepEqual(without(is!, 'payments'), without(was!, 'purchases'))
      then.delete('stripe')
      now.delete('stripe')
      t.deepEqual(now, then)

      t.deepEqual(rewritten('site/accounts/a/user.txt', result.bytes)!.edits, [])
      const back = revertAccount(toText(result.bytes), 'site/accounts/a/user.txt', facts)
      t.is(back, result.source.text)
    }),
    settings(400),
  )
})

function without(map: Record<string, unknown>, key: string) {
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key))
}

function toText(bytes: Buffer): string {
  const source = toSource('user.txt', bytes)
  if (typeof source === 'string') throw new TypeError(source)
  return source.text
}

const token = fc.constantFrom(
  'stripe',
  'Stripe',
  'purchases',
  'payments',
  'customer',
  'content',
  'x',
  '1',
  '----',
  '\\----',
  ':',
  ': ',
  '\n',
  '\n\n',
  '\r\n',
  '  ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  "'",
  '&a ',
  '*a',
  '!t ',
  '| \n',
  '>',
  '#',
  '? ',
  '\\',
  '\t',
  '\ufeff',
  'ä',
  'encrypted:',
  'purchases:\n',
  'stripe:\n',
  'purchases: []\n',
  'payments: []\n',
  '{"stripe":{"purchases":',
)
const tokens = fc.array(token, { maxLength: 4 }).map((parts) => parts.join(''))
// Beginnings and ends that fit, so that what comes between them decides.
const frame = fc.constantFrom(
  ['', ''],
  ['Stripe:\n\ncustomer: x\n', '\npurchases:\n- a\n'],
  ['Stripe: {payments: [a], ', 'purchases: [a]}'],
  ['Stripe:\n\npurchases: [a]\n', '\npayments: [a]'],
  ['stripe:\n  a: ', '\n  purchases: [] # x\n  payments: []\n'],
  ['{"stripe":{', '"purchases":[],"payments":[]}}'],
  ['[{"content":{"stripe":"', 'purchases: []"}}]'],
)
const soup = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(frame, tokens, tokens, fc.constantFrom('utf8' as const, 'latin1' as const))
    .map(([[head, tail], between, after, encoding]) =>
      Buffer.from(`${head}${between}${tail}${after}`, encoding),
    ),
)

test('no file causes an exception, only the word changes, and a second run has nothing to do', (t) => {
  let changed = 0
  fc.assert(
    fc.property(soup, fc.constantFrom('a/user.txt', 'a.json', 'a.yml'), (bytes, file) => {
      const result = rewritten(file, bytes)
      if (result === null || result.edits.length === 0) return
      changed++
      for (const { start, end, text } of result.edits)
        if (text !== '') t.deepEqual([result.source.text.slice(start, end), text], ['purchases', 'payments'])
        else t.regex(result.source.text.slice(start, end), /purchases/)
      t.deepEqual(rewritten(file, result.bytes)?.edits, [])
    }),
    settings(4000),
  )
  t.true(changed > 20, `${changed} of them were changed`)
})
