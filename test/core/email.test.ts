import test from 'ava'
import { isEmail, normalEmail } from '../../src/core/email.ts'

test('an address is normalised whatever its domain’s form and case', (t) => {
  // https://www.rfc-editor.org/rfc/rfc5891#section-4: a domain's letters and its ASCII form are one name.
  for (const written of [
    ' Ann@Bücher.example ',
    'ann@bu\u0308cher.example',
    'ANN@xn--bcher-kva.EXAMPLE',
    'ann@bücher。example',
  ])
    t.is(normalEmail(written), 'ann@xn--bcher-kva.example')
  t.is(normalEmail('ju\u0308rgen@example.org'), 'jürgen@example.org')
  t.is(normalEmail('  '), null)
  t.is(normalEmail(null), null)
})

test('characters that a URL would cut from a domain stay, and make the address invalid', (t) => {
  for (const written of [
    'ann@bücher.example/x',
    'ann@bücher.example:80',
    'ann@bücher.example?x',
    'ann@ü#x.example',
  ]) {
    t.is(normalEmail(written), written)
    t.false(isEmail(normalEmail(written)))
  }
})

test('deliverable addresses are accepted in any script', (t) => {
  for (const written of [
    'jürgen@bücher.example',
    "o'neil+x@example.co.uk",
    'ann@localhost',
    'δοκιμή@παράδειγμα.δοκιμή',
  ])
    t.true(isEmail(normalEmail(written)), written)
  const wrong = [
    'ann',
    'ann@',
    '@example.org',
    'a b@example.org',
    'a@b@example.org',
    'ann@exa_mple.org',
    'ann@-x.org',
  ]
  for (const written of [
    ...wrong,
    'ann@example.org\r\nBcc: x@y.z',
    'ann\u200b@example.org',
    `${'a'.repeat(65)}@x.org`,
  ])
    t.false(isEmail(normalEmail(written)), written)
})
