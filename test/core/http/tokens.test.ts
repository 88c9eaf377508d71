import test from 'ava'
import { createMarker, createTokens, fingerprint, randomId } from '../../../src/core/http/tokens.ts'

const [older, newer] = ['the older secret, of 32 characters', 'the newer secret, of 32 characters']
function now() {
  return new Date('2026-11-21T12:00:00Z')
}

test('a token signed with an older secret is valid as long as the list contains it', async (t) => {
  const before = createTokens([older], now)
  const token = await before.sign('session', { sid: 's1' }, 60)
  const form = before.formToken('browser-of-ann')

  const during = createTokens([newer, older], now)
  t.is((await during.verify('session', token))?.sid, 's1')
  t.true(during.isFormToken('browser-of-ann', form))
  t.not(during.formToken('browser-of-ann'), form, 'the newest signs')

  const after = createTokens([newer], now)
  t.is(await after.verify('session', token), null)
  t.false(after.isFormToken('browser-of-ann', form))
  t.is((await after.verify('session', await during.sign('session', { sid: 's2' }, 60)))?.sid, 's2')
})

test('a token is bound to a purpose, a browser and a time', async (t) => {
  const tokens = createTokens([newer], now)
  const token = await tokens.sign('login', { link: 'l1' }, 60)
  t.is(await tokens.verify('session', token), null)
  t.is(await tokens.verify('login', `${token}x`), null)
  t.is(await createTokens([newer], () => new Date('2026-11-21T12:01:01Z')).verify('login', token), null)
  t.false(tokens.isFormToken('browser-of-bob', tokens.formToken('browser-of-ann')))
  t.false(tokens.isFormToken('browser-of-ann', undefined))
})

test('a token without a signature is invalid, even if its header claims otherwise', async (t) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = `${part({ alg: 'none' })}.${part({ sid: 's1', aud: 'session', exp: 4_000_000_000 })}.`
  t.is(await createTokens([newer], now).verify('session', forged), null)
})

test('the id of a purchase is valid only with its own signature', (t) => {
  const tokens = createTokens([newer], now)
  const signed = tokens.signIntent('int_1')
  t.regex(signed, /^int_1\.[\w-]{22}$/)
  t.true(tokens.isSignedIntent(signed))
  t.true(createTokens(['another', newer], now).isSignedIntent(signed), 'an older secret’s')
  t.false(createTokens(['another'], now).isSignedIntent(signed))
  t.false(tokens.isSignedIntent('int_1'))
  t.false(tokens.isSignedIntent(signed.replace('int_1', 'int_2')))
  t.false(tokens.isSignedIntent(`${signed}.x`))
  t.false(tokens.isSignedIntent(signed.slice(0, -1)))
})

test('a visitor’s id comes back only with its own signature, of any listed secret', (t) => {
  const tokens = createTokens([newer], now)
  const signed = tokens.signVisitor('v_1')
  t.is(tokens.visitorOf(signed), 'v_1')
  t.is(createTokens(['another', newer], now).visitorOf(signed), 'v_1', 'an older secret’s')
  t.is(createTokens(['another'], now).visitorOf(signed), null)
  for (const wrong of ['v_1', signed.replace('v_1', 'v_2'), `${signed}.x`, signed.slice(0, -1), ''])
    t.is(tokens.visitorOf(wrong), null, wrong)
})

test('a link to a file has content only with its own signature, of any listed secret', (t) => {
  const tokens = createTokens([newer], now)
  const signed = tokens.signFile({ file: 'book.pdf' })
  t.deepEqual(tokens.fileOf(signed), { file: 'book.pdf' })
  t.deepEqual(createTokens(['another', newer], now).fileOf(signed), { file: 'book.pdf' })
  t.is(createTokens(['another'], now).fileOf(signed), null)
  const other = Buffer.from(JSON.stringify({ file: 'other.pdf' })).toString('base64url')
  for (const wrong of [
    `${other}.${signed.split('.')[1]}`,
    signed.split('.')[0]!,
    signed.slice(0, -1),
    '',
    '.',
  ])
    t.is(tokens.fileOf(wrong), null, wrong)
})

test('the tokens of a seed follow from each secret, the newest first, and no other seed has them', (t) => {
  const both = createTokens(['another', newer], now)
  const [own] = createTokens([newer], now).feedTokens('seed')
  t.is(both.feedTokens('seed').length, 2)
  t.is(both.feedTokens('seed')[1], own)
  t.is(createTokens(['another'], now).feedTokens('seed')[0], both.feedTokens('seed')[0])
  t.not(createTokens([newer], now).feedTokens('seed 2')[0], own)
  t.is(createTokens([newer], now).mark('value'), createTokens([newer], now).mark('value'))
  t.not(createTokens([newer], now).mark('value'), createTokens(['another'], now).mark('value'))
})

test('a value signed for one use is invalid for another, with the same secret', (t) => {
  const tokens = createTokens([newer], now)
  // Each is signed with a key of its own, so no two signatures of the same text are alike.
  const text = Buffer.from('{"file":"a"}').toString('base64url')
  const signatures = [
    tokens.signIntent(text).split('.')[1]!,
    tokens.signVisitor(text).split('.')[1]!,
    tokens.signFile({ file: 'a' }).split('.')[1]!.slice(0, 21),
    tokens.formToken(text).slice(0, 21),
    tokens.feedTokens(text)[0]!.slice(0, 21),
  ].map((signature) => signature.slice(0, 21))
  t.is(new Set(signatures).size, signatures.length)
  const tag = tokens.signIntent('browser').split('.')[1]!
  const form = Buffer.from(tokens.formToken('browser'), 'base64url')
  t.not(form.subarray(0, 16).toString('base64url'), tag)
})

test('a form’s token belongs to its browser, and a similar text is invalid', (t) => {
  const tokens = createTokens([newer], now)
  const form = tokens.formToken('browser')
  t.true(tokens.isFormToken('browser', form))
  for (const wrong of [`${form}x`, form.slice(0, -1), '', null, [form], form.toLowerCase()])
    t.false(tokens.isFormToken('browser', wrong), String(wrong))
})

test('only the fingerprint of an unguessable value is stored', (t) => {
  t.is(fingerprint('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0', 'FIPS 180-4, B.1')
})

test('a mark follows from its parts, its use and each secret, the newest first', (t) => {
  let asked = 0
  const secrets = () => {
    asked++
    return [newer, older]
  }
  const mark = createMarker(secrets, 'limits')
  t.is(asked, 0, 'secrets are read with the first mark')
  const [own, before] = mark('a', 'b')
  t.deepEqual(mark('a', 'b'), [own, before])
  t.is(asked, 1)
  t.deepEqual(createMarker(() => [older], 'limits')('a', 'b'), [before])
  for (const other of [
    createMarker(secrets, 'other')('a', 'b'),
    createMarker(() => ['another'], 'limits')('a', 'b'),
    mark('a', 'c'),
    mark('ab'),
    mark('b', 'a'),
    mark('a'),
  ])
    t.false(other.includes(own!))
})

test('an id is never taken for an option of a command', (t) => {
  const ids = Array.from({ length: 2000 }, randomId)
  t.is(new Set(ids).size, 2000)
  for (const id of ids) t.regex(id, /^[A-Za-z0-9_][A-Za-z0-9_-]{23}$/)
})
