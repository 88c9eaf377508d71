import { allBlocks, stepsOf } from './blocks.ts'
import { walks } from './walks.ts'

interface Walked {
  readonly walked: readonly string[]
  readonly node: string
  readonly today: string
}

const list = /(<!-- walks -->\n+)([\s\S]*?)(\n+<!-- \/walks -->)/

/** The versions of Node and the last day of each walk that a page lists. */
function knownIn(page: string): Map<string, readonly [nodes: string, day: string]> {
  const rows = (list.exec(page)?.[2] ?? '').matchAll(/^\| `([\w-]+)` \|.*\| ([\d., ]*) \| ([\d-]*) \|$/gm)
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
    const [before, lastDay] = known.get(name) ?? ['', '']
    const [ranOn, day] = walked.includes(name) ? [withNode(before, node), today] : [before, lastDay]
    const run = isQuick ? 'yes' : ''
    return `| \`${name}\` | ${title} | ${links.join(', ')} | ${steps.length} | ${run} | ${ranOn} | ${day} |`
  })
  const head = '| Walk | | Printed in | Steps | In CI | Node | Last run |\n|---|---|---|---|---|---|---|'
  return page.replace(list, (_, open: string, __, close: string) =>
    [open, head, '\n', rows.join('\n'), close].join(''),
  )
}

/** The versions with this one in place of the same major one. */
function withNode(versions: string, node: string): string {
  const major = (version: string) => Number.parseInt(version, 10)
  const version = node.slice(1)
  const others = versions.split(', ').filter((item) => item !== '' && major(item) !== major(version))
  return [...others, version].sort((a, b) => major(a) - major(b)).join(', ')
}

function fromDocs(file: string): string {
  return file.startsWith('docs/') ? file.slice('docs/'.length) : `../${file}`
}
