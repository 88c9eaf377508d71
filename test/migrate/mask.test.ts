import test from 'ava'
import fc from 'fast-check'
import { mask } from '../../src/migrate/mask.ts'

const hides = test.macro((t, text: string, secret: string) => {
  const masked = mask(text)
  t.false(masked.includes(secret), masked)
  t.is(mask(masked), masked)
})

const bcrypt = '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
test('an e-mail address', hides, 'Email: ada.love+x@mail.example.com, done', 'ada.love')
test('a bcrypt hash', hides, bcrypt, 'N9qo8uLOickgx2ZMRZoMye')
test(
  'an argon2 hash',
  hides,
  'x $argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub y',
  'RdescudvJCsgt3ub',
)
test('a key of Stripe', hides, "secret('sk_live_4eC39HqLyjWDarjtT1zdp7dc')", '4eC39HqLyjWDarjtT1zdp7dc')
test('a webhook’s secret', hides, '- whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9r8')
test('a key of Mollie', hides, 'live_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM', 'dHar4XY7')
test(
  'a short secret beside its name, in PHP',
  hides,
  "    'membership.stripe.secret' => 'hunter2',",
  'hunter2',
)
test('a short secret beside its name, in double quotes', hides, '  "webhook": "abc\\"def"', 'abc')
test('a short secret beside its name, in YAML', hides, '  secret: hunter2 # live', 'hunter2')
test('a short secret in a list', hides, "'webhook' => ['hunter2']", 'hunter2')
test('a variable of a .env file', hides, 'export STRIPE_SECRET=hunter2', 'hunter2')
test('a commented-out variable', hides, '# DB_PASSWORD = hunter2', 'hunter2')
test('a line of a diff', hides, '-STRIPE_SECRET_KEY="hunter2"', 'hunter2')
test('a password in an address', hides, 'postgres://app:hunter2@db/site', 'hunter2')
test('a key by its randomness', hides, "'abcDEF123456ghiJKL789012mno'", 'abcDEF123456')
test('a digest', hides, 'etag 9f86d081884c7d659a2feaa0c55ad015', '9f86d081')

const keeps = test.macro((t, text: string) => t.is(mask(text), text))

test('names of keys stay', keeps, 'membership.stripe.secret → membership.providers.stripe.secret')
test('env() stays', keeps, "'membership.stripe.secret' => fn () => env('STRIPE_SECRET'),")
test('env() in a script stays', keeps, 'secret: env("STRIPE_SECRET"),')
test('a reference in YAML stays', keeps, `secret: \${STRIPE_SECRET}`)
test('price ids stay', keeps, "subscriptionForPrice('price_1NG8Du2eZvKYlo2CAbCdEf12')")
test('paths stay', keeps, 'site/plugins/membership-extras2/Snippets/AccountPage.php:12:5')
test('names of variables stay', keeps, 'MEMBERSHIP_STRIPE_SECRET_2 is read here')
test('an empty variable stays', keeps, 'STRIPE_SECRET=\nNEXT=1')

const word = (chars: string, min: number, max: number) =>
  fc.array(fc.constantFrom(...chars), { minLength: min, maxLength: max }).map((letters) => letters.join(''))
const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789'

test('no secret of a documented kind survives anywhere', (t) => {
  const secret = fc.oneof(
    word(letters, 16, 60).map((s) => [`sk_live_${s}`, s]),
    word(letters, 16, 60).map((s) => [`whsec_${s}`, s]),
    word(letters, 53, 53).map((s) => [`$2y$10$${s}`, s]),
    word(letters, 6, 30).map((s) => [`'secret' => '${s}'`, `'${s}'`]),
    word(letters, 6, 30).map((s) => [`webhook: "${s}"`, `"${s}"`]),
    word('abcdefgh', 3, 20).map((s) => [`zz${s}@example.org`, `zz${s}`]),
    word(letters, 6, 30).map((s) => [`\nSHOP_TOKEN=${s}\n`, `=${s}`]),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(secret, fc.constantFrom(' ', '\n', ', ', ' => ', '"'))), (parts) => {
      const masked = mask(parts.map(([[text], after]) => text + after).join(''))
      for (const [[, hidden]] of parts) t.false(masked.includes(hidden!), masked)
      t.is(mask(masked), masked)
    }),
    { numRuns: 500, seed: 3 },
  )
})

test('a megabyte of anything is masked in linear time', (t) => {
  for (const piece of ['a', '@', 'a@', '"', "secret: '", '$2y$', '=', 'A1b'])
    t.true(mask(piece.repeat(1_000_000 / piece.length)).length > 0)
})
