import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import MiniSearch from 'minisearch'
import { createMarkdownRenderer } from 'vitepress'
import { miniSearch } from '../../scripts/docs-search.ts'
import { filesOfKind, groupsOf } from '../../scripts/prose/measure.ts'

const root = join(import.meta.dirname, '../..')

/** What a reader types, in words of our own, and the page that answers. */
const tasks: readonly (readonly [words: string, page: string])[] = JSON.parse(
  readFileSync(join(root, 'test/docs/search-tasks.json'), 'utf8'),
)

interface Section {
  readonly id: string
  readonly title: string
  readonly titles: readonly string[]
  readonly text: string
}

function clearTags(html: string): string {
  return html.replace(/<[^>]*>/g, '')
}

/** The sections of a page's HTML, as VitePress's own search cuts them: at each heading, with the headings above it. */
function* sectionsOf(page: string, html: string): Generator<Section> {
  const parts = html.split(/<h(\d*).*?>(.*?<a.*? href="#.*?".*?>.*?<\/a>)<\/h\1>/gi).slice(1)
  let above: string[] = []
  for (let i = 0; i < parts.length; i += 3) {
    const level = Number(parts[i]) - 1
    const [, named = '', anchor = ''] = /(.*?)<a.*? href="#(.*?)".*?>.*?<\/a>/i.exec(parts[i + 1] ?? '') ?? []
    const title = clearTags(named).trim()
    const text = parts[i + 2] ?? ''
    if (title === '' || text === '') continue
    const titles = above.slice(0, level)
    titles[level] = title
    above = level === 0 ? [title] : Object.assign([...above], { [level]: title })
    const shown = titles.filter(Boolean)
    yield { id: `/${page}#${anchor}`, title, titles: shown.slice(0, -1), text: clearTags(text) }
  }
}

async function openIndex(): Promise<MiniSearch<Section>> {
  const markdown = await createMarkdownRenderer(join(root, 'docs'), { highlight: (code) => code })
  const index = new MiniSearch<Section>({
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    // The options of VitePress's search box, and those of this site.
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      ...miniSearch.searchOptions,
    },
    ...miniSearch.options,
  })
  // The pages of the API are made by typedoc, and come last by their boost.
  const pages = groupsOf(root).flatMap((group) => Object.values(group.pages))
  for (const page of [...pages.filter((name) => !name.startsWith('api/')), 'index', 'contents']) {
    const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8').replace(/<!--@include:.*-->/, '')
    const env = { path: join(root, 'docs', `${page}.md`), relativePath: `${page}.md`, cleanUrls: true }
    index.addAll([...sectionsOf(page, await markdown.render(text, env))])
  }
  return index
}

test('the site’s own search finds the page of each task first', async (t) => {
  const index = await openIndex()
  t.true(tasks.length >= 46)
  const answers = tasks.map(([words, page]) => {
    const found = index.search(words).map(({ id }) => String(id).replace(/^\//, '').replace(/#.*/, ''))
    const pages = [...new Set(found)]
    return { words, page, first: pages[0], rank: pages.indexOf(page) + 1 }
  })
  const wrong = answers.filter(({ first, page }) => first !== page)
  t.log(`${answers.length - wrong.length} of ${answers.length} first`)
  t.deepEqual(
    wrong.map(({ words, page, first, rank }) => `“${words}”: ${first}, and ${page} is number ${rank}`),
    [],
  )
})

test('every page that is named as an answer stands in the sidebar', (t) => {
  const listed = [...filesOfKind(root, 'guide'), ...filesOfKind(root, 'reference')]
  for (const [words, page] of tasks) t.true(listed.includes(`docs/${page}.md`), words)
})
