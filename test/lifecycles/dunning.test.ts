import test from 'ava'
import { areSeen, type Dunned, differencesOf, dunnings, playDunning } from './dunning.ts'

for (const dunning of dunnings)
  test(`the fake server of ${dunning.provider} plays the documented life of a failed renewal`, async (t) => {
    const seen = await playDunning(dunning.provider)
    if (dunning.fails === undefined) t.deepEqual(differencesOf(dunning, seen), [])
    else t.not(differencesOf(dunning, seen).length, 0, 'This holds now: its line `fails` has to go.')
  })

test('another provider’s retries, a message too many or one too few are noticed', async (t) => {
  const unnoticed: string[] = []
  for (const dunning of dunnings) {
    const seen = await playDunning(dunning.provider)
    const others = dunnings.flatMap(({ retries }) => (retries === null ? [] : [retries]))
    for (const retryDays of others.filter((days) => !areSeen(days, seen))) {
      const changed =
        dunning.provider === 'mollie'
          ? { ...seen, retries: retryDays }
          : await playDunning(dunning.provider, { dunning: { retryDays } })
      if (differencesOf(dunning, changed).length === 0)
        unnoticed.push(`${dunning.provider} tries again on days ${retryDays.join(', ')}`)
    }
    const changes: readonly Dunned[] = [
      ...dunning.sends.map((type) => ({ ...seen, sent: new Set([...seen.sent].filter((x) => x !== type)) })),
      ...dunning.neverSends.map((type) => ({ ...seen, sent: new Set([...seen.sent, type]) })),
    ]
    for (const changed of changes) t.not(differencesOf(dunning, changed).length, 0, dunning.provider)
  }
  for (const line of unnoticed) t.log(`nobody notices: ${line}`)
  // Without documented days there is nothing to compare with.
  const undocumented = dunnings
    .filter(({ retries, fails }) => retries === null || fails !== undefined)
    .map(({ provider }) => provider)
  t.true(unnoticed.every((line) => undocumented.some((provider) => line.startsWith(provider))))
})
