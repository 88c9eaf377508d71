import test from 'ava'
import { fieldOf, revertAccount, rewriteAccount } from '../../src/migrate/accounts/index.ts'
import { applyEdits } from '../../src/migrate/edits.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(file: string, text: string, field = 'stripe') {
  return rewriteAccount({ file, text, encoding: 'utf8' }, { ...facts, field })
}
function after(file: string, text: string, field = 'stripe') {
  return applyEdits(text, rewrite(file, text, field).edits)
}
function codes(file: string, text: string) {
  return rewrite(file, text).findings.map(({ code }) => code)
}

test('the field is the one that the site configures, in any spelling of its name', (t) => {
  for (const name of ['Shop Data', 'shop-data', 'SHOP_DATA'])
    t.is(after('user.txt', `${name}: purchases: [a]`, 'shop_data'), `${name}: payments: [a]`, name)
  t.is(after('user.json', '{"shopData":{"purchases":[]}}', 'shopData'), '{"shopData":{"payments":[]}}')
  t.is(after('user.txt', 'Stripe: purchases: [a]', 'shop_data'), 'Stripe: purchases: [a]')
})

test('changes are reported without values', (t) => {
  const { summary } = rewrite('user.txt', 'Stripe: {customer: cus_secret, purchases: [a]}')
  t.deepEqual(summary, ['stripe.purchases → stripe.payments'])
})

test('a duplicate list is removed with its lines, keeping comments and neighbours', (t) => {
  const cases = [
    [
      'a.yml',
      'stripe:\n  customer: c\n  purchases: # old\n    - a\n  # the new one\n  payments: [a]\n',
      'stripe:\n  customer: c\n  # the new one\n  payments: [a]\n',
    ],
    [
      'a.yml',
      'stripe:\r\n  payments: [a]\r\n  purchases:\r\n  - a\r\nname: Ann\r\n',
      'stripe:\r\n  payments: [a]\r\nname: Ann\r\n',
    ],
    ['user.txt', 'Stripe: purchases: [a]\npayments: [a]\n', 'Stripe: payments: [a]\n'],
    ['user.txt', 'Stripe:\r\n\r\npayments: []\r\npurchases: []', 'Stripe:\r\n\r\npayments: []'],
    [
      'a.json',
      '{\n  "stripe": {\n    "purchases": [1],\n    "payments": [1]\n  }\n}\n',
      '{\n  "stripe": {\n    "payments": [1]\n  }\n}\n',
    ],
    [
      'a.json',
      '{\n  "stripe": {\n    "payments": [1],\n    "purchases": [1]\n  }\n}\n',
      '{\n  "stripe": {\n    "payments": [1]\n  }\n}\n',
    ],
  ] as const
  for (const [file, text, expected] of cases) t.is(after(file, text), expected)
})

test('lists that differ in order or content are a decision for the owner', (t) => {
  t.deepEqual(codes('user.txt', 'Stripe: {purchases: [a, b], payments: [b, a]}'), ['both-forms-differ'])
  t.deepEqual(codes('a.json', '{"stripe":{"purchases":[1],"payments":null}}'), ['both-forms-differ'])
})

test('a value that others refer to is not removed', (t) => {
  t.deepEqual(codes('a.yml', 'stripe:\n  purchases: &x [a]\n  payments: *x\n'), ['both-forms'])
})

test('every common form of encryption is recognised, and plain values are not', (t) => {
  const sealed = [
    'encrypted:abc',
    'def50200a1c4e6f8b9d0723145566778899aabbccddeeff00112233445566778',
    'v9Jk0pX2mQf7sY1bT4uCw8zRa6LhNgEoDiVxKqWcPtM=',
    `${'QUJD'.repeat(16)}\n${'QUJD'.repeat(4)}`,
    'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn',
    '{"iv":"a","value":"b","mac":"c"}',
    'iv: a\nciphertext: b',
    'nonce: a\ndata: b',
  ]
  for (const value of sealed) t.deepEqual(codes('user.txt', `Stripe:\n\n${value}\n`), ['encrypted'], value)
  const plain = [
    '',
    'cus_NffrFeUfNV2Hib',
    'customer: cus_1',
    '[]',
    'customer: c\ntag: gold\ndata: [1]',
    '1234',
  ]
  for (const value of plain) t.deepEqual(codes('user.txt', `Stripe:\n\n${value}\n`), [], value)
  t.deepEqual(codes('a.json', '{"stripe":{"iv":"a","ciphertext":"b"}}'), ['encrypted'])
  t.deepEqual(codes('a.yml', 'stripe: encrypted:abc\n'), ['encrypted'])
})

test('findings contain no value of the account', (t) => {
  const texts = [
    'Stripe: encrypted:secret',
    'Stripe: {customer: secret, purchases: [secret}',
    'Stripe: {purchases: [secret], payments: []}',
    'Stripe: secret purchases',
  ]
  for (const text of texts) {
    const { findings } = rewrite('user.txt', text)
    t.is(findings.length, 1, text)
    t.false(JSON.stringify(findings).includes('secret'), text)
  }
})

test('a map shared by two accounts through an alias is changed once', (t) => {
  const shared = '- stripe: &s\n    purchases: [a]\n- stripe: *s\n'
  t.is(after('all.yml', shared), shared.replace('purchases', 'payments'))
  const own = '&me\nstripe: { purchases: [a], payments: [b] }\ncontent: *me\n'
  t.deepEqual(codes('a.yml', own), ['both-forms-differ'])
})

test('endless or multiple documents are reported and left', (t) => {
  const deep = `stripe: ${'['.repeat(50_000)}purchases`
  t.deepEqual(codes('a.yml', deep), ['not-parsed'])
  t.deepEqual(codes('a.json', `{"stripe":{"purchases":${'['.repeat(50_000)}`), ['not-parsed'])
  t.deepEqual(codes('a.yml', 'stripe: {purchases: []}\n---\nstripe: {purchases: []}\n'), ['not-parsed'])
  const bomb = `stripe:\n  a: &a [x]\n  b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n  c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n  d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n  purchases: [*d,*d,*d]\n  payments: [*d,*d]\n`
  t.is(rewrite('a.yml', bomb).edits.length, 0)
})

test('a differently named field is derived from the accounts', (t) => {
  const field = (file: string, text: string) => fieldOf({ file, text })
  t.is(field('user.txt', 'Name: Ann\n----\nShop Data:\n\ncustomer_id: c\npurchases: []\n'), 'shop_data')
  t.is(field('a.json', '{"content":{"shopData":{"customer":"c","purchases":[]}}}'), 'shopData')
  t.is(field('a.yml', 'stripe:\n  customerId: c\n  purchases: []\n'), 'stripe')
  t.is(field('user.txt', 'Shop: purchases: []'), null, 'no customer')
  t.is(field('user.txt', 'Shop: {customer: c, payments: []}'), null, 'version 2 already')
  t.is(field('user.txt', 'Bio: My purchases as a customer'), null)
})

test('an account changed by a purchase is reverted by its key alone', (t) => {
  const v2 = 'City: Graz\r\n\r\n----\r\n\r\nStripe:\r\n\r\ncustomer: c\r\npayments: # all\r\n- a\r\n- b\r\n'
  t.is(revertAccount(v2, 'user.txt', facts), v2.replace('payments', 'purchases'))
  t.is(revertAccount('{"stripe":{"payments":[1,2]}}', 'a.json', facts), '{"stripe":{"purchases":[1,2]}}')
  t.is(revertAccount('City: Graz\n', 'user.txt', facts), 'City: Graz\n', 'there is nothing to turn back')
})

test('an account that needs a decision is not reverted', (t) => {
  t.is(revertAccount('Stripe: {payments: [a], purchases: [b]}', 'user.txt', facts), null)
  t.is(revertAccount('Stripe: {payments: [a', 'user.txt', facts), null)
  t.is(revertAccount('Stripe: encrypted:abc', 'user.txt', facts), null)
  t.is(revertAccount('{"stripe":{"payments":[1,2]}', 'a.json', facts), null)
})
