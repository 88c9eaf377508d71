import test from 'ava'
import { problemsOf } from '../../scripts/prose/main.ts'
import { gradeOf } from '../../scripts/prose/sentences.ts'
import { textsInCode, wordSources } from '../../scripts/prose/texts.ts'

function find(text: string) {
  return problemsOf({ file: 'docs/a.md', text, placeOf: (line) => `line ${line}` })
}
function rulesOf(problems: readonly string[]) {
  return problems.map((problem) => problem.split(': ')[1])
}
function words(count: number) {
  return `${Array.from({ length: count }, () => 'word').join(' ')}.`
}

test('a sentence over 25 words fails, and names its line', async (t) => {
  const [problem, ...others] = await find(`# A page\n\n${words(25)}\n\n${words(26)}`)
  t.is(problem, `docs/a.md, line 5: sentence-length: 26 words, at most 25: “${words(26)}”`)
  t.deepEqual(others, [])
})

test('code counts as one word, and blocks of code are not read', async (t) => {
  t.deepEqual(
    await find(`${words(23).slice(0, -1)} \`a b c d e f\` word.\n\n\`\`\`sh\n${words(60)}\n\`\`\``),
    [],
  )
})

test('cells of tables and items of lists are read', async (t) => {
  t.deepEqual(rulesOf(await find(`- ${words(26)}\n\n| a | b |\n|---|---|\n| c | ${words(26)} |`)), [
    'sentence-length',
    'sentence-length',
  ])
})

test('a term that the glossary replaces fails', async (t) => {
  t.deepEqual(rulesOf(await find('Ask the operator.')), [])
  const problems = await find('Ask whoever runs the site, and reconcile the accounts.')
  t.true(problems.length > 1)
  for (const rule of rulesOf(problems)) t.is(rule, 'terminology')
})

test('a sentence that begins with a relative clause fails, and a question does not', async (t) => {
  t.deepEqual(rulesOf(await find('What no message told is asked for.')), ['subject-first'])
  t.deepEqual(await find('What is a gate? A name that plans open.\n\n## What it cannot do'), [])
})

test('a link to a file or a heading that is not there fails', async (t) => {
  t.deepEqual(rulesOf(await find('Read [this](no-such-page.md).')), ['dead-link'])
  t.deepEqual(rulesOf(await find('Read [this](errors.md#no-such-heading).')), ['dead-link'])
  t.deepEqual(await find('Read [this](errors.md#err_no_view) or [that](https://example.com).'), [])
})

test('the texts of pages, mails and code are read, and statements of SQL are not', (t) => {
  const page = wordSources(`${import.meta.dirname}/../..`).find(
    ({ file }) => file === 'templates/words/en.yml',
  )!
  const line = page.text.split('\n').indexOf('Skip to the content') + 1
  t.is(page.placeOf(line), 'page.skip')
  const code =
    "const a = 'The key is missing here: ' + 'add it.'\nconst b = 'select id from a where b = c and d'"
  t.deepEqual(textsInCode(code), [['line 1', 'The key is missing here: add it.']])
})

test('longer words and sentences are a higher grade', (t) => {
  t.true(
    gradeOf('The cat sat. It slept.') <
      gradeOf('Administrative convergence notwithstanding, alternatives proliferate.'),
  )
})
