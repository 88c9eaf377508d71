import test from 'ava'
import { isMembershipError } from '../../../src/index.ts'
import { allowsRead, allowsUpdate, createFields } from '../../../src/memberships/account/index.ts'
import { fieldsFrom, siteWith } from '../../support/account.ts'

const none = new Set<string>()

test('the package’s own blueprint lets members change their name and only see their joining date', (t) => {
  const fields = createFields({ root: false, providerFields: new Set(['stripe']), cache: true })(['member'])
  t.deepEqual([...fields.keys()], ['name', 'email', 'newsletter', 'member_since', 'stripe', 'sandbox'])
  t.true(allowsRead(fields, 'name') && allowsUpdate(fields, 'name'))
  t.true(allowsRead(fields, 'member_since'))
  t.false(allowsUpdate(fields, 'member_since'))
  t.false(allowsRead(fields, 'stripe') || allowsUpdate(fields, 'stripe'))
  t.is(fields.get('newsletter')?.label, 'Send me the newsletter')
})

test('a flag restricts members, and without it they may read and write', async (t) => {
  const fields = await fieldsFrom(
    t,
    `fields:
  open: { type: text }
  closed: { type: text, membership: false }
  seen: { type: text, membership: { update: false } }
  blind: { type: text, membership: { read: false } }`,
  )
  const may = (name: string) => [allowsRead(fields, name), allowsUpdate(fields, name)]
  t.deepEqual(may('open'), [true, true])
  t.deepEqual(may('closed'), [false, false])
  t.deepEqual(may('seen'), [true, false])
  t.deepEqual(may('blind'), [false, true])
  t.deepEqual(may('missing'), [false, false])
})

test('fields are found in tabs, columns, sections and groups, as maps and as lists', async (t) => {
  const fields = await fieldsFrom(
    t,
    `tabs:
  one:
    columns:
      - width: 1/2
        sections:
          a: { type: fields, fields: { first: { type: text } } }
      - fields: { second: { type: text } }
  two:
    sections:
      b: { fields: { third: { type: group, fields: { fourth: { type: tel } } } } }
columns:
  left: { fields: { fifth: true } }`,
  )
  t.deepEqual([...fields.keys()].sort(), ['fifth', 'first', 'fourth', 'second'])
})

test('inherited fields exist, and stay closed when the child only changes the label', async (t) => {
  const root = await siteWith(t, {
    'users/base.yml': 'fields: { points: { type: number, membership: false }, town: { type: text } }',
    'users/member.yml': `extends: users/base
fields: { points: { label: Points }, phone: fields/phone, town: false }`,
    'fields/phone.yml': 'type: tel\nlabel: Phone',
  })
  const fields = createFields({ root, providerFields: none, cache: false })(['member'])
  t.deepEqual([...fields.keys()], ['points', 'phone'])
  t.false(allowsUpdate(fields, 'points'))
  t.is(fields.get('points')?.label, 'Points')
  t.is(fields.get('phone')?.type, 'tel')
})

test('a role has its own blueprint, else the general one', async (t) => {
  const root = await siteWith(t, {
    'users/member.yml': 'fields: { a: { type: text } }',
    'users/author.yml': 'fields: { b: { type: text } }',
  })
  const fieldsOf = createFields({ root, providerFields: none, cache: false })
  t.deepEqual([...fieldsOf(['author']).keys()], ['b'])
  t.deepEqual([...fieldsOf(['reader']).keys()], ['a'])
  t.deepEqual([...fieldsOf([]).keys()], ['a'])
})

test('a role’s name cannot lead to another file', async (t) => {
  const root = await siteWith(t, {
    'users/member.yml': 'fields: { a: { type: text } }',
    'secret.yml': 'fields: { leaked: { type: text } }',
  })
  const fieldsOf = createFields({ root, providerFields: none, cache: false })
  for (const role of [
    '../secret',
    '../../../../etc/passwd',
    'x/../../secret',
    '..',
    '.',
    '',
    'a\0b',
    '/etc/passwd',
    '../pages/gated',
  ])
    t.deepEqual([...fieldsOf([role]).keys()], ['a'], role)
})

test('a provider’s field and fields that decide access stay closed, whatever the blueprint says', async (t) => {
  const names = [
    'stripe',
    'Stripe',
    'id',
    'roles',
    'role',
    'gates',
    'password',
    'created_at',
    'Created-At',
    'email_verified',
  ]
  for (const name of names) {
    const fields = await fieldsFrom(t, `fields: { ${name}: { type: text, membership: true } }`)
    t.false(allowsRead(fields, name), name)
    t.false(allowsUpdate(fields, name), name)
  }
})

test('a field of unknown type is shown but not editable; a password is neither', async (t) => {
  const fields = await fieldsFrom(
    t,
    `fields:
  gallery: { type: files }
  pin: { type: password }
  friend: { type: select, options: { type: query, query: site.users } }`,
  )
  t.true(allowsRead(fields, 'gallery'))
  t.false(allowsUpdate(fields, 'gallery'))
  t.false(allowsRead(fields, 'pin') || allowsUpdate(fields, 'pin'))
  t.true(allowsRead(fields, 'friend'))
  t.false(allowsUpdate(fields, 'friend'))
})

test('version 1’s "write" is an error that names "update" and the command', async (t) => {
  const error = await t.throwsAsync(
    fieldsFrom(t, 'fields: { a: { type: text, membership: { write: false } } }'),
  )
  t.true(isMembershipError(error, 'ERR_CONFIG'))
  t.regex(error?.message ?? '', /"a".*"write".*"update"/)
  t.regex((error as { action?: string }).action ?? '', /npx membership migrate/)
})

test('names in a blueprint cannot become a prototype, and a default is plain text', async (t) => {
  const fields = await fieldsFrom(
    t,
    'fields: { a: { __proto__: { membership: true, type: url }, membership: false }, b: { default: &d [x, *d] } }',
  )
  t.is(fields.get('a')?.type, 'text')
  t.false(allowsRead(fields, 'a'))
  t.deepEqual(fields.get('b')?.default, ['x'])
  t.false(allowsRead(fields, '__proto__') || allowsUpdate(fields, 'constructor'))
})

const bomb = Array.from({ length: 9 }, (_, i) =>
  i === 0
    ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
    : `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
).join('\n')
const broken: Record<string, string> = {
  'no YAML': 'fields: {{',
  'aliases that multiply': bomb,
  'a part that holds itself': 'tabs: &t\n  one:\n    tabs: *t',
  'a group that holds itself': 'fields: &f\n  g: { type: group, fields: *f }',
  'a blueprint that extends itself': 'extends: users/member\nfields: { a: { type: text } }',
  'brackets without end': `fields: ${'['.repeat(50_000)}`,
  'more than a blueprint ever is': `# ${'x'.repeat(300_000)}`,
  'a flag of another kind': 'fields: { a: { type: text, membership: nope } }',
  'a name that no field can have': 'fields: { __proto__: { type: text } }',
}
for (const [what, text] of Object.entries(broken))
  test(`a blueprint with ${what} is refused and closes the account`, async (t) => {
    const error = await t.throwsAsync(fieldsFrom(t, text))
    t.true(isMembershipError(error, 'ERR_CONFIG'), String(error))
    t.regex(error?.message ?? '', /member\.yml/)
  })
