/**
 * Fenced blocks of the pages, and the marks by which a walk runs them. A mark is a comment above the block,
 * which neither GitHub nor the documentation's site shows: `<!-- walk: site 3 -->`. It names the walk and the
 * order. `in FOLDER` names a folder beside the reader's own, `serves` a program that goes on, and `;` stands
 * between the marks of several walks.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The place of a block in a walk. */
export interface Mark {
  readonly walk: string
  readonly order: number
  /** Below the walk's own place; `repository` is a fresh clone. */
  readonly folder: string
  /** Null for a block that ends. A program that goes on is up when this address answers; `site` is the walk's own. */
  readonly serves: 'site' | URL | null
}

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  /** The file that it is, by its title or its first line; null for all others. */
  readonly file: string | null
  readonly code: string
  readonly marks: readonly Mark[]
}

export interface Step extends Mark {
  readonly block: Block
}

const root = join(import.meta.dirname, '../..')

/** Every page for readers, below the root of the repository. */
export const pages: readonly string[] = ['README.md', 'MIGRATION.md', 'docs', 'docs/providers'].flatMap(
  (name) =>
    name.endsWith('.md')
      ? [name]
      : readdirSync(join(root, name))
          .filter((file) => file.endsWith('.md'))
          .sort()
          .map((file) => `${name}/${file}`),
)

/** Every block of the pages. */
export function allBlocks(): Block[] {
  return pages.flatMap((page) => blocksIn(page, readFileSync(join(root, page), 'utf8')))
}

/** @throws TypeError for a mark that cannot be read */
export function blocksIn(page: string, text: string): Block[] {
  const fence = /^(?:<!-- walk: (.*) -->\n)?```(\w*)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm
  return [...text.matchAll(fence)].map(([, marks, language = '', title = '', code = ''], index, all) => ({
    page,
    line: text.slice(0, all[index]?.index).split('\n').length,
    language,
    file: fileOf(title, code),
    code,
    marks: marks?.split('; ').map((mark) => toMark(mark, page)) ?? [],
  }))
}

function fileOf(title: string, code: string): string | null {
  return (
    [title, /^(?:\/\/|#) (\S+)$/m.exec(code.split('\n')[0] ?? '')?.[1] ?? ''].find((name) =>
      /^[\w./[\]-]*\.\w+$/.test(name),
    ) ?? null
  )
}

function toMark(text: string, page: string): Mark {
  const [, walk = '', order, folder = 'site', serves, address] =
    /^([\w-]+) (\d+)(?: in ([\w/-]+))?(,? serves(?: (http:\/\/\S+))?)?$/.exec(text) ?? []
  if (walk === '') throw new TypeError(`${page}: "${text}" is no mark of a walk`)
  const program = address === undefined ? 'site' : new URL(address)
  return { walk, order: Number(order), folder, serves: serves === undefined ? null : program }
}

/**
 * The blocks of a walk in their order. What two pages print alike is one step.
 * @throws TypeError if two blocks have the same place and differ
 */
export function stepsOf(walk: string, blocks: readonly Block[]): Step[] {
  const steps = new Map<number, Step>()
  for (const block of blocks)
    for (const mark of block.marks.filter((item) => item.walk === walk)) {
      const known = steps.get(mark.order)
      if (known !== undefined && (known.block.code !== block.code || known.folder !== mark.folder))
        throw new TypeError(`${block.page} and ${known.block.page} differ in step ${mark.order} of "${walk}"`)
      if (known === undefined) steps.set(mark.order, { ...mark, block })
    }
  return [...steps.values()].sort((a, b) => a.order - b.order)
}

/** True for commands, servers and files of code. Settings and texts are shown in parts, which a site adds to its own. */
export function isForReaders({ language, file, code }: Block): boolean {
  return (
    language === 'sh' ||
    (file !== null && !/\.ya?ml$/.test(file)) ||
    /\.listen\(|\bserve\(|createServer\(/.test(code)
  )
}

/** Blocks without a walk, by the reason why. */
export interface Unwalked {
  readonly reason: string
  /** The test that runs or compiles them; absent where nobody follows them. */
  readonly test?: string
  /** Page and first line of each. */
  readonly blocks: readonly string[]
}

/** Page, file and first line of a block. */
export function nameOf({ page, file, code }: Block): string {
  const [first = '', second = ''] = code.split('\n')
  return file === null ? `${page}: ${first}` : `${page}: ${file}: ${first.endsWith(file) ? second : first}`
}

/** The blocks that no walk runs. Those that no test runs either only ever get fewer. */
export const unwalked: readonly Unwalked[] = JSON.parse(
  // From the root, since the tests' bundle lies elsewhere.
  readFileSync(join(import.meta.dirname, '../../scripts/walks/unwalked.json'), 'utf8'),
)
