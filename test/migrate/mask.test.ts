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
test('a key recognised by its randomness', hides, "'abcDEF123456ghiJKL789012mno'", 'abcDEF123456')
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

function word(chars: string, min: number, max: number) {
  return fc
    .array(fc.constantFrom(...chars), { minLength: min, maxLength: max })
    .map((letters) => letters.join(''))
}
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

test('a masked value keeps the text around it readable', (t) => {
  const shown: Record<string, string> = {
    'postgres://app:hunter2@db/site': 'postgres://app:•••@db/site',
    'to ada.love+x@mail.example.com.': 'to •••@•••',
    'at ada@localhost': 'at ada@localhost',
    [`x ${bcrypt} y`]: 'x $••• y',
    sk_live_4eC3: 'sk_live_•••',
    rk_test_4eC3: 'rk_test_•••',
    pk_live_4eC3: 'pk_live_•••',
    'whsec_MfKQ/9r+8=': 'whsec_•••',
    pdl_4eC3: 'pdl_•••',
    pdl_sdbx_4eC3: 'pdl_sdbx_•••',
    'pdl-4eC3': 'pdl-4eC3',
    polar_oat_4eC3: 'polar_oat_•••',
    polar_whsec_4eC3: 'polar_whsec_•••',
    shpat_4eC3: 'shpat_•••',
    access$production$4eC3: 'access$production$•••',
    live_abcdefghijklmnop: 'live_•••',
    test_abcdefghijklmnop: 'test_•••',
    live_abcdefghijklmno: 'live_abcdefghijklmno',
    'STRIPE_SECRET=hunter2 # old': 'STRIPE_SECRET=•••',
    "'secret' => 'hunter2', 'price' => 'p'": "'secret' => '•••', 'price' => 'p'",
    '"webhook": "hunter2"': '"webhook": "•••"',
    'secret: hunter2 # live': 'secret: •••# live',
    'token: env("X")': 'token: env("X")',
    'etag 9f86d081884c7d659a2feaa0c55ad015': 'etag •••',
    '9f86d081884c7d659a2feaa0c55ad01': '9f86d081884c7d659a2feaa0c55ad01',
  }
  for (const [text, expected] of Object.entries(shown)) t.is(mask(text), expected)
})

test('a hash in each of crypt’s formats is masked', (t) => {
  const formats = [
    '2a',
    '2b',
    '2x',
    '2y',
    '5',
    '6',
    '1',
    'y',
    'argon2i',
    'argon2d',
    'argon2id',
    'pbkdf2',
    'pbkdf2-sha256',
  ]
  for (const format of formats) t.is(mask(`x $${format}$abcdefgh y`), 'x $••• y', format)
  t.is(mask('$2z$abcdefgh'), '$2z$abcdefgh')
})

test('random means a long word with two capitals, two small letters and two digits that is no id', (t) => {
  const long = 'abcdefghijklmnopqrst'
  t.is(mask(`${long}AB12`), '•••')
  for (const word of [`${long}A12x`, `${long}ABx1`, `${long}abcd`, `${long.slice(1)}AB12`])
    t.is(mask(word), word)
  const capitals = long.toUpperCase()
  t.is(mask(`${capitals}ab12`), '•••')
  for (const word of [`${capitals}a12X`, `${capitals}ABCD1234`]) t.is(mask(word), word)
  t.is(mask('price_1NG8Du2eZvKYlo2CAbCdEf12'), 'price_1NG8Du2eZvKYlo2CAbCdEf12')
  t.is(mask('my_price_1NG8Du2eZvKYlo2CAbCdEf12'), '•••', 'an id begins with what it is of')
})
