/**
 * Checks what people read: `npm run prose`, or `npm run prose -- docs/start.md` for files whose path contains
 * that. Long sentences, words that the glossary replaces and dead links fail; how hard a text reads is only
 * reported.
 */
import { join } from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import terminology from 'textlint-rule-terminology'
import { deadLinks } from './links.ts'
import { filesOfKind, groupsOf, kinds, problemsOfGuide, summaryOf, writtenByHand } from './measure.ts'
import { repeatedSentences } from './repeated.ts'
import { gradeOf, sentenceLength, subjectFirst } from './sentences.ts'
import { terms } from './terms.ts'
import { codeSources, markdownSources, type Source, wordSources } from './texts.ts'

const root = join(import.meta.dirname, '../..')
const kernel = new TextlintKernel()

const rules = [
  { ruleId: 'sentence-length', rule: sentenceLength(25) },
  { ruleId: 'subject-first', rule: subjectFirst },
  { ruleId: 'dead-link', rule: deadLinks },
  {
    ruleId: 'terminology',
    rule: terminology,
    options: { defaultTerms: false, terms, skip: ['BlockQuote'] },
  },
]

/** What is wrong in a text, each with its place. */
export async function problemsOf({ file, text, placeOf }: Source): Promise<string[]> {
  const { messages } = await kernel.lintText(text, {
    filePath: join(root, file),
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules,
  })
  return messages.map(({ line, ruleId, message }) => `${file}, ${placeOf(line)}: ${ruleId}: ${message}`)
}

/** The guides, each with its group where that is one of alternatives. */
function guidesAmong(sources: readonly Source[]) {
  const texts = new Map(sources.map(({ file, text }) => [file, text]))
  return groupsOf(root)
    .filter(({ kind }) => kind === 'guide')
    .flatMap(({ text: group, alternatives, pages }) =>
      Object.values(pages).flatMap((page) => {
        const text = texts.get(`docs/${page}.md`)
        return text === undefined
          ? []
          : [{ file: `docs/${page}.md`, text, alternatives: alternatives ? group : null }]
      }),
    )
}

async function main(wanted: readonly string[]): Promise<void> {
  const sources = [...markdownSources(root), ...wordSources(root), ...codeSources(root)].filter(
    ({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  )
  const guides = filesOfKind(root, 'guide')
  const problems = [
    ...(await Promise.all(sources.map(problemsOf))).flat(),
    ...sources.flatMap(({ file, text }) => (guides.includes(file) ? problemsOfGuide(file, text) : [])),
    ...repeatedSentences(guidesAmong(sources)),
  ]
  for (const problem of problems) console.error(problem)
  const pages = sources.filter(({ file }) => file.endsWith('.md'))
  const hardest = pages
    .map(({ file, text }) => ({ file, grade: gradeOf(text.replaceAll(/^```[\s\S]*?^```$/gm, '')) }))
    .sort((a, b) => b.grade - a.grade)
  console.log('Readability, hardest first (school grade; it fails nothing):')
  for (const { file, grade } of hardest.slice(0, 8)) console.log(`  ${grade.toFixed(1).padStart(5)}  ${file}`)
  const textOf = new Map(pages.map(({ file, text }) => [file, text]))
  if (wanted.length === 0) {
    console.log(
      'Measures of the documentation without the tables that scripts make, by the kinds of its sidebar:',
    )
    for (const kind of kinds)
      console.log(
        summaryOf(
          kind,
          filesOfKind(root, kind).map((file) => writtenByHand(textOf.get(file) ?? '')),
        ),
      )
    console.log(summaryOf('README', [textOf.get('README.md') ?? '']))
  }
  console.log(`${sources.length} files, ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (process.argv[1]?.endsWith('main.ts')) await main(process.argv.slice(2))
