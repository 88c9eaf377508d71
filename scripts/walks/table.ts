import { allBlocks, stepsOf } from './blocks.ts'
import { walks } from './walks.ts'

interface Walked {
  readonly walked: readonly string[]
  readonly node: string
  readonly today: string
}

const list = /(<!-- walks -->\n+)([\s\S]*?)(\n+<!-- \/walks -->)/

/** The last day and Node of each walk that a page lists. */
const knownIn = (page: string): Map<string, readonly [node: string, day: string]> => {
  const rows = (list.exec(page)?.[2] ?? '').matchAll(/^\| `([\w-]+)` \|.*\| ([\d.]*) \| ([\d-]*) \|$/gm)
  return new Map([...rows].map(([, name = '', node = '', day = '']) => [name, [node, day] as const]))
}

/** docs/tested.md with its list of walks, where `walked` went well today. */
export function withWalks(page: string, { walked, node, today }: Walked): string {
  const known = knownIn(page)
  const blocks = allBlocks()
  const rows = Object.entries(walks).map(([name, { title, isQuick }]) => {
    const steps = stepsOf(name, blocks)
    const pages = blocks
      .filter(({ marks }) => marks.some(({ walk }) => walk === name))
      .map((block) => block.page)
    const links = [...new Set(pages)].map((file) => `[${file.replace(/^docs\//, '')}](${fromDocs(file)})`)
    const [ranOn, day] = walked.includes(name) ? [node.slice(1), today] : (known.get(name) ?? ['', ''])
    const run = isQuick ? 'yes' : ''
    return `| \`${name}\` | ${title} | ${links.join(', ')} | ${steps.length} | ${run} | ${ranOn} | ${day} |`
  })
  const head = '| Walk | | Printed in | Steps | In CI | Node | Last run |\n|---|---|---|---|---|---|---|'
  return page.replace(list, (_, open: string, __, close: string) =>
    [open, head, '\n', rows.join('\n'), close].join(''),
  )
}

const fromDocs = (file: string): string =>
  file.startsWith('docs/') ? file.slice('docs/'.length) : `../${file}`
