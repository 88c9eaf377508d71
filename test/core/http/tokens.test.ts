import test from 'ava'
import { createTokens } from '../../../src/core/http/tokens.ts'

const [older, newer] = ['the older secret, of 32 characters', 'the newer secret, of 32 characters']
const now = () => new Date('2026-11-21T12:00:00Z')

test('what an older secret signed is good while the list holds it, and not a moment longer', async (t) => {
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

test('a token is for one purpose, one browser and a while', async (t) => {
  const tokens = createTokens([newer], now)
  const token = await tokens.sign('login', { link: 'l1' }, 60)
  t.is(await tokens.verify('session', token), null)
  t.is(await tokens.verify('login', `${token}x`), null)
  t.is(await createTokens([newer], () => new Date('2026-11-21T12:01:01Z')).verify('login', token), null)
  t.false(tokens.isFormToken('browser-of-bob', tokens.formToken('browser-of-ann')))
  t.false(tokens.isFormToken('browser-of-ann', undefined))
})

test('a token without a signature is none, whoever says so in its head', async (t) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = `${part({ alg: 'none' })}.${part({ sid: 's1', aud: 'session', exp: 4_000_000_000 })}.`
  t.is(await createTokens([newer], now).verify('session', forged), null)
})
