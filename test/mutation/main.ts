import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { subjects } from './subjects.ts'

// `npm run mutate`: changes the rules that guard money and access, one at a time, and tells which changes no test minds.
// Files given behind `--` are the only ones.
const root = join(import.meta.dirname, '../..')
const place = join(root, '.mutation')
const stryker = join(place, 'stryker/node_modules/@stryker-mutator/core/bin/stryker.js')

interface Mutant {
  readonly id: string
  readonly status: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: { readonly start: { readonly line: number } }
}
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

/** Stryker in a folder of its own: 65 MB that nobody needs who runs the tests. */
function bringStryker(): void {
  if (existsSync(stryker)) return
  mkdirSync(join(place, 'stryker'), { recursive: true })
  writeFileSync(join(place, 'stryker/package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '@stryker-mutator/core@~9.6']
  execFileSync('npm', args, { cwd: join(place, 'stryker'), stdio: 'inherit', timeout: 300_000 })
}

const detected = ['Killed', 'Timeout']
const undetected = ['Survived', 'NoCoverage']
function among(mutants: readonly Mutant[], statuses: readonly string[]) {
  return mutants.filter(({ status }) => statuses.includes(status))
}

/** A table for docs/testing.md, and below it what survived. */
function print({ files }: Report): void {
  const line = (name: string, mutants: readonly Mutant[]) => {
    const [killed, left] = [among(mutants, detected).length, among(mutants, undetected).length]
    console.log(
      `| ${name} | ${killed + left} | ${killed} | ${left} | ${((100 * killed) / (killed + left)).toFixed(1)} % |`,
    )
  }
  console.log('| File | Mutants | Killed | Survived | Score |\n|---|---|---|---|---|')
  for (const [name, { mutants }] of Object.entries(files)) line(`\`${name}\``, mutants)
  line(
    'all',
    Object.values(files).flatMap(({ mutants }) => mutants),
  )
  for (const [name, { mutants }] of Object.entries(files))
    for (const mutant of among(mutants, undetected))
      console.log(
        `${name}:${mutant.location.start.line} ${mutant.status} ${mutant.mutatorName}: ${mutant.replacement.replace(/\s+/g, ' ').slice(0, 100)}`,
      )
}

bringStryker()
await build({
  entryPoints: [join(root, 'test/mutation/runner.ts')],
  outfile: join(place, 'runner.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
})
const files = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  [
    stryker,
    'run',
    'test/mutation/stryker.json',
    '-m',
    (files.length > 0 ? files : Object.keys(subjects)).join(','),
  ],
  { cwd: root, stdio: 'inherit' },
)
if (status === 0) print(JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as Report)
process.exitCode = status ?? 1
