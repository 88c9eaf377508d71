import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

// The whole suite runs what was translated once, since a file that Node loads through a translator starts in more than
// twice the time. `src` becomes `.built` and `test` becomes `.tests`: both stand where their sources do, so that every
// path that leads out of them stays as it is.
const places = { src: '.built', test: '.tests', scripts: '.scripts' }

/** Translates the package and its tests below `root`; types are not looked at. */
export const buildSuite = async (root: string, part: string): Promise<void> => {
  for (const folder of Object.values(places)) rmSync(join(root, folder), { recursive: true, force: true })
  for (const [from, to] of Object.entries(places))
    await build({
      entryPoints: sourcesBelow(join(root, from)),
      outdir: join(root, to),
      outbase: join(root, from),
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // Only so that imports are asked about.
      bundle: true,
      packages: 'external',
      plugins: [translated(root)],
      sourcemap: 'inline',
      logLevel: 'warning',
    })
  symlinkSync(join(root, 'test/fixtures'), join(root, places.test, 'fixtures'))
  await bundlePrograms(root)
  writeGroups(root, part)
}

/** Bundles what tests start as processes of their own with the libraries of `dependencies`: such a process is ready in
 *  less than half the CPU. The folder is as deep as `test/support`, so that paths stay. */
const bundlePrograms = (root: string): Promise<unknown> => {
  const below = (folder: string, wanted: RegExp) =>
    sourcesBelow(join(root, folder))
      .filter((file) => wanted.test(file))
      .map((file) => ({ in: file, out: relative(join(root, folder), file).slice(0, -'.ts'.length) }))
  return build({
    entryPoints: [
      ...below('src', /src\/(index|schemas|cli\/main|testkit\/(index|engine)|entries\/[\w-]+)\.ts$/),
      ...below('test/support', /((limits|seats|crawl)-process|-host|-crash|killed-command)\.ts$/),
    ],
    outdir: join(root, places.test, 'programs'),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    bundle: true,
    splitting: true,
    // Native, or written for another kind of bundler.
    external: ['better-sqlite3', 'jsonc-parser', 'pg-native'],
    plugins: [onlyDependencies(root)],
    // Libraries in CommonJS ask for Node's own modules by it.
    banner: { js: "const require = process.getBuiltinModule('module').createRequire(import.meta.url)" },
    logLevel: 'error',
  })
}

// What a site brings itself, and what only tests use, stays where it is.
const onlyDependencies = (root: string): Plugin => ({
  name: 'only-dependencies',
  setup: ({ onResolve }) => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return null
      const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(path) ?? [path]
      return name in dependencies ? null : { path, external: true }
    })
  },
})

/** Groups that run at the same time: more than there are processors, because a test often waits for a database, a
 *  browser or another process. */
export const groupsAtOnce = 2 * availableParallelism()
// Each process loads the package once, which takes two seconds of CPU, and begins cold.
const groupCount = 3 * groupsAtOnce

/** The slowest files by TEST_TIMES, slowest first. They are dealt before the others. */
const slowest = [
  'simulation/simulation',
  'providers/selling',
  'simulation/model',
  'memberships/limits/limits',
  'providers/damaged-store-messages',
  'memberships/hooks/hooks',
  'memberships/checkout/races',
  'memberships/account/login',
  'browser/demo',
  'site/runtime/process',
  'browser/offers',
  'testkit/certify',
  'site/killed-commands',
  'reports/crawl/crawler',
  'memberships/raises/raises',
  'site/hosts',
  'memberships/gifts/gifts',
  'house',
  'attacks/combinations',
  'memberships/webhooks/crash',
  'site/runtime/demo-bar',
  'reports/cli',
  'reports/hours',
  'memberships/webhooks/pull',
  'office/figures',
  'memberships/ledger/equal-to-provider',
  'browser/shop',
  'fakes/faults',
  'scripts/drift',
  'memberships/ledger/set-of-deliveries',
  'site/init',
  'memberships/checkout/completes',
  'migrate/hostile',
  'memberships/checkout/contract',
  'simulation/offers',
  'site/deploy',
  'providers/mollie/selling',
  'memberships/checkout/changes-unscheduled',
  'migrate/templates-run',
  'memberships/switching/switch',
  'attacks/members',
  'memberships/checkout/changes-attacks',
  'site/runtime/demo',
  'memberships/sync/compare',
  'reports/visit/politeness',
  'site/doctor/purchases',
  'reports/api/idempotency',
  'migrate/journal',
]

// Dealt so that the groups take about as long as each other: the slowest, then by size.
const writeGroups = (root: string, part: string): void => {
  mkdirSync(join(root, places.test, 'groups'))
  const sizeOf = (name: string) => {
    const rank = slowest.indexOf(name)
    return rank === -1 ? statSync(join(root, 'test', `${name}.test.ts`)).size : 1e9 - rank
  }
  const files = testFiles(root)
    .filter((name) => part !== 'thorough' || hasThorough(root, name))
    .sort((a, b) => sizeOf(b) - sizeOf(a))
  for (let n = 0; n < groupCount; n++) {
    const group = files.filter((_, i) => dealt(i) === n)
    if (group.length > 0) writeGroup(root, String(n + 1).padStart(2, '0'), group)
  }
}

// AVA refuses a group in which no test is declared.
const hasThorough = (root: string, name: string): boolean =>
  readFileSync(join(root, 'test', `${name}.test.ts`), 'utf8').includes('thorough(')

// There and back, as cards are dealt fairly.
const dealt = (index: number): number => {
  const [round, seat] = [Math.floor(index / groupCount), index % groupCount]
  return round % 2 === 0 ? seat : groupCount - 1 - seat
}

/** Every test file by its path below `test`, without its ending. */
export const testFiles = (root: string): string[] =>
  sourcesBelow(join(root, 'test'))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => relative(join(root, 'test'), file).slice(0, -'.test.ts'.length))

/** Writes what AVA takes for one file and runs in one process: some of our test files, one after another. */
export const writeGroup = (root: string, name: string, files: readonly string[]): string => {
  const path = join(root, places.test, 'groups', `${name}.test.js`)
  const lines = files.map((file) => `await addFile('${file}', () => import('../${file}.test.js'))`)
  writeFileSync(
    path,
    [`import { addFile, runFiles } from '../support/suite.js'`, ...lines, 'runFiles()', ''].join('\n'),
  )
  return relative(root, path)
}

const sourcesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('fixtures'))
    .map((name) => join(folder, name))

/** Every import of ours leads to what was made of it. */
const translated = (root: string): Plugin => ({
  name: 'translated',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^ava$/ }, ({ importer }) => {
      if (!importer.endsWith('.test.ts')) return { path: 'ava', external: true }
      const seen = relative(dirname(importer), join(root, 'test/support/suite.js'))
      return { path: seen.startsWith('.') ? seen : `./${seen}`, external: true }
    })
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return null
      const target = join(placeOf(root, dirname(join(dirname(importer), path))), path.split('/').at(-1)!)
      const seen = relative(placeOf(root, dirname(importer)), target)
      return {
        path: (seen.startsWith('.') ? seen : `./${seen}`).replace(/\.ts$/, '.js'),
        external: true,
      }
    })
  },
})

const placeOf = (root: string, folder: string): string => {
  const [top, ...rest] = relative(root, folder).split('/')
  return join(root, places[top as keyof typeof places] ?? top ?? '', ...rest)
}
