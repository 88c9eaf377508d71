/**
 * Measures of pages: how soon an example comes, how much of a page is tables, and how long it is. `npm run
 * prose` prints them for the documentation, by the kinds of its sidebar, and holds the limits of guides.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Measures {
  /** Words without code; those in tables count. */
  readonly words: number
  readonly blocks: number
  /** Words above the first block of code; null for a page without one. */
  readonly wordsBeforeCode: number | null
  readonly wordsInTables: number
  readonly tables: readonly { readonly columns: number; readonly rows: number }[]
  /** Lines that tell the reader to run a script of this repository. */
  readonly ownScripts: number
}

/** What a guide may have at most, and must have at least. */
export const guideLimits = {
  words: 900,
  wordsBeforeCode: 80,
  wordsPerBlock: 150,
  columns: 3,
  rows: 8,
} as const

const fence = /^ *```[\s\S]*?^ *```$/gm
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Front matter, comments and the targets of links are not read by people. */
function proseOf(text: string): string {
  return text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
}

export function measuresOf(page: string): Measures {
  const text = proseOf(page)
  const first = text.search(/^ *```/m)
  const prose = text.replaceAll(fence, '')
  const groups = [...prose.matchAll(/(?:^\|.*\|\n?)+/gm)].map(([table]) => table.trim().split('\n'))
  const inTables = groups.flat().filter((line) => !/^[|:\- ]+$/.test(line))
  return {
    words: countWords(prose),
    blocks: text.match(fence)?.length ?? 0,
    wordsBeforeCode: first === -1 ? null : countWords(text.slice(0, first)),
    wordsInTables: countWords(inTables.join(' ').replaceAll('|', ' ')),
    tables: groups.map(([head = '', ...lines]) => ({
      columns: head.replaceAll('\\|', '').split('|').length - 2,
      rows: Math.max(0, lines.length - 1),
    })),
    ownScripts: text.split('\n').filter((line) => /\bnpm run (?!build\b)[a-z]/.test(line)).length,
  }
}

/** A page without what scripts make between a pair of comments: readers look such a table up. */
export function writtenByHand(page: string): string {
  return page.replaceAll(/<!-- (\w+) -->\n[\s\S]*?<!-- \/\1 -->/g, '')
}

/**
 * What keeps a guide from being short, with an example first. Tables made by scripts do not count, and stand
 * after the first example as well.
 */
export function problemsOfGuide(file: string, page: string): string[] {
  const { words, blocks, tables } = measuresOf(writtenByHand(page))
  const { wordsBeforeCode, ownScripts } = measuresOf(page)
  const { words: most, wordsBeforeCode: soon, wordsPerBlock, columns, rows } = guideLimits
  const found: string[] = []
  if (words > most) found.push(`${words} words, at most ${most}: split it`)
  if (wordsBeforeCode === null) found.push('no example')
  else if (wordsBeforeCode > soon)
    found.push(`${wordsBeforeCode} words before the first example, at most ${soon}`)
  if (blocks > 0 && words / blocks > wordsPerBlock)
    found.push(`an example for ${Math.round(words / blocks)} words, at most ${wordsPerBlock} words each`)
  for (const table of tables)
    if (table.columns > columns || table.rows > rows)
      found.push(`a table of ${table.columns} columns and ${table.rows} rows, at most ${columns} and ${rows}`)
  if (ownScripts > 0)
    found.push('`npm run …` is of this repository: move it to docs/tested.md or CONTRIBUTING.md')
  return found.map((problem) => `${file}: guide: ${problem}`)
}

/** The kinds of pages: `guide` holds the limits above. */
export const kinds = ['guide', 'reference', 'evidence'] as const

/** A group of the sidebar. */
export interface Group {
  readonly text: string
  readonly kind: (typeof kinds)[number]
  /** True if readers need one page of the group: that of their framework or provider. */
  readonly alternatives?: true
  /** Titles of pages, each with its address below docs/. */
  readonly pages: Readonly<Record<string, string>>
}

/** The groups of the site's sidebar. */
export function groupsOf(root: string): Group[] {
  return JSON.parse(readFileSync(join(root, 'docs/.vitepress/sidebar.json'), 'utf8')) as Group[]
}

/** The files of the pages of a kind. */
export function filesOfKind(root: string, kind: Group['kind']): string[] {
  return groupsOf(root)
    .filter((group) => group.kind === kind)
    .flatMap(({ pages }) => Object.values(pages))
    .filter((page) => !page.startsWith('api/'))
    .map((page) => `docs/${page}.md`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** A line of figures for some pages. */
export function summaryOf(name: string, pages: readonly string[]): string {
  const all = pages.map(measuresOf)
  const sum = (figure: (item: Measures) => number) => all.reduce((total, item) => total + figure(item), 0)
  const words = sum((item) => item.words)
  const tables = all.flatMap((item) => item.tables)
  const before = all.flatMap(({ wordsBeforeCode }) => wordsBeforeCode ?? [])
  const figures = [
    `${all.length} pages`,
    `${words} words (median ${median(all.map((item) => item.words))})`,
    `${((100 * sum((item) => item.blocks)) / Math.max(1, words)).toFixed(2)} blocks of code per 100 words`,
    `${median(before)} words before the first (${all.length - before.length} pages without)`,
    `${Math.round((100 * sum((item) => item.wordsInTables)) / Math.max(1, words))} % of the words in tables`,
    `${tables.filter(({ columns }) => columns > 3).length} of ${tables.length} tables wider than 3 columns`,
    `${sum((item) => item.ownScripts)} lines with npm run`,
  ]
  return `  ${name}: ${figures.join(', ')}`
}
