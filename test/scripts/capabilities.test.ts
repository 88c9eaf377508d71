import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { playedAs, readOffered, reasonsOf, withCapabilities } from '../../scripts/drift/capability-table.ts'
import { withPaymentWords } from '../../scripts/drift/payment-words.ts'
import { subjects } from '../../scripts/drift/subjects.ts'
import { unused } from '../../scripts/drift/unused.ts'
import { describeAll } from '../../scripts/provider-tables.ts'
import { canDo, type Feature, features } from '../../src/providers/features.ts'

const offered = readOffered()

/** Capabilities that need no request, or that the run cannot reach, each with the reason. */
const without: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  paypal: {
    portal: 'PayPal’s page has one address for everybody.',
    refunds: 'The payment comes with its message; test/memberships/checkout/refunds.test.ts gives it back.',
  },
}

test('every capability of the table works against the fake server, by requests that the official package knows', async (t) => {
  for (const { definition, provider } of await describeAll()) {
    const found = offered[definition.key]
    if (found === undefined) continue
    for (const feature of Object.keys(features) as Feature[]) {
      if (!canDo(provider, feature)) continue
      const asked = found.asked[playedAs[feature] ?? feature]
      const name = `${definition.key}: ${feature}`
      t.truthy(asked, `${name} was not played`)
      const isExcused = without[definition.key]?.[feature] !== undefined
      t.is(asked!.error !== null || asked!.requests.length === 0, isExcused, name)
    }
    const known = Object.keys(subjects[definition.key]!.beyond)
    for (const request of found.beyond)
      t.true(known.includes(request.replace(/^(\w+ )\/v\d(?=\/v)/, '$1')), `${definition.key}: ${request}`)
  }
  t.deepEqual(Object.keys(offered).sort(), Object.keys(subjects).sort())
})

test('every request that an official package offers beside it has one reason, and every reason has a request', (t) => {
  for (const [key, { unused: left }] of Object.entries(offered)) {
    const reasons = reasonsOf(key, left)
    t.deepEqual(
      left.filter((request) => reasons.get(request) === null),
      [],
      `${key} offers these, and nothing says why they are not used`,
    )
    const used = new Set(reasons.values())
    t.deepEqual(
      (unused[key] ?? []).flatMap(([reason]) => (used.has(reason) ? [] : [reason])),
      [],
      `${key} has reasons for nothing`,
    )
  }
})

test('docs/provider-capabilities.md is as it is made (mend: npm run docs)', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/provider-capabilities.md'), 'utf8')
  const described = await describeAll()
  t.is(page, withPaymentWords(withCapabilities(page, described), described))
})
