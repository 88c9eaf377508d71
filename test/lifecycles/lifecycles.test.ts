import test from 'ava'
import { lives } from './all.ts'
import { played } from './lifecycle.ts'
import { replay } from './replay.ts'

for (const life of lives)
  test.serial(`${life.provider}: ${life.situation}`, async (t) => {
    const wrong = await replay(t, life)
    for (const line of wrong) t.log(line)
    if (life.fails === undefined) t.deepEqual(wrong, [])
    else t.not(wrong.length, 0, `This holds now: its line \`fails\` (${life.fails}) has to go.`)
  })

test('each lifecycle says its situation, its fact, and where and when that was read', (t) => {
  t.is(new Set(lives.map(({ provider, situation }) => `${provider} ${situation}`)).size, lives.length)
  for (const { situation, fact, help, steps } of lives) {
    t.regex(situation, /^[A-Z].{20,}[^.]$/, situation)
    t.regex(fact.says, /^.{30,}\.$/, situation)
    t.regex(help, /^[A-Z].{20,}\.$/, situation)
    if (fact.source !== 'unknown') {
      t.regex(fact.source.address, /^https:\/\/\S+$/, situation)
      t.regex(fact.source.read, /^20\d\d-\d\d-\d\d$/, situation)
    }
    t.true(
      steps.some(({ sees }) => sees !== undefined),
      situation,
    )
    const moments = steps.flatMap(({ at, sends = [] }) => [...sends.map((message) => message.at), at])
    t.deepEqual(moments, [...moments].sort(), situation)
  }
})

test('each provider has the lifecycles of at least six situations', (t) => {
  for (const provider of played)
    t.true(lives.filter((life) => life.provider === provider).length >= 6, provider)
})
