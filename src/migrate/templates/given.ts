import type { Given, SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { type Call, type Code, calledName, receiverOf, unwrap, walkCode } from './code.ts'
import { type Flow, subscriptionFlow } from './flow.ts'
import { handedPurchases, readHanded } from './handed.ts'
import { defaultOf, importedNames } from './imports.ts'
import { givenInText } from './scan.ts'
import { readScopes, type Scopes } from './scopes.ts'
import { isReference, readTaint } from './taint.ts'
import { syntaxOf, treeOf } from './tree.ts'
import { readValues } from './values.ts'

/**
 * Finds the names by which a site's files pass subscriptions or purchases to each other: `snippet('card',
 * ['s' => $s])`, results of a controller, parameters of an include, functions of another file. Values passed
 * on repeatedly are followed a few times. Names apply to the whole site, because the target file is often
 * known only at run time.
 */
export function findGiven(
  sources: () => Iterable<Source>,
  facts: SiteFacts,
  flow: Flow = subscriptionFlow,
): Given {
  const known = emptyGiven()
  const sets = Object.values(known)
  const sizeOf = () => sets.reduce((size, set) => size + set.size, 0)
  for (let round = 0, before = -1; round < mostRounds && before !== sizeOf(); round++) {
    before = sizeOf()
    for (const source of sources()) {
      if (round === 0) for (const name of definedBy(source)) known.defined.add(name)
      const found = givenBy(source, { ...facts, given: known }, flow)
      for (const [key, names] of Object.entries(found))
        for (const name of names) known[key as keyof Given].add(name)
    }
  }
  return known
}

function emptyGiven(): { [key in keyof Given]: Set<string> } {
  return {
    names: new Set(),
    functions: new Set(),
    results: new Set(),
    ones: new Set(),
    properties: new Set(),
    shared: new Set(),
    defined: new Set(),
  }
}

/** Returns the functions, methods and classes of a file by name: `php card`, `script new card`. */
function definedBy({ file, text }: Source): string[] {
  const language = /\.(?:php\d?|phtml|inc|tpl)$/i.test(file) ? 'php' : 'script'
  const functions = language === 'php' ? phpFunctions : scriptFunctions
  const names = [...text.matchAll(functions)].map(
    ([, a, b, c]) => `${language} ${(a ?? b ?? c)!.toLowerCase()}`,
  )
  const classes = [...text.matchAll(/\bclass\s+([\w$]+)/g)].map(
    ([, name]) => `${language} new ${name!.toLowerCase()}`,
  )
  return [...names, ...(/\b(?:__construct|constructor)\s*\(/.test(text) ? classes : [])]
}

const phpFunctions =
  /\bfunction\s+&?\s*(\w+)|['"](\w+)['"]\s*=>\s*(?:static\s+)?(?:function|fn)\b|\$(\w+)\s*=\s*(?:static\s+)?(?:function|fn)\b/g
const scriptFunctions =
  /\bfunction\s*\*?\s*([\w$]+)|(?:^|[\s,{;.])#?([\w$]+)\s*[=:]\s*(?:async\s*)?(?:function\b|\([^()]{0,500}\)\s*=>|[\w$]+\s*=>)|^\s*(?:static\s+|async\s+|get\s+|\*\s*)*#?([\w$]+)\s*\([^()]{0,500}\)\s*\{/gm

// A snippet that passes to a snippet that passes to a snippet.
const mostRounds = 4

/** Returns true for a file that may read what another file passes. */
export function mayBeGiven({ file, text }: Source, given: Given | undefined): boolean {
  return (
    given !== undefined &&
    (given.functions.has(defaultOf(file)) ||
      [...given.names, ...given.properties].some((name) => text.includes(name)) ||
      (/\bglobal\b|GLOBALS/.test(text) && [...given.shared].some((name) => text.includes(name))) ||
      (given.functions.size + given.results.size > 0 &&
        (text.toLowerCase().match(/\w+/g) ?? []).some(
          (word) =>
            given.functions.has(word) || given.functions.has(`new ${word}`) || given.results.has(word),
        )))
  )
}

function givenBy(source: Source, facts: SiteFacts, flow: Flow): Given {
  const { text } = source
  if (!flow.words.test(text) && !mayBeGiven(source, facts.given)) return none
  const syntax = /\.blade\.php$/.test(source.file) ? null : syntaxOf(source)
  const root = syntax && treeOf(source)
  if (!root) return flow.isFormKnown ? { ...none, names: givenInText(text, facts) } : none
  try {
    return givenInCode(root, text, syntax.name, facts, flow)
  } catch (error) {
    // Nested deeper than the stack: the file counts as unreadable.
    if (error instanceof RangeError) return none
    throw error
  }
}

const none: Given = emptyGiven()

function givenInCode(
  root: Code,
  text: string,
  language: 'php' | 'script',
  facts: SiteFacts,
  flow: Flow,
): Given {
  const scopes = readScopes(root)
  const values = readValues(scopes, facts)
  const imported = language === 'script' ? importedNames(text) : new Map<string, string>()
  const handed = flow.isFormKnown
    ? readHanded(root, scopes, values, facts.given, imported)
    : handedPurchases(root, values, facts.given)
  const taint = readTaint({ flow, root, language, scopes, values, handed, given: facts.given, imported })
  const { holds } = taint
  const found = emptyGiven()
  const { names, functions, results, ones } = found
  const compacted: string[] = []
  const holding = new Set<string>()
  /** Variables that another file sees: exports, and everything present when a file is included. */
  const seen = new Set<string>()
  let isSeen = false
  const give = (key: unknown, value: Code) => {
    if (typeof key !== 'string' || !holds(value)) return
    names.add(key)
    if (taint.functionsIn(value).some(taint.gives)) results.add(key.toLowerCase())
  }
  const giveTo = (name: string, isOne: boolean) => {
    functions.add(name)
    if (isOne) ones.add(name)
  }
  walkCode(root, (code) => {
    if (code.kind === 'name' && holds(code)) {
      holding.add(code.name)
      if (scopes.bindingOf(code).isOutermost) seen.add(code.name)
      if (language === 'php' && scopes.bindingOf(code).isOutermost) found.shared.add(code.name)
    }
    if (code.kind === 'assign' && code.target.kind === 'member') {
      const { key, object } = code.target
      give(key, code.value)
      if (code.target.style !== 'index' && holds(code.value) && !taint.isContainer(code.value))
        ones.add(`property ${key}`)
      // `$GLOBALS['all'] = …`
      if (object.kind === 'name' && object.name === 'GLOBALS' && holds(code.value))
        found.shared.add(String(key))
    }
    if (code.kind === 'other' && code.what === 'include') isSeen = true
    if (code.kind === 'other' && /^Export/.test(code.what)) isSeen = true
    if (
      code.kind === 'other' &&
      (code.what === 'entry' || code.what === 'property') &&
      code.children.length === 2
    ) {
      const [key, value] = code.children as [Code, Code]
      if (key.kind === 'literal') give(key.value, value)
    }
    if (code.kind === 'other' && code.what === 'JSXAttribute')
      for (const child of code.children.flatMap((part) => (part.kind === 'other' ? part.children : [])))
        give(/^[\w-]+/.exec(text.slice(code.start, code.end))?.[0], child)
    if (code.kind === 'function' && (code.name || code.exportedAs) && taint.gives(code)) {
      if (code.name) results.add(code.name.toLowerCase())
      if (code.exportedAs) results.add(code.exportedAs)
    }
    // A file's own return is the value of its `include`.
    if (code.kind === 'return' && code.value && holds(code.value) && !isInFunction(code, scopes))
      results.add('include')
    if (code.kind !== 'call') return
    if (calledName(code) === 'compact')
      compacted.push(...code.args.flatMap((arg) => (arg.kind === 'literal' ? [String(arg.value)] : [])))
    else {
      const isOne = code.args.some((arg) => holds(arg) && !taint.isContainer(arg))
      for (const { name, isThrough } of functionsGiven(code, holds))
        giveTo((imported.get(name) ?? name).toLowerCase(), isThrough || isOne)
    }
  })
  for (const name of compacted) if (holding.has(name)) names.add(name)
  if (isSeen) for (const name of seen) names.add(name)
  for (const name of taint.properties) found.properties.add(name)
  return found
}

function isInFunction(code: Code, scopes: Scopes): boolean {
  for (let up = scopes.parentOf(code); up; up = scopes.parentOf(up)) if (up.kind === 'function') return true
  return false
}

/**
 * Returns the functions that a call passes a subscription to: the called one, `card(s)`, and callbacks of a
 * list, `subscriptions.map(card)`.
 */
function functionsGiven(call: Call, holds: (code: Code) => boolean): { name: string; isThrough: boolean }[] {
  const name = calledName(call)?.replace(/^.*(?:::|\\)/, '')
  const receiver = receiverOf(call)
  const isGiven = call.args.some(holds)
  const called = name !== undefined && isGiven ? [call.isNew ? `new ${name}` : name] : []
  if (!isGiven && !(receiver && holds(receiver))) return []
  const through = call.args.map(unwrap).flatMap((arg) => {
    if (arg.kind === 'name') return [arg.name]
    if (arg.kind === 'literal' && typeof arg.value === 'string')
      return [arg.value.replace(/^.*(?:::|\\)/, '')]
    if (arg.kind === 'call' && isReference(arg)) return [calledName(arg)?.replace(/^.*(?:::|\\)/, '') ?? '']
    return arg.kind === 'member' && typeof arg.key === 'string' ? [arg.key] : []
  })
  return [
    ...called.map((given) => ({ name: given, isThrough: false })),
    ...through.map((given) => ({ name: given, isThrough: true })),
  ]
}
