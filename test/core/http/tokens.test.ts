import test from 'ava'
import { createTokens, fingerprint } from '../../../src/core/http/tokens.ts'

const [older, newer] = ['the older secret, of 32 characters', 'the newer secret, of 32 characters']
const now = () => new Date('2026-11-21T12:00:00Z')

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

test('a value signed for one use is invalid for another, with the same secret', (t) => {
  const tokens = createTokens([newer], now)
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
