import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import type { TestDatabase } from '../support/databases.ts'

/** How a table names a database. */
export function databaseTitle({ name }: TestDatabase): string {
  return name === 'sqlite' ? 'SQLite' : 'PostgreSQL'
}

/** The text of a cell for each row, by the column's title. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number>>

const isAbsolute = process.argv.includes('--absolute')
const printed = new Map<string, string[]>()

/** Prints what a part measured under a heading, and keeps it for the document that `--write` names. */
export function report(part: string, title: string, ...blocks: readonly string[]): void {
  console.log([`\n### ${title}`, ...blocks].join('\n\n'))
  printed.set(part, [...(printed.get(part) ?? []), ...blocks])
}

/**
 * A table of Markdown. Machines differ by a factor of four, so figures of this one alone are `absolute`: they
 * are shown with `--absolute`. A column with nothing in it is left out.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  absolute: Columns<NoInfer<Row>> = {},
): string {
  const shown = Object.entries({ ...columns, ...(isAbsolute ? absolute : {}) })
    .map(([title, cell]) => ({ title, cells: rows.map((row) => String(cell(row))) }))
    .filter(({ title, cells }) => title === '' || cells.some((text) => text !== ''))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(shown.map(({ title }) => title)),
    `|${'---|'.repeat(shown.length)}`,
    ...rows.map((_, n) => line(shown.map(({ cells }) => cells[n]!))),
  ].join('\n')
}

/** A sentence that is shown with `--absolute` alone. */
export function onlyAbsolute(text: string): string[] {
  return isAbsolute ? [text] : []
}

/** A ratio with as many digits as mean something. */
export function ratio(value: number): string {
  return value.toFixed(value >= 10 ? 1 : 2)
}

const block = /(<!-- bench ([\w-]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g

/** The parts whose figures a document shows, between `<!-- bench NAME -->` and `<!-- /bench -->`. */
export function partsIn(page: string): string[] {
  const parts = [...page.matchAll(block)].map(([, , part]) => part!)
  const marks = page.match(/<!-- \/?bench\b/g) ?? []
  if (parts.length === 0 || marks.length !== 2 * parts.length)
    throw new Error('each <!-- bench NAME --> needs a <!-- /bench --> below it')
  return parts
}

/** The document with what was measured; parts that did not run keep what they have. */
export function withReports(
  page: string,
  measured: ReadonlyMap<string, readonly string[]> = printed,
  from: string = origin(),
): string {
  return page.replace(block, (all, open: string, part: string, close: string) => {
    const blocks = measured.get(part)
    if (blocks === undefined) return all
    // A sentence and its origin are one paragraph.
    const gap = blocks.at(-1)!.startsWith('|') ? '\n\n' : ' '
    return `${open}${blocks.join('\n\n')}${gap}${from}\n${close}`
  })
}

/** The command and the code that a figure comes from. */
function origin(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isCommitted = git('status', '--porcelain', '--', 'src', 'test/bench') === ''
  const args = process.argv
    .slice(2)
    .filter((arg, n, all) => arg !== '--write' && all[n - 1] !== '--write')
    .map((arg, n, all) => (all[n - 1] === '--before' ? 'FOLDER' : arg))
  const commit = `commit \`${git('rev-parse', '--short=8', 'HEAD')}\`${isCommitted ? '' : ' with changes'}`
  return `\`${['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ')}\`, ${commit}, Node ${process.versions.node}, ${cpus().length} cores.`
}
