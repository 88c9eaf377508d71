import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

// The whole suite runs what was translated once, since a file that Node loads through a translator starts in more than
// twice the time. `src` becomes `.built` and `test` becomes `.tests`: both stand where their sources do, so that every
// path that leads out of them stays as it is.
const places = { src: '.built', test: '.tests', scripts: '.scripts' }

/** Translates the package and its tests below `root`; types are not looked at. */
export async function buildSuite(root: string, part: string): Promise<void> {
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

/**
 * Bundles what tests start as processes of their own with the libraries of `dependencies`: such a process is
 * ready in less than half the CPU. The folder is as deep as `test/support`, so that paths stay.
 */
function bundlePrograms(root: string): Promise<unknown> {
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
function onlyDependencies(root: string): Plugin {
  return {
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
  }
}

/**
 * Groups that run at the same time: more than there are processors, because a test often waits for a
 * database, a browser or another process.
 */
export const groupsAtOnce = 2 * availableParallelism()

/** What the slowest files take by TEST_TIMES, in seconds of the clock. Files without a number take next to nothing. */
const seconds: Readonly<Record<string, number>> = {
  'providers/selling': 97,
  'simulation/simulation': 50,
  'site/hosts': 47,
  'memberships/gifts/gifts': 46,
  'browser/demo': 36,
  'memberships/checkout/races': 35,
  'reports-of-others/reports': 34,
  'memberships/checkout/completes': 33,
  'attacks/combinations': 25,
  'simulation/model': 24,
  'memberships/hooks/hooks': 21,
  'site/runtime/leaks-and-restore-commands': 20,
  house: 17,
  'simulation/books': 17,
  'simulation/stores': 17,
  'memberships/raises/providers': 17,
  'site/killed-commands': 16,
  'memberships/account/login': 15,
  'memberships/limits/limits': 14,
  'providers/paypal/selling': 14,
  'providers/mollie/selling': 13,
  'memberships/webhooks/pings': 12,
  'memberships/raises/raises': 12,
  'reports/visit/politeness': 11,
  'site/doctor/each-provider': 11,
  'site/doctor/leaks': 11,
  'site/runtime/demo': 11,
  'memberships/groups': 11,
  'providers/google/store': 11,
  'memberships/sync/compare': 10,
  'reports/hours': 9.9,
  'reports/crawl/crawler': 9.8,
  'memberships/ledger/equal-to-provider': 9.6,
  'memberships/webhooks/pull': 9.5,
  'simulation/offers': 9.3,
  'core/storage/connection': 9.2,
  'memberships/webhooks/crash': 9.0,
  'memberships/checkout/changes': 8.8,
  'reports/preview/images': 8.6,
  'cli-pull': 8.6,
  'memberships/account/router': 8.5,
  'reports/visit/hostile': 8.5,
  'memberships/sync/sync': 8.3,
  'fakes/faults': 7.9,
  'reports/cli': 7.9,
  'memberships/checkout/contract': 7.8,
  'office/office': 7.7,
  'office/figures': 7.7,
  'site/init': 7.6,
  'reports/api/idempotency': 7.2,
  'core/storage/contract': 7.0,
  'memberships/switching/switch': 6.7,
  'attacks/members': 6.7,
  'memberships/checkout/sales': 6.6,
  'browser/offers': 6.5,
  'site/runtime/process': 6.5,
  'reports/preview/corpus': 6.4,
  'testkit/certify': 6.2,
  'providers/damaged-store-messages': 6.2,
  'memberships/merging/by-members': 6.1,
  'site/help': 6.0,
  'site/deploy': 5.6,
  'simulation/random-histories': 5.3,
  'simulation/triples': 6,
  'memberships/merging/offers': 5.2,
  'memberships/webhooks/status': 5.2,
  'migrate/rows-journal': 5.2,
  'memberships/checkout/catalogue': 5.2,
  'providers/mollie/receiving': 5.1,
  'browser/shop': 5.1,
  'migrate/templates-run': 4.9,
  'memberships/ledger/set-of-deliveries': 4.9,
  'site/doctor/purchases': 4.7,
  'memberships/members/walls': 4.7,
  'core/storage/upgrade': 4.6,
  'migrate/config-meaning': 4.6,
  'memberships/account/deletion': 4.5,
  'providers/paypal/verify': 4.4,
  'reports/visit/robots': 4.3,
  'migrate/journal': 4.3,
  'memberships/checkout/changes-unscheduled': 4.3,
  'testkit/stripe/docs': 4.2,
  'memberships/checkout/consent': 4.2,
  'memberships/webhooks/waiting': 4.1,
  'memberships/mails/notices': 4.1,
  'memberships/limits/rules': 4.0,
  'providers/matrix': 3.9,
  'site/runtime/demo-bar': 3.9,
  'reports/hours-random': 3.7,
  'memberships/hooks/receivers-changes': 3.6,
  'memberships/subscriptions/changes': 3.3,
  'attacks/processes': 3.3,
  'memberships/hooks/receivers': 3.3,
  'memberships/webhooks/corpus': 3.2,
  examples: 3.2,
  'providers/lemonsqueezy/fake': 3.1,
  'reports/api/answers': 3.1,
  'core/http/counters': 3.1,
  'reports/detection/limits': 3.1,
  'scripts/sdks': 3.0,
  'fakes/rate-limits': 3.0,
  'memberships/checkout/changes-attacks': 3.0,
  'providers/revenuecat/reading': 2.9,
  'migrate/templates-properties': 2.8,
  'reports/visit/ssrf': 2.8,
  'memberships/checkout/purchases': 2.8,
  'site/doctor/command': 2.8,
  'reports/api/storage': 2.7,
  'providers/several': 2.7,
  'migrate/cli': 2.7,
  'site/words-in-every-state': 2.7,
  'attacks/network': 2.7,
  'memberships/checkout/refunds': 2.6,
  'site/doctor': 2.6,
  'memberships/webhooks/modes': 2.4,
  'testkit/stripe/host': 2.4,
  'migrate/bring-back-elsewhere': 2.4,
  'memberships/mails/declarations': 2.4,
  'migrate/golden': 2.3,
  'migrate/bytes': 2.2,
  'fakes/ids': 2.2,
  'office/recurring-months': 2.2,
  'memberships/members/pages': 2.2,
  'memberships/ledger/owners': 2.2,
  'providers/chosen-amounts': 2.2,
  'attacks/unreached': 2.2,
  'site/lazy-entries': 2.2,
  'migrate/hostile': 2.2,
  'memberships/checkout/chosen-amounts': 2.1,
  'migrate/accounts-database': 2.1,
  'memberships/members/operators': 2.1,
  'memberships/import/provider': 2.0,
  'migrate/generated': 2.0,
  'memberships/ledger/pauses': 2.0,
  'providers/stripe/properties': 2.0,
  'providers/accounts': 1.9,
  'memberships/limits/top-ups': 1.9,
  'reports/api/relink-requests': 1.9,
  'migrate/bring-back': 1.9,
  'site/config-in-code': 1.8,
  'reports/detection/benchmark': 1.8,
  'providers/sandbox/events': 1.8,
  'migrate/import-command': 1.8,
  'memberships/import/named-purchases': 1.7,
  'memberships/checkout/trials': 1.7,
  'migrate/prove-ask': 1.7,
  'providers/apple/store': 1.7,
  'providers/paypal/converge': 1.7,
  'providers/paddle/fake': 1.6,
  'testkit/stripe/faults': 1.6,
  docs: 1.6,
  'reports/api/spec': 1.5,
  'memberships/checkout/routes': 1.5,
  'reports/partner-pages': 1.5,
  'core/storage/plans': 1.5,
  'providers/endpoints': 1.5,
  'memberships/mails/attacker': 1.5,
  'reports/api/keys': 1.5,
  'providers/sandbox/renewals': 1.5,
  'memberships/account/fields': 1.4,
  'providers/polar/fake': 1.4,
  'reports/cli-visits': 1.4,
  'site/offers': 1.4,
  'office/deadlines': 1.3,
  'site/sharing': 1.3,
  'memberships/downloads/downloads': 1.3,
  'memberships/ledger/burst': 1.3,
  'providers/list': 1.3,
  'reports/api/fuzz': 1.3,
  'memberships/webhooks/own-provider': 1.2,
  'providers/stripe/api': 1.2,
  'migrate/mask': 1.2,
}

// Each process loads the package once, which takes two seconds of CPU, and begins cold: so there are few groups. Those
// that begin later are half as large, so that all end at about the same time. The slowest files are dealt first, each to the
// group with the most room.
function writeGroups(root: string, part: string): void {
  mkdirSync(join(root, places.test, 'groups'))
  const files = testFiles(root)
    .filter((name) => part !== 'thorough' || hasThorough(root, name))
    .map((name) => ({ name, takes: seconds[name] ?? 0.3 }))
    .sort((a, b) => b.takes - a.takes)
  const groups = [2, 1].flatMap((size) =>
    Array.from({ length: groupsAtOnce }, () => ({ size, takes: 0, names: [] as string[] })),
  )
  for (const { name, takes } of files) {
    const group = groups.reduce((best, next) =>
      next.takes / next.size < best.takes / best.size ? next : best,
    )
    group.names.push(name)
    group.takes += takes
  }
  // By their names, so that files that wait do not all come first.
  for (const [n, { names }] of groups.entries())
    if (names.length > 0) writeGroup(root, String(n + 1).padStart(2, '0'), names.sort())
}

// AVA refuses a group in which no test is declared.
function hasThorough(root: string, name: string): boolean {
  return readFileSync(join(root, 'test', `${name}.test.ts`), 'utf8').includes('thorough(')
}

/** Every test file by its path below `test`, without its ending. */
export function testFiles(root: string): string[] {
  return sourcesBelow(join(root, 'test'))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => relative(join(root, 'test'), file).slice(0, -'.test.ts'.length))
}

/** Writes what AVA takes for one file and runs in one process: some of our test files, one after another. */
export function writeGroup(root: string, name: string, files: readonly string[]): string {
  const path = join(root, places.test, 'groups', `${name}.test.js`)
  const lines = files.map((file) => `await addFile('${file}', () => import('../${file}.test.js'))`)
  writeFileSync(
    path,
    [`import { addFile, runFiles } from '../support/suite.js'`, ...lines, 'runFiles()', ''].join('\n'),
  )
  return relative(root, path)
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('fixtures'))
    .map((name) => join(folder, name))
}

/** Every import of ours leads to what was made of it. */
function translated(root: string): Plugin {
  return {
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
  }
}

function placeOf(root: string, folder: string): string {
  const [top, ...rest] = relative(root, folder).split('/')
  return join(root, places[top as keyof typeof places] ?? top ?? '', ...rest)
}
