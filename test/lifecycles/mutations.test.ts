import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { thorough } from '../support/parts.ts'
import { lives } from './all.ts'
import { played } from './lifecycle.ts'
import { type Count, countOf, dropEach, nameOf } from './mutations.ts'
import { isOf, reasonOf, silent } from './silent.ts'

const counts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/lifecycles/dropped.json'), 'utf8'),
) as Record<string, Omit<Count, 'provider'>>

test('the mutations were counted for the lifecycles as they are, and none is unnoticed', (t) => {
  for (const provider of played) {
    const messages = lives
      .filter((life) => life.provider === provider)
      .flatMap(({ steps }) => steps.flatMap(({ sends = [] }) => sends))
    t.is(
      counts[provider]?.all,
      messages.length,
      `npx tsx test/lifecycles/mutations-run.ts ${provider} --write`,
    )
    t.is(counts[provider]?.unnoticed, 0, provider)
  }
})

test('each message that may be missing is one of a lifecycle', (t) => {
  for (const line of silent)
    t.true(
      lives.some((life) =>
        life.steps.some(({ sends = [] }) => sends.some((message) => isOf(line, { life, message }))),
      ),
      `${line.provider} ${String(line.event)} ${String(line.situation)}`,
    )
})

for (const provider of played)
  thorough(test).serial(
    `${provider}: a message that is missing is noticed, or listed with a reason`,
    async (t) => {
      const dropped = []
      for (const life of lives.filter((life) => life.provider === provider))
        dropped.push(...(await dropEach(life)))
      t.deepEqual(dropped.filter(({ outcome }) => outcome === 'unnoticed').map(nameOf), [])
      const quiet = dropped.filter(({ outcome }) => outcome === 'silent')
      t.deepEqual(quiet.filter((one) => reasonOf(one) === undefined).map(nameOf), [])
      for (const line of silent.filter((line) => line.provider === provider))
        t.true(
          quiet.some((one) => isOf(line, one)),
          `left over: ${line.because}`,
        )
      t.deepEqual({ provider, ...counts[provider] }, { ...countOf(provider, dropped) })
    },
  )
