import { run, search } from './run.ts'
import { kinds } from './steps.ts'
const [mode, ...rest] = process.argv.slice(2)
if (mode === 'run') {
  const t0 = Date.now()
  const { broken, log } = await run(JSON.parse(rest[0]!))
  console.log(log.join('\n')); console.log('BROKEN', broken.join('\n')); console.log(Date.now() - t0, 'ms')
} else {
  const [keys, seed, seconds, words = ''] = rest
  const without = words.startsWith('-') ? words.slice(1).split(',') : []
  const only = words === '' ? undefined : words.startsWith('-') ? kinds.filter((k) => !without.includes(k)) : words.split(',')
  const t0 = Date.now()
  const { played, report } = await search({ keys: keys!.split(',') as never, seed: Number(seed), ms: Number(seconds) * 1000, only })
  console.log(played, 'played', Date.now() - t0, 'ms'); console.log(report ?? 'holds')
}
process.exit(0)
