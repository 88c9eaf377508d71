/**
 * Joins the pages that typedoc writes, one for each name, into a few: `npm run docs:build`. One page of
 * everything weighs megabytes, and the address of each page is part of the landing page.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../docs/api')
// About a third of the page in HTML.
const mostBytes = 130_000

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  .map(({ parentPath, name }) => join(parentPath, name))
  .sort()
function isIndex(file: string) {
  return basename(file) === 'index.md'
}
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

/** Pages of each folder in the order of their names, as many as fit together. */
const groups: string[][] = []
for (const file of files.filter((name) => !isIndex(name))) {
  const last = groups.at(-1)
  const size = (last ?? []).reduce((sum, name) => sum + (textOf.get(name)?.length ?? 0), 0)
  const fits = last?.[0] !== undefined && dirname(last[0]) === dirname(file)
  if (fits && size + (textOf.get(file)?.length ?? 0) <= mostBytes) last.push(file)
  else groups.push([file])
}

function nameOf(file: string) {
  return basename(file, '.md')
}
const pageOf = new Map<string, string>()
for (const group of groups) {
  const folder = dirname(group[0]!)
  const isWhole = groups.filter(([first]) => dirname(first!) === folder).length === 1
  const ends = isWhole ? [] : [...new Set([nameOf(group[0]!), nameOf(group.at(-1)!)])]
  const page = [folder, ends.join('-to-').toLowerCase()].filter(Boolean).join('-')
  for (const file of group) pageOf.set(file, `${page}.md`)
}
function anchorOf(file: string) {
  return `${nameOf(file)}-in-${basename(dirname(file))}`.toLowerCase()
}

/** Leads the links of a page to the joined pages. */
function withLinks(file: string): string {
  return (textOf.get(file) ?? '').replace(/\]\(([^)#\s]+\.md)(#[^)]*)?\)/g, (link, path: string) => {
    const target = resolve(dirname(file), path)
    const page = pageOf.get(target)
    const from = dirname(pageOf.get(file) ?? file)
    if (page !== undefined) return `](${relative(from, page)}#${anchorOf(target)})`
    return textOf.has(target) ? `](${relative(from, target)})` : link
  })
}

const joined = new Map<string, string[]>()
for (const file of files.filter((name) => !isIndex(name))) {
  // The name is a heading of the second level, and its parts are below it.
  const text = withLinks(file)
    .replace(/^(#{1,5}) /gm, '#$1 ')
    .replace(/^## (.*)$/m, (_, title: string) => `## ${title} {#${anchorOf(file)}}`)
  const page = pageOf.get(file)!
  joined.set(page, [...(joined.get(page) ?? []), text])
}
for (const file of files.filter(isIndex)) writeFileSync(file, withLinks(file))
for (const folder of new Set(groups.map(([first]) => dirname(first!)))) rmSync(folder, { recursive: true })
for (const [page, texts] of joined) {
  const title = nameOf(page)
    .replaceAll('-', ' ')
    .replace(/^./, (letter) => letter.toUpperCase())
  writeFileSync(page, [`---\noutline: 2\n---\n\n# ${title}`, ...texts].join('\n\n'))
}
