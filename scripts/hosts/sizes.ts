/**
 * Measures every entry of the built package beside its host alone: `npm run hosts -- --sizes`. Each host is
 * installed with the packed package into an empty folder. Sizes are of the entry's own code, minified and
 * gzipped, without the code that `membership` has loaded already. Times are processor time, so that a busy
 * machine changes them little: the least of three loads, each in a process of its own: the host, then
 * `membership`, then the entry.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, transformSync } from 'esbuild'
import { installInto } from '../install.ts'
import { hosts } from './hosts.ts'
import { packages as payloadPackages } from './payload.ts'
import { packages as strapiPackages } from './strapi.ts'
import type { EntrySize } from './table.ts'

const root = join(import.meta.dirname, '../..')
const runs = 3

/** The host that an entry stands on: the package that a site loads, and what is installed for it. */
const hostOf: Readonly<Record<string, { readonly name: string; readonly packages: readonly string[] }>> = {
  './express': { name: 'express', packages: hosts.express!.packages },
  './fastify': { name: 'fastify', packages: hosts.fastify!.packages },
  './hono': { name: 'hono', packages: hosts.hono!.packages },
  './next': { name: 'next', packages: hosts.next!.packages },
  './nest': { name: '@nestjs/core', packages: hosts.nest!.packages },
  './sveltekit': { name: '@sveltejs/kit', packages: hosts.sveltekit2!.packages },
  './astro': { name: 'astro', packages: hosts.astro5!.packages },
  './react': { name: 'react', packages: ['react@19', 'react-dom@19'] },
  './react-router': { name: 'react-router', packages: hosts['react-router7']!.packages },
  './nuxt/server': { name: 'nitropack', packages: hosts['nuxt4.4']!.packages },
  './payload': { name: 'payload', packages: payloadPackages },
  './strapi': { name: '@strapi/strapi', packages: strapiPackages },
  './login': { name: 'better-auth', packages: ['better-auth'] },
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

// Preparations that Next makes for itself: a global name, and files that Node finds only by their whole names.
const wholeNames = `export const resolve = (name, context, next) => next(name, context).catch(() => next(name + '.js', context))`
const asBundled = `globalThis.AsyncLocalStorage = (await import('node:async_hooks')).AsyncLocalStorage; (await import('node:module')).register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(wholeNames))})`

interface HostPlace {
  readonly name: string
  readonly folder: string
}

/**
 * Loads the host alone, then the package, then the entry, and returns the times of the first and the last. A
 * time is null where only the host's own command can load it.
 */
function timesOf(
  entry: string,
  file: string,
  place: HostPlace | null,
): { readonly hostMs: number | null; readonly loadMs: number | null } {
  const here = (name: string) => pathToFileURL(join(root, name)).href
  const code = `
    const cost = async (load) => {
      const began = process.cpuUsage()
      await load()
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000
    }
    const none = () => null
    const required = (name) => cost(() => process.getBuiltinModule('module').createRequire(process.cwd() + '/')(name))
    const host = ${
      place === null
        ? 'null'
        : // Strapi loads by require() alone.
          `await cost(() => import('${place.name}')).catch(() => required('${place.name}')).catch(none)`
    }
    ${place?.name === 'next' ? asBundled : ''}
    ${entry === '.' ? '' : `await import('${place === null ? here('dist/index.js') : 'membership'}')`}
    const entry = await cost(() => import('${place === null ? here(file) : `membership/${entry.slice(2)}`}')).catch((error) => {
      if (/MODULE_NOT_FOUND|PACKAGE_PATH/.test(error.code)) return null
      throw error
    })
    console.log('times ' + JSON.stringify([host, entry]))
    process.exit(0)`
  const all = Array.from({ length: runs }, () => {
    const shown = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: place?.folder ?? root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return JSON.parse(/^times (.+)$/m.exec(shown)?.[1] ?? '') as [number | null, number | null]
  })
  const least = (times: readonly (number | null)[]) =>
    times.every((time) => time !== null) ? Math.min(...times) : null
  return { hostMs: least(all.map(([host]) => host)), loadMs: least(all.map(([, own]) => own)) }
}

/** Measures each entry of `dist/`, with hosts below that folder. */
export async function measureEntries(
  folder: string,
  tarball: (place: string) => string,
): Promise<Measured[]> {
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
    // Else the paths of our own tests lead it from `membership/react/client` to the source.
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  const placeOf = (entry: string): HostPlace | null => {
    const host = hostOf[entry]
    if (host === undefined) return null
    const place = join(folder, entry.replaceAll('/', '-').slice(2))
    if (!existsSync(join(place, 'node_modules'))) {
      mkdirSync(place, { recursive: true })
      installInto(place, [tarball(place), ...host.packages])
    }
    return { name: host.name, folder: place }
  }
  const main = startOf(metafile, 'dist/index.js')
  const minified = (name: string): string =>
    transformSync(readFileSync(join(root, name), 'utf8'), { minify: true, format: 'esm' }).code
  const sizeOf = (names: readonly string[]): number => gzipSync(names.map(minified).join('\n')).length / 1000
  const measured: Measured[] = []
  for (const [entry, file] of files) {
    const names = [...startOf(metafile, file)]
    const isMain = entry === '.'
    const place = placeOf(entry)
    measured.push({
      entry: isMain ? 'membership' : `membership${entry.slice(1)}`,
      ownKb: sizeOf(isMain ? names : names.filter((name) => !main.has(name))),
      host: place?.name ?? '',
      ...timesOf(entry, file, place),
    })
  }
  return measured
}

/** Returns what docs/tested.md shows of each entry. */
export function sizesOf(measured: readonly Measured[]): Record<string, EntrySize> {
  const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(2)))
  return Object.fromEntries(
    measured.map(({ entry, ownKb, loadMs, hostMs }) => [
      entry,
      { kb: Number(ownKb.toPrecision(2)), ms: rounded(loadMs), hostMs: rounded(hostMs) },
    ]),
  )
}

/** The table that the command prints, with entries that belong to no host of docs/tested.md. */
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
