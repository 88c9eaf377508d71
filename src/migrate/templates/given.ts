import type { Given, SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { type Call, type Code, calledName, receiverOf, unwrap, walkCode } from './code.ts'
import { readHanded } from './handed.ts'
import { defaultOf, importedNames } from './imports.ts'
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
  const results = new Set<string>()
  const sizeOf = () => names.size + functions.size + results.size
  for (let round = 0, before = -1; round < mostRounds && before !== sizeOf(); round++) {
    before = sizeOf()
    for (const source of sources()) {
      const found = givenBy(source, { ...facts, given: { names, functions, results } })
      for (const name of found.names) names.add(name)
      for (const name of found.functions) functions.add(name)
      for (const name of found.results) results.add(name)
    }
  }
  return { names, functions, results }
}

// A snippet that gives to a snippet that gives to a snippet.
const mostRounds = 4

/** Whether a file may read what another one gives. */
export const mayBeGiven = ({ file, text }: Source, { given }: SiteFacts): boolean =>
  given !== undefined &&
  (given.functions.has(defaultOf(file)) ||
    [...given.names].some((name) => text.includes(name)) ||
    (given.functions.size + given.results.size > 0 &&
      (text.toLowerCase().match(/\w+/g) ?? []).some(
        (word) => given.functions.has(word) || given.results.has(word),
      )))

const givenBy = (source: Source, facts: SiteFacts): Given => {
  const { text } = source
  if (!/subscription/i.test(text) && !mayBeGiven(source, facts)) return none
  const syntax = /\.blade\.php$/.test(source.file) ? null : syntaxOf(source)
  const root = syntax && treeOf(source)
  if (!root) return { names: givenInText(text, facts), functions: none.functions, results: none.results }
  try {
    return givenInCode(root, text, syntax.name, facts)
  } catch (error) {
    // Nested deeper than the stack: then the file as a whole counts as not readable.
    if (error instanceof RangeError) return none
    throw error
  }
}

const none: Given = { names: new Set(), functions: new Set(), results: new Set() }

const givenInCode = (root: Code, text: string, language: 'php' | 'script', facts: SiteFacts): Given => {
  const scopes = readScopes(root)
  const values = readValues(scopes, facts)
  const imported = language === 'script' ? importedNames(text) : new Map<string, string>()
  const handed = readHanded(root, scopes, values, facts.given, imported)
  const names = new Set<string>()
  const functions = new Set<string>()
  const results = new Set<string>()
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
    if (code.kind === 'function' && (code.name || code.exportedAs) && handed.gives(code)) {
      if (code.name) results.add(code.name.toLowerCase())
      if (code.exportedAs) results.add(code.exportedAs)
    }
    if (code.kind !== 'call') return
    const name = calledName(code)
    if (name === 'compact')
      compacted.push(...code.args.flatMap((arg) => (arg.kind === 'literal' ? [String(arg.value)] : [])))
    else
      for (const one of functionsGiven(code, holds)) functions.add((imported.get(one) ?? one).toLowerCase())
  })
  for (const name of compacted) if (holding.has(name)) names.add(name)
  return { names, functions, results }
}

/** The functions that a call gives a subscription to: the one that is called, `card(s)`, and those that go through a
 *  list, `subscriptions.map(card)`. */
const functionsGiven = (call: Call, holds: (code: Code) => boolean): string[] => {
  const name = calledName(call)?.replace(/^.*(?:::|\\)/, '')
  const receiver = receiverOf(call)
  const called = name !== undefined && call.args.some(holds) ? [name] : []
  if (!called.length && !(receiver && holds(receiver))) return called
  const through = call.args.map(unwrap).flatMap((arg) => {
    if (arg.kind === 'name') return [arg.name]
    return arg.kind === 'member' && typeof arg.key === 'string' ? [arg.key] : []
  })
  return [...called, ...(call.isNew ? ['constructor'] : []), ...through]
}
