import test from 'ava'
import {
  invoiceAddress,
  invoicePath,
  oneLine,
  printable,
  withoutAddresses,
} from '../../../src/core/dto/index.ts'
import { linkable } from '../../../src/core/url.ts'

test('an outside address becomes a plain https link or nothing', (t) => {
  for (const good of [
    'https://a.example',
    'HTTPS://a.example/p?q=1#f',
    "https://a.example/o'neil",
    'https://ä.example/ü',
  ])
    t.is(linkable(good), good)
  for (const bad of [
    'http://a.example',
    'javascript:alert(1)',
    'xhttps://a.example',
    'https:a.example',
    'https:/a.example',
    'https://',
    'https://[::1',
    'https://a.example:99999',
    'https://a.example ',
    'https://a.example/\n',
    'https://a.example/a b',
    'https://a.example/<',
    'https://a.example/>',
    'https://a.example/"',
    'https://a.example\\b',
    'https://a.example/\u202e',
    'https://a.example/\u0000',
    '',
  ])
    t.is(linkable(bad), null, JSON.stringify(bad))
  t.is(linkable(null), null)
})

test('our own page of an invoice is a link for that payment only', (t) => {
  t.is(invoicePath('pay_1'), '/membership/invoices/pay_1')
  const address = (id: string, invoice_url: string | null) => invoiceAddress({ id, invoice_url })
  t.is(address('pay_1', '/membership/invoices/pay_1'), '/membership/invoices/pay_1')
  t.is(address('pay-1_A', '/membership/invoices/pay-1_A'), '/membership/invoices/pay-1_A')
  t.is(address('pay_2', '/membership/invoices/pay_1'), null)
  t.is(address('pay_1', 'https://pay.example/1'), 'https://pay.example/1')
  t.is(address('pay_1', null), null)
  for (const id of ['..', '', 'a/b', '../x', 'a b', 'a.'])
    t.is(address(id, `/membership/invoices/${id}`), null, id)
})

test('text keeps its lines but loses hidden characters and direction overrides', (t) => {
  t.is(printable('a\r\nb\rc\nd\te'), 'a\nb\nc\nd\te')
  t.is(printable('a\u0000b\u001bc\u0085d'), 'a b c d')
  t.is(printable('\u202aa\u202eb\u2066c\u2069'), 'abc')
  t.is(printable('👩\u200d🔬 é'), '👩\u200d🔬 é')
})

test('a single line has spaces for breaks and no hidden characters, but keeps joiners', (t) => {
  t.is(oneLine(' a\r\n\t b\u2028c\u2029d\u0000 '), 'a b c d')
  t.is(oneLine('a  b   c'), 'a b c')
  t.is(oneLine('a\u200bb\ufeffc\ud800d\u202ee'), 'abcde')
  t.is(oneLine('a\u200cb\u200dc'), 'a\u200cb\u200dc')
})

test('a line has at most two hundred visible characters, and marks a cut', (t) => {
  t.is(oneLine('x'.repeat(200)), 'x'.repeat(200))
  t.is(oneLine('x'.repeat(201)), `${'x'.repeat(199)}…`)
  t.is(oneLine('👩👩👩', 3), '👩👩👩')
  t.is(oneLine('👩👩👩', 2), '👩…')
  t.is(oneLine('ab cd', 4), 'ab…', 'no space before the mark')
})

test('a provider’s error text is shown without its addresses', (t) => {
  t.is(withoutAddresses('no mailbox ann@example.com here'), 'no mailbox …@… here')
  t.is(withoutAddresses('<ann@example.com>, (bob@b.example);to=c@d.example'), '<…@…>, (…@…);to=…@…')
  t.is(withoutAddresses('?email=ann%40example.com'), '?email=…@…')
  t.is(withoutAddresses('at 5 @ noon'), 'at 5 @ noon')
})
