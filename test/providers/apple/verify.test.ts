import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { isMembershipError } from '../../../src/core/errors.ts'
import { type ChainOptions, createSigner, marks, type SignOptions } from '../../../src/fakes/apple/signing.ts'
import { appleRoot } from '../../../src/providers/apple/certificates.ts'
import { apple } from '../../../src/providers/apple/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'

// Apple's own library is the judge: both accept and both refuse the same notifications. Its types are not imported, so
// that the project's own types do not depend on it.

interface Judge {
  verifyAndDecodeNotification(signedPayload: string): Promise<unknown>
}
interface Library {
  readonly SignedDataVerifier: new (
    roots: readonly Buffer[],
    checksOnline: boolean,
    environment: string,
    bundleId: string,
    appAppleId?: number,
  ) => Judge
}
const packageName = '@apple/app-store-server-library'
const { SignedDataVerifier } = (await import(packageName)) as Library

const bundleId = 'com.example.app'
const appId = 1_234_567_890
const signedDate = Date.parse('2026-03-01T12:00:00Z')
const now = new Date('2026-03-01T12:00:05Z')
const { root, sign } = createSigner()

type Fields = Readonly<Record<string, unknown>>

const sandbox: Fields = { bundleId, bundleVersion: '1', environment: 'Sandbox' }
const production: Fields = { ...sandbox, appAppleId: appId, environment: 'Production' }

function notification(data: Fields, more: Fields = {}): Fields {
  return {
    notificationType: 'SUBSCRIBED',
    subtype: 'INITIAL_BUY',
    notificationUUID: '002e14d5-51f5-4503-b5a8-c3a1af68eb20',
    version: '2.0',
    signedDate,
    data,
    ...more,
  }
}

function toBody(signedPayload: unknown): Buffer {
  return Buffer.from(JSON.stringify({ signedPayload }))
}

/** Whether the notification would count on a site of this mode: verified, and of the site's own mode. */
async function counts(signedPayload: string, livemode: boolean): Promise<boolean> {
  const provider = bareProvider(apple, { root_certificate: root, app_id: appId })
  const delivery = { body: toBody(signedPayload), headers: {} }
  try {
    await provider.verify(delivery, [{ label: '', secret: bundleId }], now)
  } catch (error) {
    if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) return false
    throw error
  }
  return provider.read(delivery)[0]?.livemode === livemode
}

async function isAcceptedByApple(signedPayload: string, livemode: boolean): Promise<boolean> {
  const roots = [new X509Certificate(root).raw]
  const environment = livemode ? 'Production' : 'Sandbox'
  const judge = new SignedDataVerifier(roots, false, environment, bundleId, livemode ? appId : undefined)
  return judge.verifyAndDecodeNotification(signedPayload).then(
    () => true,
    () => false,
  )
}

const strangers = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function chained(options: ChainOptions, data = sandbox, more: Fields = {}): string {
  return createSigner(options).sign(notification(data, more))
}
function signed(data: Fields, more: Fields = {}, options: SignOptions = {}): string {
  return sign(notification(data, more), options)
}

/** Replaces the payload and keeps the signature. */
function withPayload(jws: string, payload: Fields): string {
  const [header, , signature] = jws.split('.')
  return [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.')
}

const cases: readonly (readonly [title: string, jws: string, livemode: boolean, accepted: boolean])[] = [
  ['a sound notification of the sandbox', signed(sandbox), false, true],
  ['a sound notification of production', signed(production), true, true],
  ['one of the sandbox for production', signed(sandbox), true, false],
  ['one of production for the sandbox', signed(production), false, false],
  ['another app', signed({ ...sandbox, bundleId: 'com.example.other' }), false, false],
  ['another app in production', signed({ ...production, bundleId: 'com.example.other' }), true, false],
  ['the same name with another Apple ID', signed({ ...production, appAppleId: 1 }), true, false],
  ['no Apple ID in production', signed({ ...production, appAppleId: undefined }), true, false],
  ['no app', signed({ environment: 'Sandbox' }), false, false],
  ['a summary', signed(sandbox, { data: undefined, summary: sandbox }), false, true],
  [
    'a token of an external purchase',
    signed(sandbox, {
      data: undefined,
      externalPurchaseToken: { bundleId, externalPurchaseId: 'SANDBOX_1' },
    }),
    false,
    true,
  ],
  [
    'a token of an external purchase in production',
    signed(sandbox, {
      data: undefined,
      externalPurchaseToken: { bundleId, appAppleId: appId, externalPurchaseId: '1' },
    }),
    true,
    true,
  ],
  ['app data', signed(sandbox, { data: undefined, appData: sandbox }), false, true],
  ['another root', chained({ rootSigner: strangers.privateKey }), false, false],
  ['another authority', chained({ intermediateSigner: strangers.privateKey }), false, false],
  ['an authority by another name', chained({ intermediate: { issuer: 'Another root' } }), false, false],
  ['a signer by another name', chained({ leaf: { issuer: 'Another authority' } }), false, false],
  ['an authority that is none', chained({ intermediate: { isAuthority: false } }), false, false],
  ['a signer without Apple’s mark', chained({ leaf: { marks: [] } }), false, false],
  ['an authority without Apple’s mark', chained({ intermediate: { marks: [] } }), false, false],
  ['marks at each other’s place', chained({ leaf: { marks: [marks.intermediate] } }), false, false],
  ['more marks than needed', chained({ leaf: { marks: ['2a864886f763640309', marks.leaf] } }), false, true],
  ['two certificates', chained({ x5c: (chain) => chain.slice(0, 2) }), false, false],
  ['four certificates', chained({ x5c: (chain) => [...chain, chain[2]] }), false, false],
  ['no certificates', chained({ x5c: () => [] }), false, false],
  ['certificates that are none', chained({ x5c: () => ['AA', 'AA', 'AA'] }), false, false],
  ['certificates in another order', chained({ x5c: (chain) => chain.toReversed() }), false, false],
  // Only the root of one's own counts, so the third certificate is nobody's business.
  ['a third certificate of anybody', chained({ x5c: ([a, b]) => [a, b, a] }), false, true],
  ['an expired signer', chained({ leaf: { to: '2026-02-01T00:00:00' } }), false, false],
  ['an expired authority', chained({ intermediate: { to: '2026-02-01T00:00:00' } }), false, false],
  ['a signer of tomorrow', chained({ leaf: { from: '2026-03-02T00:00:00' } }), false, false],
  [
    'a signer that was valid then',
    chained({ leaf: { to: '2026-02-01T00:00:00' } }, sandbox, { signedDate: Date.parse('2026-01-01') }),
    false,
    true,
  ],
  ['clocks that differ by half a minute', chained({ leaf: { to: '2026-03-01T11:59:30' } }), false, true],
  ['clocks that differ by two minutes', chained({ leaf: { to: '2026-03-01T11:58:00' } }), false, false],
  ['no date', signed(sandbox, { signedDate: undefined }), false, true],
  ['a date that is none', signed(sandbox, { signedDate: 'today' }), false, false],
  ['another key', signed(sandbox, {}, { key: strangers.privateKey }), false, false],
  ['no algorithm', signed(sandbox, {}, { header: { alg: 'none' } }), false, false],
  ['a symmetric algorithm', signed(sandbox, {}, { header: { alg: 'HS256' } }), false, false],
  [
    'the same payload encoded again',
    withPayload(signed(production), notification({ ...production, bundleId })),
    true,
    true,
  ],
  [
    'a payload of another day',
    withPayload(signed(sandbox), notification(sandbox, { signedDate: signedDate + 1 })),
    false,
    false,
  ],
  ['no signature', `${signed(sandbox).split('.').slice(0, 2).join('.')}.`, false, false],
  ['no JWS', 'eyJ', false, false],
]

for (const [title, jws, livemode, accepted] of cases)
  test(`${title}: ${accepted ? 'accepted' : 'refused'} here and by Apple’s library`, async (t) => {
    t.is(await isAcceptedByApple(jws, livemode), accepted, 'by Apple’s library')
    t.is(await counts(jws, livemode), accepted, 'here')
  })

test('a notification with one other character in its payload counts nowhere', async (t) => {
  const jws = signed(sandbox)
  const [begin, end] = [jws.indexOf('.') + 1, jws.lastIndexOf('.')]
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: begin, max: end - 1 }),
      fc.constantFrom(...alphabet),
      async (at, letter) => {
        fc.pre(jws[at] !== letter)
        const other = jws.slice(0, at) + letter + jws.slice(at + 1)
        t.false(await counts(other, false))
        t.false(await isAcceptedByApple(other, false))
      },
    ),
    { numRuns: 60 },
  )
})

test('the root is Apple’s, by the fingerprint that Apple publishes', (t) => {
  t.is(
    new X509Certificate(appleRoot).fingerprint256,
    '63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79',
  )
})

test('without another root only Apple’s own counts', async (t) => {
  const provider = bareProvider(apple, { app_id: appId })
  const delivery = { body: toBody(signed(sandbox)), headers: {} }
  const error = await t.throwsAsync(async () =>
    provider.verify(delivery, [{ label: '', secret: bundleId }], now),
  )
  t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
})

test('the bundle id that matches names the account; without any nothing is accepted', async (t) => {
  const provider = bareProvider(apple, { root_certificate: root, app_id: { ios: appId, tv: 7 } })
  const delivery = { body: toBody(signed(production)), headers: {} }
  const secrets = [
    { label: 'tv', secret: 'com.example.tv' },
    { label: 'ios', secret: bundleId },
  ]
  t.is(await provider.verify(delivery, secrets, now), 'ios')
  const error = await t.throwsAsync(async () => provider.verify(delivery, [], now))
  t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
})
