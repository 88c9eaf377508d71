import { stripVTControlCharacters } from 'node:util'
import { hosts, ownLogins } from './hosts.ts'
import { starters } from './starters.ts'
import type { Walked } from './walk.ts'

/** What the walks of one host showed, by the Node that they ran on. */
export type Walks = Readonly<Record<string, Omit<Walked, 'wrong'>>>

/** How the whole suite ended on one Node. */
export interface Suite {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Measures of an entry of the package: its own code in kB, minified and gzipped, and its load in
 * milliseconds, beside the load of its host alone.
 */
export interface EntrySize {
  readonly kb: number
  readonly ms: number | null
  readonly hostMs: number | null
}

/** What `membership add` showed in a starter. */
export interface Added {
  /** Package of the host, with its version. */
  readonly package: string
  /** The generator that wrote the starter, or `documentation`. */
  readonly from: string
  readonly node: string
  /** From `add` to the page that opened. */
  readonly seconds: number
  readonly date: string
}

/** What runs have shown: by the name of each host, by Node, and by entry. */
export interface Runs {
  readonly add: Readonly<Record<string, Added>>
  readonly hosts: Readonly<Record<string, Walks>>
  readonly suite: Readonly<Record<string, Suite>>
  readonly sizes: Readonly<Record<string, EntrySize>>
}

/** What walks have shown, a line for each host in the order of the list. */
export function hostsTable(walks: Runs['hosts'], sizes: Runs['sizes'] = {}): string {
  return [
    '| Host | events | gate | sells | bundled by | Node | entry, kB | its load, of the host’s |',
    '|---|---|---|---|---|---|---|---|',
    ...Object.entries(hosts)
      .filter(([name]) => walks[name] !== undefined)
      .map(([name, { title, bundle = 'none' }]) => {
        const own = walks[name]!
        const shown = (['events', 'gate', 'sells'] as const).map((what) => answer(own, what))
        const size = measures(sizes[entryOf(name)])
        return `| ${[title, ...shown, bundle, Object.keys(own).join(', '), ...size].join(' | ')} |`
      }),
  ].join('\n')
}

/** Hosts without an entry of their own use the package itself. */
function entryOf(name: string): string {
  const own = /^(express|fastify|hono|next|nest|sveltekit|astro|react-router|payload|strapi)/.exec(name)?.[1]
  if (own !== undefined) return `membership/${own}`
  if (name.startsWith('nuxt')) return 'membership/nuxt/server'
  return ownLogins.includes(name) ? 'membership/login' : 'membership'
}
function measures(size: EntrySize | undefined): string[] {
  return [size?.kb, size?.ms && size.hostMs ? Number((size.ms / size.hostMs).toPrecision(2)) : null].map(
    (value) => (value == null ? '' : String(value)),
  )
}

function answer(walks: Walks, what: 'events' | 'gate' | 'sells'): string {
  const without = Object.keys(walks).filter((node) => !walks[node]![what])
  return without.length === 0 ? 'yes' : `not on ${without.join(', ')}`
}

/** What `membership add` showed, a line for each starter. A walk ends only if it was taken out again. */
export function addTable(added: Runs['add']): string {
  return [
    '| Starter | Files from | Node | Seconds to the page | Taken out again | Date |',
    '|---|---|---|---|---|---|',
    ...Object.keys(starters).flatMap((name) => {
      const shown = added[name]
      if (shown === undefined) return []
      const { package: version, from, node, seconds, date } = shown
      const source = from === 'documentation' ? 'its documentation' : `\`${from}\``
      return [`| ${version} | ${source} | ${node} | ${seconds} | byte for byte; own edits stay | ${date} |`]
    }),
  ].join('\n')
}

/** How the suite ended on each Node. */
export function suiteTable(suite: Runs['suite']): string {
  return [
    '| Node | tests passed | failed | skipped |',
    '|---|---|---|---|',
    ...Object.entries(suite).map(
      ([node, { passed, failed, skipped }]) => `| ${node} | ${passed} | ${failed} | ${skipped} |`,
    ),
  ].join('\n')
}

/** What the suite's runner counted at its end. It sums up what passed only where nothing failed; then its lines count. */
export function countsIn(said: string): Suite {
  const lines = stripVTControlCharacters(said).split('\n')
  const summed = (what: string): number => {
    const line = lines.findLast((line) => new RegExp(`^ *\\d+ ${what}`).test(line))
    return line === undefined ? 0 : Number.parseInt(line, 10)
  }
  const broken = summed('(uncaught exception|unhandled rejection|tests? remained pending)')
  return {
    passed: summed('tests? passed') || lines.filter((line) => /^ *✔ /.test(line)).length,
    failed: summed('tests? failed') + broken + lines.filter((line) => /^ *✘ .* exited /.test(line)).length,
    skipped: summed('tests? skipped'),
  }
}

/** docs/tested.md with what the runs have shown. */
export function withRuns(page: string, { hosts: walks, add, suite, sizes }: Runs): string {
  return [
    ['hosts', hostsTable(walks, sizes)],
    ['add', addTable(add)],
    ['suite', suiteTable(suite)],
  ].reduce(
    (text, [mark, table]) =>
      text.replace(
        new RegExp(`(<!-- ${mark} -->\\n+)[\\s\\S]*?(\\n+<!-- /${mark} -->)`),
        (_, open: string, close: string) => `${open}${table}${close}`,
      ),
    page,
  )
}
