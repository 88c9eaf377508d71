import { existsSync, readFileSync } from 'node:fs'
import test from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import { creem } from '../../src/providers/creem/index.ts'
import { polar } from '../../src/providers/polar/index.ts'
import {
  bodyScheme,
  type HmacScheme,
  signHmac,
  standardWebhooksScheme,
  timestampedScheme,
  verifyHmac,
} from '../../src/providers/signatures.ts'

interface Vector {
  id: string
  scheme: string
  secret?: string
  secrets?: string[]
  payload?: string
  payload_repeat?: [string, number]
  headers: Record<string, string>
  now?: number
  tolerance_s?: number
  expected: 'valid' | 'invalid'
}

const stripe = timestampedScheme({
  header: 'stripe-signature',
  separator: ',',
  timeKey: 't',
  signatureKey: 'v1',
  joiner: '.',
})
const paddle = timestampedScheme({
  header: 'paddle-signature',
  separator: ';',
  timeKey: 'ts',
  signatureKey: 'h1',
  joiner: ':',
})
const schemes: Record<string, HmacScheme> = {
  stripe,
  paddle,
  'standard-webhooks': standardWebhooksScheme(),
  svix: standardWebhooksScheme({ prefix: 'svix' }),
  github: bodyScheme({ header: 'x-hub-signature-256', prefix: 'sha256=' }),
  mollie: bodyScheme({ header: 'x-mollie-signature', prefix: 'sha256=' }),
  creem: bodyScheme({ header: 'creem-signature' }),
  lemonsqueezy: bodyScheme({ header: 'x-signature' }),
}

const vectorFile = new URL('../../../shared/corpora/signatures.json', import.meta.url)

if (existsSync(vectorFile)) {
  const { vectors } = JSON.parse(readFileSync(vectorFile, 'utf8')) as { vectors: Vector[] }
  for (const vector of vectors) {
    test(`published vector ${vector.id} is ${vector.expected}`, (t) => {
      const scheme = schemes[vector.scheme]
      if (scheme === undefined) return t.fail(`no scheme "${vector.scheme}" in this test's table`)
      t.is(verdict(scheme, vector), vector.expected)
    })
  }
} else {
  test('published vectors', (t) => {
    t.log('skipped: the folder with the published vectors is not beside the project')
    t.pass()
  })
}

function verdict(scheme: HmacScheme, vector: Vector): 'valid' | 'invalid' {
  const [char, count] = vector.payload_repeat ?? ['', 0]
  const secrets = vector.secrets ?? [vector.secret ?? '']
  const headers = Object.fromEntries(Object.entries(vector.headers).map(([k, v]) => [k.toLowerCase(), v]))
  try {
    verifyHmac(scheme, {
      delivery: { body: Buffer.from(vector.payload ?? char.repeat(count)), headers },
      secrets: secrets.map((secret, index) => ({ label: String(index), secret })),
      now: new Date((vector.now ?? 0) * 1000),
      toleranceSeconds: vector.tolerance_s || null,
    })
    return 'valid'
  } catch (error) {
    if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) return 'invalid'
    throw error
  }
}

const now = new Date('2026-03-01T12:00:00Z')
const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0x22, 0x7d])
function later(seconds: number) {
  return new Date(now.getTime() + seconds * 1000)
}

for (const [name, scheme] of Object.entries(schemes)) {
  test(`${name}: a signed body verifies, byte for byte, and names its secret`, (t) => {
    const secret = Buffer.from('a secret of some length').toString('base64')
    const delivery = { body, headers: signHmac(scheme, body, secret, now) }
    const secrets = [
      { label: 'old', secret: Buffer.from('another').toString('base64') },
      { label: 'new', secret },
    ]
    t.is(verifyHmac(scheme, { delivery, secrets, now, toleranceSeconds: 300 }), 'new')
    const changed = { ...delivery, body: Buffer.concat([body, Buffer.from(' ')]) }
    t.regex(reason(scheme, changed, secrets), /^No configured secret made this signature \(wrong secret/)
  })
}

function reason(
  scheme: HmacScheme,
  delivery: { body: Buffer; headers: Record<string, string | string[]> },
  secrets: { label: string; secret: string }[],
  at = now,
): string {
  try {
    return verifyHmac(scheme, { delivery, secrets, now: at, toleranceSeconds: 300 })
  } catch (error) {
    if (!isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE') || !error.action) throw error
    return error.message
  }
}

test('no secret, an empty secret and a bare prefix accept nothing', (t) => {
  const delivery = { body, headers: signHmac(stripe, body, '', now) }
  t.regex(reason(stripe, delivery, []), /^No webhook secret is configured/)
  t.regex(reason(stripe, delivery, [{ label: '', secret: '' }]), /^No webhook secret is configured/)
  const standard = standardWebhooksScheme()
  const signed = { body, headers: signHmac(standard, body, 'whsec_', now) }
  t.regex(reason(standard, signed, [{ label: '', secret: 'whsec_' }]), /^No webhook secret is configured/)
})

test('each failure says what is wrong and leaks neither secret nor signature', (t) => {
  const secrets = [{ label: '', secret: 'whsec_do_not_print' }]
  const headers = signHmac(stripe, body, 'whsec_do_not_print', now)
  const signature = headers['stripe-signature']!
  const cases: [RegExp, Record<string, string | string[]>, Date?][] = [
    [/^Header missing: stripe-signature$/, {}],
    [/^Header malformed: stripe-signature$/, { 'stripe-signature': 'nonsense' }],
    [/^Header malformed/, { 'stripe-signature': 't=soon,v1=00' }],
    [/^Header malformed/, { 'stripe-signature': `t=1,${signature}` }],
    [/^Header malformed/, { 'stripe-signature': [signature, signature] }],
    [/^The timestamp is 301 s old \(tolerance 300 s\): check the clock/, headers, later(301)],
    [/^The timestamp is 301 s in the future \(tolerance 300 s\)/, headers, later(-301)],
  ]
  for (const [expected, given, at] of cases) {
    const message = reason(stripe, { body, headers: given }, secrets, at)
    t.regex(message, expected)
    t.notRegex(message, /do_not_print|[0-9a-f]{32}/)
  }
  t.is(reason(stripe, { body, headers }, secrets, later(300)), '')
  t.is(reason(stripe, { body, headers }, secrets, later(-300)), '')
})

test('Creem’s delivery must satisfy the strongest signature that it carries', (t) => {
  const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`
  const secrets = [{ label: 'main', secret }]
  const provider = bareProvider(creem)
  const signed = { ...signHmac(bodyScheme({ header: 'creem-signature' }), body, secret, now) }
  const verify = (headers: Record<string, string | undefined>) =>
    provider.verify({ body, headers }, secrets, now)
  t.is(verify(signed), 'main')
  t.is(verify({ 'creem-signature': `sha256=${signed['creem-signature']}` }), 'main')
  t.is(verify({ 'x-creem-signature': signed['creem-signature'] }), 'main')
  const standard = signHmac(standardWebhooksScheme(), body, secret, now)
  t.is(verify(standard), 'main')
  const old = signHmac(standardWebhooksScheme(), body, secret, later(-301))
  t.throws(() => verify({ ...old, ...signed }), { message: /^The timestamp is 301 s old/ })
  t.throws(() => verify({ ...standard, 'webhook-id': 'msg_other', ...signed }), {
    message: /^No configured secret/,
  })
})

test('the text after the prefix of a Polar secret is a key only if it encodes a complete one', (t) => {
  const provider = bareProvider(polar)
  const standard = standardWebhooksScheme()
  const verify = (text: string) => {
    const delivery = { body, headers: signHmac(standard, body, text, now) }
    return provider.verify(delivery, [{ label: 'main', secret: `whsec_${text}` }], now)
  }
  t.is(verify(Buffer.alloc(24, 'k').toString('base64')), 'main')
  for (const text of [Buffer.alloc(8, 'k').toString('base64'), `ab${'$'.repeat(40)}`, ''])
    t.throws(() => verify(text), { message: /^No (configured secret|webhook secret)/ })
})

function hexOf(scheme: HmacScheme, secret = 'secret', at = now): string {
  return /(?:v1|h1)=([0-9a-f]{64})/.exec(Object.values(signHmac(scheme, body, secret, at))[0]!)![1]!
}
const seconds = now.getTime() / 1000
const item = [{ label: 'one', secret: 'secret' }]
function stripeHeader(text: string) {
  return reason(stripe, { body, headers: { 'stripe-signature': text } }, item)
}

test('one right signature of several is enough, and spaces around a pair are ignored', (t) => {
  const right = hexOf(stripe)
  const wrong = '0'.repeat(64)
  t.is(stripeHeader(`t=${seconds},v1=${wrong},v1=${right}`), 'one')
  t.is(stripeHeader(` t = ${seconds} , v1 = ${right} `), 'one')
  t.is(stripeHeader(`t=${seconds},v0=${wrong},v1=${right},x`), 'one')
  t.regex(stripeHeader(`t=${seconds},v1=${wrong}`), /^No configured secret/)
})

test('a header without a time, with two, without a signature, or with other content is malformed', (t) => {
  const right = hexOf(stripe)
  for (const text of [
    `v1=${right}`,
    `t=${seconds},t=${seconds},v1=${right}`,
    `t=${seconds},v0=${right}`,
    `t=${seconds}`,
    ...[`${seconds}x`, `x${seconds}`, `-${seconds}`, '', '1'.repeat(13)].map(
      (time) => `t=${time},v1=${right}`,
    ),
    ...[`${right}x`, `x${right}`, 'abc', '', 'zz'].map((hex) => `t=${seconds},v1=${hex}`),
  ])
    t.regex(stripeHeader(text), /^Header malformed: stripe-signature$/, text)
})

test('a truncated or too long signature is false', (t) => {
  const right = hexOf(stripe)
  for (const hex of [right.slice(2), `${right}00`, right.slice(0, 2)])
    t.regex(stripeHeader(`t=${seconds},v1=${hex}`), /^No configured secret/)
})

test('Standard Webhooks: only version 1 signatures count, and one right one is enough', (t) => {
  const standard = standardWebhooksScheme()
  const key = Buffer.from('a secret of some length').toString('base64')
  const secrets = [{ label: 'one', secret: `whsec_${key}` }]
  const headers = signHmac(standard, body, key, now)
  t.regex(headers['webhook-id']!, /^msg_[0-9a-f]{24}$/)
  const right = headers['webhook-signature']!
  const verdictOf = (signature: string) =>
    reason(standard, { body, headers: { ...headers, 'webhook-signature': signature } }, secrets)
  t.is(verdictOf(`v1a,x v1,${Buffer.alloc(32).toString('base64')} ${right}`), 'one')
  for (const text of [
    right.replace('v1,', 'v2,'),
    right.replace('v1,', ''),
    'v1,',
    'v1,*',
    `v1,*${right.slice(3)}`,
    `${right}*`,
    'v1,===',
    'v1,a===',
  ])
    t.regex(verdictOf(text), /^Header malformed: webhook-signature$/, text)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    t.is(reason(standard, { body, headers: { ...headers, [name]: '' } }, secrets), `Header missing: ${name}`)
  t.regex(
    reason(standard, { body, headers: { ...headers, 'webhook-timestamp': 'soon' } }, secrets),
    /^Header malformed: webhook-timestamp/,
  )
  const inside = `${key.slice(0, 8)}whsec_${key.slice(8)}`
  t.not(signHmac(standard, body, inside, now)['webhook-signature'], right, 'a prefix stands in front')
})

test('a signature of the body alone may have its prefix, none, or spaces; in base64 if agreed', (t) => {
  for (const [encoding, bad] of [
    ['hex', 'zz'],
    ['base64', '*'],
  ] as const) {
    const scheme = bodyScheme({ header: 'x-signature', encoding, prefix: 'sha256=' })
    const headers = signHmac(scheme, body, 'secret', now)
    const bare = headers['x-signature']!.replace('sha256=', '')
    for (const text of [`sha256=${bare}`, bare, ` ${bare} `])
      t.is(reason(scheme, { body, headers: { 'x-signature': text } }, item), 'one', text)
    for (const text of [bad, 'sha256=', `sha1=${bare}`])
      t.regex(
        reason(scheme, { body, headers: { 'x-signature': text } }, item),
        /^Header malformed: x-signature$/,
        text,
      )
    t.is(reason(scheme, { body, headers: {} }, item), 'Header missing: x-signature')
  }
  t.is(
    signHmac(bodyScheme({ header: 'x' }), body, 'secret', now).x?.length,
    64,
    'no prefix unless there is one',
  )
})

test('an unsigned or unchecked time makes nothing old', (t) => {
  const old = { body, headers: signHmac(stripe, body, 'secret', later(-9999)) }
  t.is(verifyHmac(stripe, { delivery: old, secrets: item, now, toleranceSeconds: null }), 'one')
  const bare = bodyScheme({ header: 'x-signature' })
  const delivery = { body, headers: signHmac(bare, body, 'secret', now) }
  t.is(verifyHmac(bare, { delivery, secrets: item, now, toleranceSeconds: 0 }), 'one')
  t.regex(reason(stripe, old, item), /^The timestamp is 9999 s old/)
})
