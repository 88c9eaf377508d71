import test from 'ava'
import fc from 'fast-check'
import { env, isMembershipError } from '../../src/index.ts'
import { lookUpData, migrateConfig } from '../../src/migrate/config/data.ts'
import { configs, dataOf, v1Leaves } from '../support/v1-config.ts'

test('flat keys become v2 keys, and the values are the same objects', (t) => {
  const checkout = (ctx: { locale: string }) => ({ locale: ctx.locale })
  const { config, notes } = migrateConfig({
    'membership.stripe.secret': env('STRIPE_SECRET'),
    'membership.stripe.checkout': checkout,
    'membership.manageUsers.role': 'member',
    'membership.provider.current': 'stripe',
    debug: true,
  })
  t.is(config['membership.providers.stripe.checkout'], checkout)
  t.deepEqual(config['membership.members.roles'], ['member'])
  t.is(config['membership.provider.handler'], 'stripe')
  t.is(config.debug, true)
  t.deepEqual(
    notes.map(({ code, key }) => [code, key]),
    [['confirm-handler', 'membership.provider.current']],
  )
})

test('nested keys are renamed in place, and other keys stay', (t) => {
  const v1 = {
    membership: {
      stripe: { secret: 's' },
      manageUsers: { role: env('ROLE'), mail: true },
      ratelimit: { limit: 5 },
    },
  }
  const before = structuredClone({ ...v1, membership: { ...v1.membership, manageUsers: null } })
  const { config } = migrateConfig(v1)
  const found = (key: string) => lookUpData(config, key.split('.'))
  t.is(found('membership.providers.stripe.secret'), 's')
  t.deepEqual(found('membership.members.roles'), [v1.membership.manageUsers.role])
  t.is(found('membership.manageUsers.mail'), true)
  t.is(found('membership.manageUsers.role'), undefined)
  t.is(found('membership.provider.handler'), 'stripe')
  t.is(found('membership.ratelimit.limit'), 5)
  // The object given stays untouched.
  t.deepEqual(structuredClone({ ...v1, membership: { ...v1.membership, manageUsers: null } }), before)
})

test('a provider is added to the existing ones', (t) => {
  const { config } = migrateConfig({
    membership: { providers: { paddle: { secret: 'p' }, stripe: { webhook: 'w' } }, stripe: { secret: 's' } },
  })
  t.deepEqual(config, {
    membership: { providers: { paddle: { secret: 'p' }, stripe: { secret: 's', webhook: 'w' } } },
  })
})

test('two forms with different values are both kept and reported', (t) => {
  const v1 = { 'membership.stripe.secret': 'a', 'membership.providers.stripe.secret': 'b' }
  const { config, notes } = migrateConfig(v1)
  t.is(config['membership.stripe.secret'], 'a')
  t.is(config['membership.providers.stripe.secret'], 'b')
  t.deepEqual(
    notes.map(({ code }) => code),
    ['both-forms-differ'],
  )
})

test('two forms with the same value become one', (t) => {
  const v1 = { 'membership.manageUsers.role': 'm', 'membership.members.roles': ['m'] }
  t.deepEqual(migrateConfig(v1), { config: { 'membership.members.roles': ['m'] }, notes: [] })
})

test('a role that is neither text nor env() is left and reported', (t) => {
  const role = () => 'member'
  const { config, notes } = migrateConfig({ 'membership.manageUsers.role': role })
  t.is(config['membership.manageUsers.role'], role)
  t.is(notes[0]?.code, 'role-not-literal')
})

test('the provider and the prefix may have other names', (t) => {
  const { config } = migrateConfig({ 'shop.acme.secret': 's' }, { provider: 'acme', prefix: 'shop' })
  t.deepEqual(config, { 'shop.providers.acme.secret': 's', 'shop.provider.handler': 'acme' })
})

test('a key named __proto__ is data', (t) => {
  const v1 = JSON.parse('{"membership":{"__proto__":{"polluted":true},"stripe":{"secret":"s"}}}')
  const { config } = migrateConfig(v1)
  t.is(({} as { polluted?: boolean }).polluted, undefined)
  t.is((config.membership as { polluted?: boolean }).polluted, undefined)
})

test('anything but an object is an error that says so', (t) => {
  const error = t.throws(() => migrateConfig('membership'))
  t.true(isMembershipError(error, 'ERR_USAGE'))
})

test('each v2 look-up gives the same as the v1 look-up', (t) => {
  fc.assert(
    fc.property(configs(), (tree) => {
      const v1 = dataOf(tree)
      const { config, notes } = migrateConfig(v1)
      for (const key of v1Leaves) {
        const was = lookUpData(v1, key.split('.'))
        if (was === undefined) continue
        const target = key
          .replace('manageUsers.role', 'members.roles')
          .replace('provider.current', 'provider.handler')
          .replace('membership.stripe', 'membership.providers.stripe')
        const wanted = key.endsWith('.role') && typeof was === 'string' ? [was] : was
        const now = lookUpData(config, target.split('.'))
        if (JSON.stringify(now) === JSON.stringify(wanted)) continue
        // What is left to a person is there as it was.
        const isKept = JSON.stringify(lookUpData(config, key.split('.'))) === JSON.stringify(was)
        if (notes.length === 0 || !isKept)
          throw new Error(
            `${key} was ${JSON.stringify(was)}, is ${JSON.stringify(now)}: ${JSON.stringify(config)}`,
          )
      }
      t.deepEqual(migrateConfig(config).config, config)
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 500), seed: process.env.FC_SEED === 'random' ? undefined : 1 },
  )
})
