import test from 'ava'
import fc from 'fast-check'
import { print } from '../../../src/cli/output.ts'
import { invoiceAddress, oneLine } from '../../../src/core/dto/index.ts'
import { isMembershipError } from '../../../src/core/errors.ts'
import { createRender } from '../../../src/core/pages/index.ts'
import { linkable } from '../../../src/core/url.ts'
import { greetableName } from '../../../src/memberships/mails/safe.ts'
import { viewFrom } from '../../../src/testkit/index.ts'
import { openMails, paragraphsOf, samples } from './support.ts'

const mails = openMails()
const to = 'ann@example.com'
function greeting(name: string | null | undefined) {
  return paragraphsOf(mails.compose('account-deleted', { to, name, data: {} }).text)[0]
}
function receiptOf(title: string) {
  return mails.compose('receipt', { to, data: { ...samples.receipt, title } })
}

// What begins a header of its own, hides, or turns the direction of writing.
const dangerous = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/u

test('line breaks in a title start no header, and direction overrides are removed', (t) => {
  t.is(receiptOf('Pro\r\nBcc: all@example.com').subject, 'Receipt: Pro Bcc: all@example.com')
  t.is(receiptOf('Pro\u2028Bcc: x\u0085y\0').subject, 'Receipt: Pro Bcc: x y')
  t.is(receiptOf('\u202egpj.Pro\u2066').subject, 'Receipt: gpj.Pro')
  t.is(receiptOf('x'.repeat(5000)).subject.length, 200)
})

test('headers are one line of plain characters for any title, plan and site name', (t) => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\r\n', '\n', '\u2028', '\u202e', '{title}', '\ud800', '\0', '\u200f', '</title>'),
  )
  const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, text, (title, name, site) => {
      const written = openMails({ site: { name: site, url: 'https://neap.example' } })
      for (const kind of ['receipt', 'payment-failed', 'cancellation'] as const)
        for (const language of ['en', 'de']) {
          const data = { ...samples[kind], title } as (typeof samples)['receipt' & typeof kind]
          const mail = written.compose(kind, { to, name, language, data })
          t.is(mail.to, to)
          t.notRegex(mail.subject, dangerous)
          t.notRegex(mail.text.replaceAll('\n', ''), dangerous)
          t.is(mail.html.match(/<\/title>/g)!.length, 1)
          t.is(mail.html.match(/<html/g)!.length, 1)
        }
    }),
    { numRuns: 60 },
  )
})

test('a name only appears in the greeting, without line breaks', (t) => {
  const mail = mails.compose('welcome', { to, name: 'Bob\r\nBcc: eve\n\nPay here', data: samples.welcome })
  t.is(paragraphsOf(mail.text)[0], 'Hello Bob Bcc: eve Pay here,')
  t.notRegex(mail.subject + mail.to, /Bob|Bcc|eve/)
})

test('HTML in names and titles is escaped', (t) => {
  const mail = mails.compose('receipt', {
    to,
    name: `Bob <img src=x onerror="a('b')"> & co`,
    data: { ...samples.receipt, title: '</p><script>alert(1)</script>' },
  })
  t.true(mail.html.includes('Hello Bob &lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt; &amp; co,</p>'))
  t.true(mail.html.includes('&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;'))
  t.notRegex(mail.html, /<script|<img/)
  t.true(mail.text.includes(`Hello Bob <img src=x onerror="a('b')"> & co,`))
})

test('a sign-up under a false name cannot make us mail an address to visit', (t) => {
  for (const name of [
    'You won! https://evil.example/x',
    'www.evil.example',
    'evil.example',
    'go to EVIL．example now',
    'mail eve@evil.example',
    'n'.repeat(61),
    ' \r\n\t ',
    '\u202e\u200b',
    null,
    undefined,
  ])
    t.is(greeting(name), 'Hello,', String(name))
  for (const name of ['J.R. Tolkien', 'Dr. Åsa Öberg', 'O’Neil-Smith', '李小龍', 'علی\u200cرضا', 'Ann & Bob'])
    t.is(greeting(name), `Hello ${name},`)
})

test('a placeholder in a name or title is not replaced', (t) => {
  t.is(greeting('{site}'), 'Hello {site},')
  t.is(receiptOf('{amount} $& {date}').subject, 'Receipt: {amount} $& {date}')
})

test('a recipient is one plain address, or no mail is written', (t) => {
  for (const bad of [
    '',
    'ann',
    'ann@example.com, eve@evil.example',
    'ann@example.com;eve@evil.example',
    'Ann <ann@example.com>',
    'ann@example.com\r\nBcc: eve@evil.example',
    'ann@example.com\n',
    ' ann@example.com',
    'ann@example.com (eve@evil.example)',
    'friends:ann@example.com',
    '"ann eve"@example.com',
    'ann@eve@example.com',
    'ann@example.com，eve＠evil.example',
    'ann＠example.com',
    '\u202eann@example.com',
    'an\0n@example.com',
    `${'a'.repeat(250)}@example.com`,
  ]) {
    const error = t.throws(() => mails.compose('account-deleted', { to: bad, data: {} }), undefined, bad)
    t.true(isMembershipError(error, 'ERR_FORM'), bad)
    t.false(error!.message.includes('evil'))
  }
  for (const good of ['ann@example.com', "o'neil+news@mail.example", 'jörg@exämple.example', 'a@localhost'])
    t.is(mails.compose('account-deleted', { to: good, data: {} }).to, good)
})

test('a login link is unchanged in the text, and escaped once in the HTML', (t) => {
  const url = `https://neap.example/login/a_b-c~d?x=1&amp=2&redirect=%2F%22%3E&n='o'#f`
  const { text, html } = mails.compose('magic-link', { to, data: { ...samples['magic-link'], url } })
  t.true(text.split('\n').includes(url))
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  )
  t.deepEqual(links, ['https://neap.example', url, url])
})

test('only http and https links are used: a wrong login link is refused, a provider’s is omitted', (t) => {
  const wrong = [
    'javascript:alert(1)',
    'data:text/html,x',
    '/account',
    '//evil.example',
    'https://',
    'https://[::1/',
    'https://neap.example:99999/',
    ' https://neap.example',
    'java\nscript:alert(1)',
    'https://neap.example/\r\nBcc: x',
    'https://neap.example/a b',
    'https://neap.example/"><script>',
    'https:\\\\evil.example',
    'https://neap.example/\u202e',
    '',
  ]
  for (const url of wrong) {
    const error = t.throws(
      () => mails.compose('magic-link', { to, data: { ...samples['magic-link'], url } }),
      undefined,
      url,
    )
    t.true(isMembershipError(error, 'ERR_FORM'), url)
    const receipt = mails.compose('receipt', { to, data: { ...samples.receipt, invoice_url: url } })
    t.notRegex(receipt.html, /class="button"/, url)
    const failed = mails.compose('payment-failed', {
      to,
      data: { ...samples['payment-failed'], pay_url: url },
    })
    t.regex(failed.text, /Open my account:\nhttps:\/\/neap\.example\/account\n/, url)
  }
  t.throws(() => openMails({ site: { name: 'Neap', url: 'javascript:alert(1)' } }))
})

test('an invalid language, or one with another calendar, changes nothing', (t) => {
  for (const language of [
    '',
    'x',
    '../../etc/passwd',
    'en-u-ca-hebrew-nu-arab',
    'tlh',
    '__proto__',
    'de\r\n',
    '-',
  ])
    t.regex(
      mails.compose('receipt', { to, language, data: samples.receipt }).text,
      /You paid €50 on 21 November 2026/,
      language,
    )
})

test('a line keeps characters that a script needs, and loses hidden ones', (t) => {
  t.is(oneLine('a\t\tb\r\n c'), 'a b c')
  t.is(oneLine('👩\u200d🔬 علی\u200cرضا'), '👩\u200d🔬 علی\u200cرضا')
  t.is(oneLine('a\ufeff\u200bb\ud800'), 'ab')
  t.is(oneLine('👩👩👩', 2), '👩…')
  t.is(greetableName('  Ann \n Lee '), 'Ann Lee')
})

test('an outside address is a link only with plain https', (t) => {
  for (const url of [
    'javascript:alert(1)',
    'http://pay.example/1',
    'data:text/html,x',
    ' https://a.example',
    'https://a.example/\n',
    'https://a.example/\u202e',
    '//a.example',
    '',
  ])
    t.is(linkable(url), null, JSON.stringify(url))
  t.is(linkable('https://invoice.example/i/1?a=b'), 'https://invoice.example/i/1?a=b')
  const own = { id: 'pay_1', invoice_url: '/membership/invoices/pay_1' }
  t.is(invoiceAddress(own), own.invoice_url, 'the page that this site has for it')
  for (const wrong of [
    { ...own, id: 'pay_2' },
    { id: '..', invoice_url: '/membership/invoices/..' },
  ])
    t.is(invoiceAddress(wrong), null, wrong.invoice_url)
  const view = viewFrom({
    user: { name: '\u202egpj.nnA\u2066', payments: [{ invoice_url: 'javascript:alert(1)' }] },
  })
  t.is(view.user()?.payments()[0]?.invoice_url, null)
  t.is(view.user()?.name, 'gpj.nnA')
  const render = createRender(null, false)
  const page = render('login/sent', { email: 'a\u202eb\u0000<c>' })
  t.true(page.includes('ab &lt;c&gt;'), page)
})

test('an id with a line break adds no second line to a listing', (t) => {
  const lines: string[] = []
  const log = console.log
  console.log = (text: string) => void lines.push(text)
  try {
    print({}, null, ['17 evt_1\n18 evt_2  applied', 'next\u2028line'])
  } finally {
    console.log = log
  }
  t.deepEqual(lines, ['17 evt_1\ufffd18 evt_2  applied\nnext\ufffdline'])
})
