/** Measures every entry of the built package beside its host alone: `npm run hosts -- --sizes`. Sizes are of the entry's
 *  own code, minified and gzipped, and times are of its load, both without what `membership` and the host have loaded already. Each time is
 *  the least of five, in a process of its own. HOSTS_FOLDER names the folders where hosts are installed, with `:` between. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, transformSync } from 'esbuild'
import type { EntrySize } from './table.ts'

const root = join(import.meta.dirname, '../..')
const runs = 5

/** The host that an entry stands on: its package as a site loads it, where that has a cost of its own. */
const hostOf: Readonly<Record<string, string>> = {
  './express': 'express',
  './fastify': 'fastify',
  './hono': 'hono',
  './next': 'next',
  './nest': '@nestjs/core',
  './sveltekit': '@sveltejs/kit',
  './astro': 'astro',
  './react-router': 'react-router',
  './nuxt/server': 'nitropack',
  './payload': 'payload',
  './strapi': '@strapi/strapi',
  './login': 'better-auth',
}

export interface Measured {
  readonly entry: string
  readonly ownKb: number
  readonly loadMs: number | null
  readonly host: string
  readonly hostMs: number | null
}

/** Files that a start reads for an entry: those that it imports at once, and theirs. */
function startOf(meta: Metafile, file: string): Set<string> {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    for (const { path, kind, external } of meta.inputs[name]?.imports ?? [])
      if (kind === 'import-statement' && !external) visit(path)
  }
  visit(file)
  return found
}

const fastest = (timed: string, { cwd = root, before = '' } = {}): number => {
  const code = `${before}; const began = performance.now(); ${timed}; console.log('ms', performance.now() - began); process.exit(0)`
  const times = Array.from({ length: runs }, () => {
    const args = ['--input-type=module', '-e', code]
    const shown = execFileSync(process.execPath, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return Number(/^ms (.+)$/m.exec(shown)?.[1])
  })
  return Math.min(...times)
}

const load = (file: string) => `await import('${pathToFileURL(join(root, file)).href}')`

// What bundlers do for Next, whose files Node finds only by their whole names.
const wholeNames = `export const resolve = (name, context, next) => next(name, context).catch(() => next(name + '.js', context))`
const asBundled = `(await import('node:module')).register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(wholeNames))})`

/** The load of an entry where it and its host are installed, after both; else here. Null for an entry that imports a host
 *  which is installed nowhere. */
const loadTime = (
  entry: string,
  file: string,
  { host, folders }: { host: string; folders: readonly string[] },
): number | null => {
  const isMain = entry === '.'
  const cwd = host === '' ? undefined : folders.find((place) => has(place, host) && has(place, 'membership'))
  try {
    if (cwd === undefined) return fastest(load(file), { before: isMain ? '' : load('dist/index.js') })
    const before = `${asBundled}; await import('membership'); await import('${host}').catch(() => undefined)`
    return fastest(`await import('membership/${entry.slice(2)}')`, { cwd, before })
  } catch (error) {
    if (/ERR_MODULE_NOT_FOUND|ERR_PACKAGE_PATH/.test(String(error))) return null
    throw error
  }
}

const has = (place: string, name: string): boolean => existsSync(join(place, 'node_modules', name))

/** Loads the host where it is installed; null where no folder has it, or only its own command can load it. */
const hostTime = (name: string, folders: readonly string[]): number | null => {
  const cwd = folders.find((place) => has(place, name))
  if (cwd === undefined) return null
  try {
    return fastest(`await import('${name}')`, { cwd })
  } catch {
    return null
  }
}

/** Measures each entry of `dist/`. */
export async function measureEntries(folders: readonly string[]): Promise<Measured[]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string } | string>
  }
  const files = Object.entries(exports).flatMap(([entry, given]) =>
    typeof given === 'string' || (entry !== '.' && !given.default.startsWith('./dist/entries/'))
      ? []
      : [[entry, given.default.slice(2)] as const],
  )
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.map(([, file]) => file),
    outdir: 'unwritten',
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  })
  const main = startOf(metafile, 'dist/index.js')
  const minified = (name: string): string =>
    transformSync(readFileSync(join(root, name), 'utf8'), { minify: true, format: 'esm' }).code
  const sizeOf = (names: readonly string[]): number => gzipSync(names.map(minified).join('\n')).length / 1000
  const measured: Measured[] = []
  for (const [entry, file] of files) {
    const names = [...startOf(metafile, file)]
    const isMain = entry === '.'
    const host = hostOf[entry] ?? ''
    measured.push({
      entry: isMain ? 'membership' : `membership${entry.slice(1)}`,
      ownKb: sizeOf(isMain ? names : names.filter((name) => !main.has(name))),
      loadMs: loadTime(entry, file, { host, folders }),
      host,
      hostMs: host === '' ? null : hostTime(host, folders),
    })
  }
  return measured
}

/** Returns what docs/hosts.md shows of each entry. */
export function sizesOf(measured: readonly Measured[]): Record<string, EntrySize> {
  const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(2)))
  return Object.fromEntries(
    measured.map(({ entry, ownKb, loadMs, hostMs }) => [
      entry,
      { kb: Number(ownKb.toPrecision(2)), ms: rounded(loadMs), hostMs: rounded(hostMs) },
    ]),
  )
}

/** The table that the command prints, with entries that belong to no host of docs/hosts.md. */
export function sizesTable(measured: readonly Measured[]): string {
  const ms = (value: number | null) => (value === null ? '' : value.toFixed(value < 10 ? 1 : 0))
  return [
    '| Entry | its own code, kB | loads in ms | its host alone, ms |',
    '|---|---|---|---|',
    ...measured.map(
      ({ entry, ownKb, loadMs, host, hostMs }) =>
        `| \`${entry}\` | ${ownKb.toFixed(1)} | ${ms(loadMs)} | ${hostMs === null ? '' : `${ms(hostMs)} (${host})`} |`,
    ),
  ].join('\n')
}
