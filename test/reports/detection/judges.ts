// Our fingerprints beside an outside set of rules in the format of Wappalyzer: npm run judges -- FOLDER [FOLDER …]
// A folder has JSON files of technologies, or has them below src/technologies. The sets are GPL, so nothing of them is here.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { selectAll } from 'css-select'
import { DomUtils, parseDocument } from 'htmlparser2'
import { detectAmong, type FetchedPage, scanPage } from '../../../src/reports/detection/index.ts'
import { corpusPages, fixturePages, type LabelledPage, shippedFingerprints } from './fixtures.ts'

const { getElementsByTagName, textContent } = DomUtils
type Document = ReturnType<typeof parseDocument>
type Element = ReturnType<typeof getElementsByTagName>[number]

type Patterns = string | readonly string[]
type DomRule = string | { readonly text?: string; readonly attributes?: Readonly<Record<string, string>> }

/** A technology of such a set, as far as a page shows it without running it. `js`, `xhr`, `dns` and the like need more. */
interface Technology {
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, Patterns>>
  readonly scriptSrc?: Patterns
  readonly scripts?: Patterns
  readonly html?: Patterns
  readonly url?: Patterns
  readonly dom?: Patterns | Readonly<Record<string, DomRule>>
  readonly implies?: Patterns
}

/** Recognition of the systems that both sides know. */
export interface Judged {
  readonly pages: number
  readonly systems: number
  /** Shares of all pages of these systems. */
  readonly ours: Shares
  readonly theirs: Shares
  /** Pages of a system that one side alone recognised. */
  readonly onlyOurs: readonly string[]
  readonly onlyTheirs: readonly string[]
  /** Pages that one side takes for a system that they do not run. */
  readonly oursWrong: readonly string[]
  readonly theirsWrong: readonly string[]
}
interface Shares {
  readonly precision: number
  readonly recall: number
}

function all(patterns: Patterns | undefined): readonly string[] {
  return patterns === undefined ? [] : typeof patterns === 'string' ? [patterns] : patterns
}

/** A pattern's expression, without `\;version:\1` and `\;confidence:50`. */
function expressionOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern.split('\\;')[0]!.replaceAll('/', '\\/'), 'i')
  } catch {
    return null
  }
}
function fits(pattern: string, text: string): boolean {
  return expressionOf(pattern)?.test(text) ?? false
}

/** What a rule may look at. */
interface Looked {
  readonly page: FetchedPage
  readonly document: Document
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly cookies: ReadonlyMap<string, string>
  readonly metas: ReadonlyMap<string, readonly string[]>
  readonly scripts: readonly string[]
  readonly inline: readonly string[]
}

function lookAt(page: FetchedPage): Looked {
  const document = parseDocument(page.html)
  const headers = new Map(
    Object.entries(page.headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat()] as const),
  )
  const scripts = getElementsByTagName('script', document)
  const metas = new Map<string, string[]>()
  for (const { attribs } of getElementsByTagName('meta', document)) {
    const name = (attribs.name ?? attribs.property ?? '').toLowerCase()
    metas.set(name, [...(metas.get(name) ?? []), attribs.content ?? ''])
  }
  return {
    page,
    document,
    headers,
    metas,
    cookies: new Map(
      (headers.get('set-cookie') ?? []).map((line) => {
        const [, name = '', value = ''] = /^([^=;]*)=?([^;]*)/.exec(line) ?? []
        return [name.trim().toLowerCase(), value]
      }),
    ),
    scripts: scripts.flatMap(({ attribs }) => attribs.src ?? []),
    inline: scripts.map((script) => textContent(script)),
  }
}

function fitsDom({ document }: Looked, rules: Technology['dom']): boolean {
  const matching = (selector: string): Element[] => {
    try {
      return selectAll<Document | Element, Element>(selector, document)
    } catch {
      return []
    }
  }
  if (rules === undefined) return false
  if (typeof rules === 'string' || Array.isArray(rules))
    return all(rules as Patterns).some((selector) => matching(selector).length > 0)
  return Object.entries(rules as Readonly<Record<string, DomRule>>).some(([selector, rule]) =>
    matching(selector).some((element) => {
      if (typeof rule === 'string') return true
      const { text, attributes = {} } = rule
      const named = Object.entries(attributes)
      if (text === undefined && named.length === 0) return 'exists' in rule
      return (
        (text !== undefined && fits(text, textContent(element))) ||
        named.some(
          ([name, pattern]) => element.attribs[name] !== undefined && fits(pattern, element.attribs[name]),
        )
      )
    }),
  )
}

function isShown(looked: Looked, technology: Technology): boolean {
  const { page, headers, cookies, metas, scripts, inline } = looked
  const { headers: head = {}, cookies: jar = {}, meta = {}, scriptSrc, html, url, dom } = technology
  return (
    Object.entries(head).some(([name, pattern]) =>
      headers.get(name.toLowerCase())?.some((value) => fits(pattern, value)),
    ) ||
    Object.entries(jar).some(([name, pattern]) => {
      const value = cookies.get(name.toLowerCase())
      return value !== undefined && fits(pattern, value)
    }) ||
    Object.entries(meta).some(([name, patterns]) =>
      all(patterns).some((pattern) => metas.get(name.toLowerCase())?.some((value) => fits(pattern, value))),
    ) ||
    all(scriptSrc).some((pattern) => scripts.some((src) => fits(pattern, src))) ||
    all(technology.scripts).some((pattern) => inline.some((text) => fits(pattern, text))) ||
    all(html).some((pattern) => fits(pattern, page.html)) ||
    all(url).some((pattern) => fits(pattern, page.url)) ||
    fitsDom(looked, dom)
  )
}

/** Reads the technologies of a folder by name. */
export function readSet(folder: string): Map<string, Technology> {
  const below = [join(folder, 'src/technologies'), folder].find((path) => existsSync(path))!
  const files = readdirSync(below).filter((file) => file.endsWith('.json'))
  return new Map(files.flatMap((file) => Object.entries(JSON.parse(readFileSync(join(below, file), 'utf8')))))
}

/** Names that the sets write otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  Bolt: 'Bolt CMS',
  Framer: 'Framer Sites',
  Neos: 'Neos CMS',
  Nuxt: 'Nuxt.js',
  TYPO3: 'TYPO3 CMS',
}

/** The same pages without their own claim, and without headers: what a site that hides its system still shows. */
export function varied(pages: readonly LabelledPage[]): LabelledPage[] {
  return pages.flatMap(({ file, system, page }) => {
    const html = page.html.replaceAll(/<meta[^>]+name=["']?generator[^>]*>/gi, '')
    return [
      { file: `${file}, no generator`, system, page: { ...page, html } },
      { file: `${file}, no headers`, system, page: { ...page, headers: {} } },
      { file: `${file}, neither`, system, page: { ...page, html, headers: {} } },
    ]
  })
}

/** Compares both sides on labelled pages, for the systems that both know. A probable find of ours is none. */
export function judge(pages: readonly LabelledPage[], theirs: ReadonlyMap<string, Technology>): Judged {
  const shipped = [...shippedFingerprints().values()]
  const both = shipped.flatMap((fingerprint) => {
    const technology = theirs.get(otherNames[fingerprint.name] ?? fingerprint.name)
    return technology === undefined ? [] : [{ fingerprint, technology }]
  })
  const counts = { runs: 0, ours: 0, theirs: 0 }
  const lists = {
    onlyOurs: [] as string[],
    onlyTheirs: [] as string[],
    oursWrong: [] as string[],
    theirsWrong: [] as string[],
  }
  for (const { file, system, page } of pages) {
    const scan = scanPage(page)
    const looked = lookAt(page)
    for (const { fingerprint, technology } of both) {
      const forks = shipped.filter(({ forkOf }) => forkOf === fingerprint.key)
      const runs = (system ?? '').split('+').includes(fingerprint.key)
      const own = detectAmong(scan, fingerprint, forks).wanted.certainty === 'certain'
      const other = isShown(looked, technology)
      const name = `${fingerprint.key}: ${file}`
      if (!runs) {
        if (own) lists.oursWrong.push(name)
        if (other) lists.theirsWrong.push(name)
        continue
      }
      counts.runs++
      if (own) counts.ours++
      if (other) counts.theirs++
      if (own && !other) lists.onlyOurs.push(name)
      if (other && !own) lists.onlyTheirs.push(name)
    }
  }
  const sharesOf = (right: number, wrong: number): Shares => ({
    precision: right / (right + wrong),
    recall: right / counts.runs,
  })
  return {
    ...lists,
    pages: counts.runs,
    systems: both.length,
    ours: sharesOf(counts.ours, lists.oursWrong.length),
    theirs: sharesOf(counts.theirs, lists.theirsWrong.length),
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folders = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  if (folders.length === 0 || !folders.every((folder) => existsSync(folder))) {
    console.error(
      'npm run judges -- FOLDER [FOLDER …] [--list]: folders with rules in the format of Wappalyzer',
    )
    process.exit(1)
  }
  const share = (value: number): string => value.toFixed(2)
  const kinds: readonly (readonly [string, readonly LabelledPage[]])[] = [
    ['heads of real pages', corpusPages() ?? []],
    ['pages written after documentation', fixturePages()],
    ['the latter, varied', varied(fixturePages())],
  ]
  console.log(
    '| Rules | Pages | Of them with a system of both | Systems | Precision, ours | theirs | Recall, ours | theirs |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const folder of folders)
    for (const [kind, pages] of kinds) {
      const { pages: runs, systems, ours, theirs, ...lists } = judge(pages, readSet(folder))
      console.log(
        `| ${folder.split('/').at(-1)} | ${pages.length} ${kind} | ${runs} | ${systems} | ${share(ours.precision)} | ${share(theirs.precision)} | ${share(ours.recall)} | ${share(theirs.recall)} |`,
      )
      if (process.argv.includes('--list')) console.log(JSON.stringify(lists, null, 2))
    }
}
