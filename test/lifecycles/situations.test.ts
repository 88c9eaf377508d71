import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { lives } from './all.ts'
import { type Played, played } from './lifecycle.ts'
import { situations, told, unknowns, withouts } from './situations.ts'

test('each situation stands once in the table for each provider', (t) => {
  for (const { situation, played: own, without, unknown, open } of told)
    t.deepEqual([...own, ...without, ...unknown, ...open].sort(), [...played], situation.name)
  t.is(new Set(situations.map(({ key }) => key)).size, situations.length)
})

test('each lifecycle plays a situation, and none that it is said not to have', (t) => {
  for (const { provider, situation, plays } of lives) {
    t.not(plays.length, 0, situation)
    t.is(new Set(plays).size, plays.length, situation)
    for (const { situation: one, played: own } of told)
      if (plays.includes(one.key)) t.true(own.includes(provider), situation)
  }
  const elsewhere = situations.filter((one) => one.elsewhere !== undefined).map(({ key }) => key)
  t.false(lives.some(({ plays }) => plays.some((key) => key !== 'own' && elsewhere.includes(key))))
})

test('a reason names a page, and no situation has two reasons', (t) => {
  for (const { because, source } of withouts) {
    t.regex(because, /^[A-Z].{20,}\.$/)
    t.regex(source, /^(unknown|https:\/\/\S+)$/)
  }
  const pairs = [...withouts, ...unknowns].flatMap(({ providers, situations }) =>
    providers.flatMap((provider) => situations.map((key) => `${provider} ${key}`)),
  )
  t.deepEqual(
    pairs.filter((pair, index) => pairs.indexOf(pair) !== index),
    [],
  )
})

// The situations that no lifecycle plays yet, by provider. A number may only become smaller.
const openBy: Readonly<Record<Played, number>> = {
  apple: 0,
  chargebee: 0,
  creem: 0,
  dodo: 0,
  google: 0,
  lemonsqueezy: 0,
  mollie: 0,
  paddle: 0,
  paypal: 0,
  polar: 0,
  revenuecat: 0,
  stripe: 0,
}

test('no situation is left open that was not', (t) => {
  for (const provider of played)
    t.is(told.filter(({ open }) => open.includes(provider)).length, openBy[provider], provider)
})

test('a test that holds a situation for all providers is there', (t) => {
  for (const name of situations.flatMap(({ elsewhere = [] }) => elsewhere)) {
    const [, file = '', prefix, title = ''] = /^(\S+\.test\.ts): (…: )?(.*)$/.exec(name) ?? []
    const text = readFileSync(join(import.meta.dirname, '../../test', file), 'utf8')
    t.true(text.includes(prefix === undefined ? `'${title}'` : `: ${title}\``), name)
  }
})
