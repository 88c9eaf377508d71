/**
 * Drops each message of each lifecycle in turn, and prints what nobody notices: `npx tsx
 * test/lifecycles/mutations-run.ts [PROVIDER] [WORDS OF THE SITUATION]`. `--write` keeps the counts for the
 * table of docs/tested.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lives } from './all.ts'
import { played } from './lifecycle.ts'
import { type Count, countOf, type Dropped, dropEach, eventOf, nameOf } from './mutations.ts'
import { reasonOf } from './silent.ts'

const [only, words = ''] = process.argv.slice(2).filter((word) => word !== '--write')
const isWriting = process.argv.includes('--write')
const file = join(import.meta.dirname, 'dropped.json')
const counts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Omit<Count, 'provider'>>

console.log(
  '| Provider | Messages | Noticed | Said twice | Changes nothing | Nobody notices |\n| --- | --- | --- | --- | --- | --- |',
)
const lost: Dropped[] = []
for (const provider of played.filter((key) => only === undefined || key === only)) {
  const dropped: Dropped[] = []
  for (const life of lives.filter((life) => life.provider === provider && life.situation.includes(words)))
    dropped.push(...(await dropEach(life)))
  const { all, noticed, repeated, silent, unnoticed } = countOf(provider, dropped)
  console.log(`| ${provider} | ${all} | ${noticed} | ${repeated} | ${silent} | ${unnoticed} |`)
  counts[provider] = { all, noticed, repeated, silent, unnoticed }
  lost.push(...dropped.filter(({ outcome }) => outcome !== 'noticed'))
}
for (const one of lost.filter(({ outcome }) => outcome === 'repeated'))
  console.log(`- ${nameOf(one)}: as in ${eventOf(one.by!)} of ${one.by!.at}`)
for (const outcome of ['silent', 'unnoticed'] as const) {
  console.log(outcome === 'silent' ? '\nChanges nothing:' : '\nNobody notices:')
  for (const one of lost.filter((one) => one.outcome === outcome))
    console.log(`- ${nameOf(one)}${outcome === 'silent' ? `: ${reasonOf(one) ?? 'NO REASON'}` : ''}`)
}
if (isWriting) writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`)
process.exit(0)
