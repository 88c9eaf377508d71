import type { Given, SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { type Code, calledName, walkCode } from './code.ts'
import { nothingHanded, readHanded } from './handed.ts'
import { givenInText } from './scan.ts'
import { readScopes } from './scopes.ts'
import { syntaxOf, treeOf } from './tree.ts'
import { readValues } from './values.ts'

/** Names by which the files of a site give subscriptions to each other: `snippet('card', ['s' => $s])`, what a controller
 *  returns, parameters of an include, functions of another file. What is given on and on is followed a few times; the
 *  names are those of the whole site, because which file is meant is often known only when the page is shown. */
export const findGiven = (sources: () => Iterable<Source>, facts: SiteFacts): Given => {
  const names = new Set<string>()
  const functions = new Set<string>()
  for (let round = 0, before = -1; round < mostRounds && before !== names.size + functions.size; round++) {
    before = names.size + functions.size
    for (const source of sources()) {
      const found = givenBy(source, { ...facts, given: { names, functions } })
      for (const name of found.names) names.add(name)
      for (const name of found.functions) functions.add(name)
    }
  }
  return { names, functions }
}

// A snippet that gives to a snippet that gives to a snippet.
const mostRounds = 4

/** Whether a file may read what another one gives. */
export const mayBeGiven = (text: string, { given }: SiteFacts): boolean =>
  given !== undefined &&
  ([...given.names].some((name) => text.includes(name)) ||
    (given.functions.size > 0 &&
      (text.toLowerCase().match(/\w+/g) ?? []).some((word) => given.functions.has(word))))

const givenBy = (source: Source, facts: SiteFacts): Given => {
  const { text } = source
  if (!/subscription/i.test(text) && !mayBeGiven(text, facts)) return none
  const syntax = /\.blade\.php$/.test(source.file) ? null : syntaxOf(source)
  const root = syntax && treeOf(source)
  if (!root) return { names: givenInText(text, facts), functions: none.functions }
  try {
    return givenInCode(root, text, syntax.name, facts)
  } catch (error) {
    // Nested deeper than the stack: then the file as a whole counts as not readable.
    if (error instanceof RangeError) return none
    throw error
  }
}

const none: Given = { names: new Set(), functions: new Set() }

const givenInCode = (root: Code, text: string, language: 'php' | 'script', facts: SiteFacts): Given => {
  const scopes = readScopes(root)
  const values = readValues(scopes, facts)
  const handed = language === 'php' ? readHanded(root, scopes, values, facts.given) : nothingHanded
  const names = new Set<string>()
  const functions = new Set<string>()
  const holds = (code: Code) =>
    ['subscription', 'subscriptions'].includes(values.kindOf(code)) || handed.mayHold(code)
  const holding = new Set<string>()
  const compacted: string[] = []
  const give = (key: unknown, value: Code) => {
    if (typeof key === 'string' && holds(value)) names.add(key)
  }
  walkCode(root, (code) => {
    if (code.kind === 'name' && holds(code)) holding.add(code.name)
    if (code.kind === 'assign' && code.target.kind === 'member' && code.target.style === 'property')
      give(code.target.key, code.value)
    if (code.kind === 'other' && code.what === 'entry' && code.children.length === 2) {
      const [key, value] = code.children as [Code, Code]
      if (key.kind === 'literal') give(key.value, value)
    }
    if (code.kind === 'other' && code.what === 'JSXAttribute')
      for (const child of code.children.flatMap((one) => (one.kind === 'other' ? one.children : [])))
        give(/^[\w-]+/.exec(text.slice(code.start, code.end))?.[0], child)
    if (code.kind !== 'call') return
    const name = calledName(code)
    if (name === 'compact')
      compacted.push(...code.args.flatMap((arg) => (arg.kind === 'literal' ? [String(arg.value)] : [])))
    else if (name !== null && code.args.some(holds))
      functions.add(name.replace(/^.*(?:::|\\)/, '').toLowerCase())
  })
  for (const name of compacted) if (holding.has(name)) names.add(name)
  return { names, functions }
}
