import test from 'ava'
import {
  findInvoice,
  findLink,
  findOwnLink,
  greetableName,
  toLink,
  toRecipient,
} from '../../../src/memberships/mails/safe.ts'

test('a name is used in a greeting unless it looks like a web address or is too long', (t) => {
  for (const name of ['Ann', 'J.R. Tolkien', 'Dr. Åsa Öberg', 'A'.repeat(60), '👩'.repeat(60), 'a. b', 'a.b'])
    t.is(greetableName(name), name)
  t.is(greetableName('  Ann \n Lee '), 'Ann Lee')
  for (const none of [
    '',
    '   ',
    null,
    undefined,
    'A'.repeat(61),
    'x://y',
    'a@b',
    'go WWW.evil',
    'evil.example',
    'evil．example',
    'evil。example',
    'evil｡example',
    'see evil-.example now',
    'пример.рф',
    '1.23',
  ])
    t.is(greetableName(none), null, String(none))
})

test('a mail goes to one plain address, unchanged', (t) => {
  for (const good of [
    'ann@example.com',
    "o'neil+news@mail.example",
    'jörg@exämple.example',
    `${'a'.repeat(242)}@example.com`,
  ])
    t.is(toRecipient(good), good)
  for (const bad of [
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@b@c',
    'ann @b',
    'ann@b c',
    'a,b@c',
    'a@b,c',
    'a;b@c',
    'a@b;c',
    'a:b@c',
    'a@b:c',
    '<a@b>',
    'a@b>',
    'a(b@c',
    'a@b)',
    '[a@b',
    'a@b]',
    'a\\b@c',
    'a@b\\',
    '"a@b',
    'a@b"',
    'a@b\n',
    'a@b\u202e',
    '\u0000a@b',
    'ann＠b@c',
    'ann@b，c',
    `${'a'.repeat(243)}@example.com`,
  ]) {
    const error = t.throws(() => toRecipient(bad), { code: 'ERR_FORM' }, bad)
    t.false(bad !== '' && error!.message.includes(bad))
  }
})

test('a link in a mail is http or https; the error names the link without its address', (t) => {
  for (const good of ['https://site.example', 'http://localhost:3000/x', 'HTTPS://site.example/?a=b&c=d#e']) {
    t.is(toLink(good, 'The link'), good)
    t.is(findOwnLink(good), good)
  }
  for (const bad of [
    '',
    'javascript:alert(1)',
    '//a.example',
    ' https://a.example',
    'https://',
    'https://[::1/',
    'ftp://a.example',
    'https://a.example/a b',
    'https://a.example/<',
    'https://a.example/>',
    'https://a.example/"',
    'https://a\\b',
    'https://a.example/\u202e',
    'https://a.example\n',
    'xhttps://a.example',
    'https://a.example:99999/',
  ]) {
    t.throws(
      () => toLink(bad, 'The link'),
      { code: 'ERR_FORM', message: /^The link of the mail is no address/ },
      bad,
    )
    t.is(findOwnLink(bad), null, bad)
  }
  t.is(findOwnLink(null), null)
})

test('a provider’s link is https only; an invoice may be a page of this site', (t) => {
  t.is(findLink('http://a.example'), null)
  t.is(findLink('https://a.example'), 'https://a.example')
  const site = 'http://localhost:3000'
  t.is(findInvoice('/membership/invoices/pay_1', site), `${site}/membership/invoices/pay_1`)
  t.is(findInvoice('/elsewhere', site), null)
  t.is(findInvoice('/membership/a b', site), null)
  t.is(findInvoice('http://a.example', site), null)
  t.is(findInvoice('https://a.example', site), 'https://a.example')
  t.is(findInvoice(null, site), null)
})
