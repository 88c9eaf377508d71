import { readFileSync } from 'node:fs'
import { findNearest } from '../config/nearest.ts'
import type { Problems } from '../config/problems.ts'
import { readShippedYaml, yaml } from '../yaml.ts'
import { toTag } from './tags.ts'
import { isText, placeholdersIn, type Text, wordingsOf } from './text.ts'

/** One language file's texts by key. Missing ones are found elsewhere. */
export interface LanguageFile {
  readonly locale: string | undefined
  readonly direction: 'ltr' | 'rtl' | undefined
  readonly texts: ReadonlyMap<string, Text>
}

/** The texts that a language file may have. */
export interface Outline {
  /** Keys such as `receipt.intro`, in the order of the file. */
  readonly keys: readonly string[]
  /** The placeholders and parts that a text may use, in any order and number. */
  readonly placeholdersOf: (key: string) => readonly string[]
  /** True for a required text; any other may be empty. */
  readonly isNeeded: (key: string) => boolean
  /** The group of keys that a site defines freely. */
  readonly own?: string
}

/** Reads a language file. Every mistake becomes a problem that names the file, the key and what is allowed. */
export function readLanguage(
  file: string,
  label: string,
  outline: Outline,
  problems: Problems,
): LanguageFile {
  const { locale, direction, ...tree } = readTree(file, label, problems)
  const texts = readTexts(tree, { label, outline, problems, general: ['locale', 'direction'] })
  return { locale: readLocale(locale), direction: readDirection(direction), texts }

  function readLocale(given: unknown): string | undefined {
    if (given === undefined) return undefined
    try {
      return new Intl.Locale(given as string).baseName
    } catch {
      problems.add(`${label}: locale must be a language tag such as de or en-GB`)
      return undefined
    }
  }

  function readDirection(given: unknown): 'ltr' | 'rtl' | undefined {
    if (given === undefined || given === 'ltr' || given === 'rtl') return given
    problems.add(`${label}: direction must be ltr or rtl`)
    return undefined
  }
}

/** Reads the texts of one group by language: a file with groups under language tags. Mistakes become problems. */
export function readGroupFile(
  file: string,
  label: string,
  { group, outline, problems }: { group: string; outline: Outline; problems: Problems },
): ReadonlyMap<string, LanguageFile> {
  const found = new Map<string, LanguageFile>()
  for (const [language, tree] of Object.entries(readTree(file, label, problems))) {
    if (toTag(language) === undefined)
      problems.add(
        `${label}: "${language}" is no language tag such as de`,
        `Put the texts of ${label} under the tag of their language.`,
      )
    else if (!isTree(tree)) problems.add(`${label}: ${language} must be a group of texts`)
    else {
      const given = { label: `${label}, ${language}`, outline: within(outline, group), problems, general: [] }
      const texts = [...readTexts(tree, given)].map(([key, text]) => [`${group}.${key}`, text] as const)
      found.set(language, { locale: undefined, direction: undefined, texts: new Map(texts) })
    }
  }
  return found
}

/** The outline of one group alone, whose file leaves the group's name out. */
function within({ keys, placeholdersOf, isNeeded }: Outline, group: string): Outline {
  return {
    keys: keys.filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1)),
    placeholdersOf: (key) => placeholdersOf(`${group}.${key}`),
    isNeeded: (key) => isNeeded(`${group}.${key}`),
  }
}

interface Reading {
  /** The file's name in errors. */
  readonly label: string
  readonly outline: Outline
  readonly problems: Problems
  /** Keys beside the texts, for the list of allowed ones. */
  readonly general: readonly string[]
}

function readTexts(
  tree: Record<string, unknown>,
  { label, outline, problems, general }: Reading,
): ReadonlyMap<string, Text> {
  const found = new Map<string, Text>()
  const known = new Set(outline.keys)
  readGroup(tree, '')
  return found

  function readGroup(group: Record<string, unknown>, path: string) {
    for (const [name, content] of Object.entries(group)) {
      const key = `${path}${name}`
      if (known.has(key)) readText(key, content)
      else if (isOwn(key)) readOwn(key, content)
      else if (!outline.keys.some((knownKey) => knownKey.startsWith(`${key}.`))) reportUnknown(key, path)
      else if (!isTree(content)) problems.add(`${label}: ${key} must be a group of texts`)
      else readGroup(content, `${key}.`)
    }
  }

  function isOwn(key: string): boolean {
    return outline.own !== undefined && (key === outline.own || key.startsWith(`${outline.own}.`))
  }

  function readOwn(key: string, content: unknown) {
    if (key !== outline.own && isText(content)) found.set(key, content)
    else if (isTree(content)) readGroup(content, `${key}.`)
    else problems.add(`${label}: ${key} must be text`, `Put the text of ${key} in quotes.`)
  }

  function readText(key: string, text: unknown) {
    const allowed = outline.placeholdersOf(key)
    if (!isText(text) || (typeof text !== 'string' && !allowed.includes('count'))) {
      problems.add(`${label}: ${key} must be text`, `Put the text of ${key} in quotes.`)
      return
    }
    for (const wording of wordingsOf(text)) checkWording(key, wording, allowed)
    found.set(key, text)
  }

  function checkWording(key: string, text: string, allowed: readonly string[]) {
    if (outline.isNeeded(key) && text.trim() === '') problems.add(`${label}: ${key} must not be empty`)
    for (const name of placeholdersIn(text))
      if (!allowed.includes(name))
        problems.add(
          `${label}: ${key} has the unknown placeholder {${name}}; allowed are ${allowed.map((item) => `{${item}}`).join(', ')}`,
          `Correct the text of ${key} in ${label}.`,
        )
    if (/[{}]/.test(text.replace(/\{[^{}]*\}/g, '')))
      problems.add(`${label}: ${key} has a "{" or "}" that belongs to no placeholder`)
  }

  function reportUnknown(key: string, path: string) {
    const beside = outline.keys
      .filter((knownKey) => knownKey.startsWith(path))
      .map((knownKey) => `${path}${knownKey.slice(path.length).split('.')[0]}`)
    const allowed = [...new Set([...(path === '' ? general : []), ...beside])]
    const nearest = findNearest(key, allowed)
    problems.add(
      `${label}: unknown key "${key}"; allowed are ${allowed.join(', ')}`,
      nearest ? `Rename "${key}" to "${nearest}" in ${label}.` : `Remove "${key}" from ${label}.`,
    )
  }
}

/** Reads one of the package's language files, without checks. */
export function readShipped(path: string): LanguageFile {
  const { locale, direction, ...tree } = readShippedYaml(path) as Shipped
  return { locale, direction, texts: new Map(textsOf(tree, '')) }
}

/** Reads one language's texts from a file of the package with several languages, each under its tag. */
export function readShippedTexts(path: string, language: string): [string, Text][] {
  return textsOf((readShippedYaml(path) as Record<string, Record<string, unknown>>)[language] ?? {}, '')
}

type Shipped = Pick<LanguageFile, 'locale' | 'direction'> & Record<string, unknown>

/**
 * Derives the outline for language files from one of the package's: its keys, and each text's placeholders. `free` is
 * allowed in any text.
 */
export function outlineOf(path: string, free: readonly string[], own: string): Outline {
  const texts = new Map(textsOf(readShippedYaml(path) as Shipped, ''))
  return {
    keys: [...texts.keys()],
    placeholdersOf: (key) => [
      ...new Set([...wordingsOf(texts.get(key) ?? '').flatMap(placeholdersIn), ...free]),
    ],
    isNeeded: () => false,
    own,
  }
}

/** Lists a language file's texts with their keys. */
export function textsOf(tree: Record<string, unknown>, path: string): [string, Text][] {
  return Object.entries(tree).flatMap(([name, content]): [string, Text][] => {
    if (path === '' && (name === 'locale' || name === 'direction')) return []
    if (isText(content)) return [[`${path}${name}`, content]]
    return isTree(content) ? textsOf(content, `${path}${name}.`) : []
  })
}

function readTree(file: string, label: string, problems: Problems): Record<string, unknown> {
  const { parseDocument, LineCounter, visit } = yaml()
  const lineCounter = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { prettyErrors: true, lineCounter })
  const [error] = document.errors
  if (error) {
    problems.add(
      `${label} is no YAML: ${error.message.split('\n')[0]!.replace(/:$/, '')}`,
      `Correct ${label}; texts with ": " in them need quotes.`,
    )
    return {}
  }
  // A text such as *New* would stand for another part of the file.
  const aliases: number[] = []
  visit(document, { Alias: (_, { range }) => void aliases.push(lineCounter.linePos(range?.[0] ?? 0).line) })
  if (aliases.length > 0) {
    problems.add(
      `${label} has a text that begins with "*", at line ${aliases[0]}`,
      `Put the text in line ${aliases[0]} of ${label} in quotes.`,
    )
    return {}
  }
  const tree: unknown = document.toJS() ?? {}
  if (isTree(tree)) return tree
  problems.add(`${label} must hold groups of texts`)
  return {}
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
