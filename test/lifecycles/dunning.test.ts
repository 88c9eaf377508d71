import test from 'ava'
import { type Dunned, differencesOf, dunnings, playDunning } from './dunning.ts'

for (const dunning of dunnings)
  test(`the fake server of ${dunning.provider} plays the documented life of a failed renewal`, async (t) => {
    const seen = await playDunning(dunning.provider)
    t.deepEqual(differencesOf(dunning, seen), [])
  })

test('another provider’s retries, a message too many or one too few are noticed', async (t) => {
  const unnoticed: string[] = []
  for (const dunning of dunnings) {
    const seen = await playDunning(dunning.provider)
    const others = dunnings.flatMap(({ retries }) => (retries === null ? [] : [retries]))
    for (const retryDays of others.filter((days) => String(days) !== String(seen.retries))) {
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
  const undocumented = dunnings.filter(({ retries }) => retries === null).map(({ provider }) => provider)
  t.true(unnoticed.every((line) => undocumented.some((provider) => line.startsWith(provider))))
})
