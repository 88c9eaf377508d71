import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  const each = Object.entries(places).map(([from, to]) =>
    build({
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
      sourcesContent: false,
      logLevel: 'warning',
    }),
  )
  await Promise.all([...each, bundlePrograms(root)])
  symlinkSync(join(root, 'test/fixtures'), join(root, places.test, 'fixtures'))
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
export const groupsAtOnce = 3 * availableParallelism()

/** What the slowest files take by TEST_TIMES, in seconds. Files without a number take next to nothing. */
const seconds: Readonly<Record<string, number>> = {
  'memberships/checkout/races': 18,
  'simulation/model': 17,
  'providers/selling': 16,
  'browser/demo': 14,
  'attacks/combinations': 14,
  'simulation/simulation': 15,
  'simulation/books': 7,
  'memberships/raises/raises': 13,
  'memberships/hooks/hooks': 12,
  house: 11,
  'providers/damaged-store-messages': 11,
  'memberships/account/login': 10,
  'memberships/raises/providers': 10,
  'testkit/certify': 8.8,
  'simulation/offers': 8.1,
  'browser/offers': 10,
  'site/doctor/leaks': 7.3,
  'memberships/limits/limits': 7.1,
  'simulation/stores': 6.6,
  'memberships/gifts/gifts': 6.4,
  'memberships/account/router': 6.2,
  'attacks/members': 6.2,
  'browser/shop': 9,
  'memberships/ledger/equal-to-provider': 5.9,
  'site/runtime/leaks-and-restore-commands': 5.8,
  'memberships/sync/compare': 5.8,
  'providers/mollie/selling': 5.6,
  'site/killed-commands': 5.6,
  'site/hosts': 5.5,
  'browser/raises': 6,
  'memberships/switching/switch': 5.1,
  'scripts/drift': 4.9,
  'site/runtime/process': 4.8,
  'memberships/groups': 4.8,
  'memberships/checkout/completes': 4.6,
  'providers/paypal/selling': 4.5,
  'office/office': 4.4,
  'memberships/checkout/changes-attacks': 4.3,
  'memberships/account/deletion': 4.1,
  'memberships/ledger/set-of-deliveries': 4.1,
  'site/runtime/demo': 4.1,
  'memberships/checkout/changes': 4,
  'reports/crawl/crawler': 3.9,
  'site/help': 3.9,
  'reports/visit/ssrf': 3.8,
  'site/runtime/demo-bar': 3.7,
  'reports/hours': 3.7,
  'reports/cli': 3.6,
  'memberships/checkout/trials': 3.5,
  'site/deploy': 3.5,
  'office/figures': 3.4,
  'memberships/mails/notices': 3.4,
  'reports/api/idempotency': 3.4,
  'memberships/webhooks/pings': 3.3,
  'memberships/webhooks/crash': 3.2,
  'site/init': 3.1,
  'reports/preview/images': 3.1,
  'memberships/merging/offers': 2.9,
  'memberships/checkout/contract': 2.9,
  'memberships/checkout/purchases': 2.8,
  'reports/api/answers': 2.8,
  'memberships/merging/by-members': 2.7,
  'fakes/faults': 2.7,
  'memberships/sync/sync': 2.7,
  'migrate/templates-properties': 2.7,
  'memberships/members/walls': 2.6,
  'providers/matrix': 2.4,
  'site/doctor/purchases': 2.4,
  'providers/chosen-amounts': 2.4,
  'memberships/checkout/consent': 2.3,
  'migrate/journal': 2.3,
  'memberships/webhooks/pull': 2.2,
  'memberships/import/provider': 2.1,
  'reports/preview/corpus': 2.1,
  'migrate/config-meaning': 2,
  'providers/sandbox/renewals': 2,
  'providers/mollie/receiving': 2,
  'reports/api/storage': 2,
  'migrate/templates-run': 1.9,
  'memberships/hooks/receivers': 1.9,
  'memberships/checkout/changes-unscheduled': 1.8,
  'memberships/webhooks/bodies': 1.8,
  'memberships/hooks/receivers-changes': 1.8,
  'providers/list': 1.8,
  'providers/google/store': 1.8,
  examples: 1.7,
  'fakes/ids': 1.7,
  'reports/visit/politeness': 1.6,
  'migrate/hostile': 1.6,
  'memberships/checkout/stripe': 1.6,
  'memberships/ledger/metadata': 1.6,
  'memberships/webhooks/corpus': 1.5,
  'attacks/network': 1.5,
  'reports/hours-random': 1.5,
  'memberships/subscriptions/changes': 1.5,
  'testkit/stripe/docs': 1.5,
  'providers/polar/fake': 1.4,
  'core/storage/contract': 1.3,
  'scripts/sdks': 1.3,
  'reports/visit/hostile': 1.3,
  'migrate/golden': 1.3,
  'reports/api/fuzz': 1.3,
  'office/recurring-months': 1.3,
  'memberships/mails/declarations': 1.3,
  'attacks/unreached': 1.3,
  'site/doctor/command': 1.2,
  'site/lazy-entries': 1.2,
}

// Each process loads the package once, which takes two seconds of CPU, and begins cold: so there are few groups. Those
// that begin later are small, so that all end at about the same time. The slowest files are dealt first, each to the
// group with the most room.
const writeGroups = (root: string, part: string): void => {
  mkdirSync(join(root, places.test, 'groups'))
  const files = testFiles(root)
    .filter((name) => part !== 'thorough' || hasThorough(root, name))
    .map((name) => ({ name, takes: seconds[name] ?? 0.3 }))
    .sort((a, b) => b.takes - a.takes)
  const groups = Array.from({ length: groupsAtOnce * 1.5 }, (_, n) => ({
    size: n < groupsAtOnce ? 4 : 1,
    takes: 0,
    names: [] as string[],
  }))
  for (const { name, takes } of files) {
    const group = groups.reduce((best, next) =>
      next.takes / next.size < best.takes / best.size ? next : best,
    )
    group.names.push(name)
    group.takes += takes
  }
  for (const [n, { names }] of groups.entries())
    if (names.length > 0) writeGroup(root, String(n + 1).padStart(2, '0'), names)
}

// AVA refuses a group in which no test is declared.
const hasThorough = (root: string, name: string): boolean =>
  readFileSync(join(root, 'test', `${name}.test.ts`), 'utf8').includes('thorough(')

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
