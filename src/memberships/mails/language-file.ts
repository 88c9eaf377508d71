import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { findNearest } from '../../core/config/nearest.ts'
import type { Problems } from '../../core/config/problems.ts'
import { isNeeded, placeholdersIn, placeholdersOf, type TextKey, textKeys, texts } from './texts.ts'

/** One file of texts; what it lacks is found elsewhere. */
export interface LanguageFile {
  readonly locale: string | undefined
  readonly direction: 'ltr' | 'rtl' | undefined
  readonly texts: ReadonlyMap<TextKey, string>
}

/** Reads a language file. Every mistake becomes a problem that names the file, the key and what is allowed. */
export const readLanguage = (file: string, label: string, problems: Problems): LanguageFile => {
  const found = new Map<TextKey, string>()
  const tree = readTree(file, label, problems)
  for (const [group, content] of Object.entries(tree)) {
    if (group === 'locale' || group === 'direction') continue
    if (!Object.hasOwn(texts, group)) reportUnknown(group, ['locale', 'direction', ...Object.keys(texts)])
    else if (!isTree(content)) problems.add(`${label}: ${group} must be a group of texts`)
    else for (const [name, text] of Object.entries(content)) readText(`${group}.${name}`, text)
  }
  return { locale: readLocale(tree.locale), direction: readDirection(tree.direction), texts: found }

  function readText(key: string, text: unknown) {
    if (!isTextKey(key)) {
      const group = key.slice(0, key.indexOf('.') + 1)
      reportUnknown(
        key,
        textKeys.filter((known) => known.startsWith(group)),
      )
      return
    }
    if (typeof text !== 'string') {
      problems.add(`${label}: ${key} must be text`, `Put the text of ${key} in quotes.`)
      return
    }
    if (isNeeded(key) && text.trim() === '') problems.add(`${label}: ${key} must not be empty`)
    const allowed = placeholdersOf(key)
    for (const name of placeholdersIn(text))
      if (!allowed.includes(name))
        problems.add(
          `${label}: ${key} has the unknown placeholder {${name}}; allowed are ${allowed.map((one) => `{${one}}`).join(', ')}`,
          `Correct the text of ${key} in ${label}.`,
        )
    if (/[{}]/.test(text.replace(/\{[^{}]*\}/g, '')))
      problems.add(`${label}: ${key} has a "{" or "}" that belongs to no placeholder`)
    found.set(key, text)
  }

  function reportUnknown(key: string, known: readonly string[]) {
    const nearest = findNearest(key, known)
    problems.add(
      `${label}: unknown key "${key}"; allowed are ${known.join(', ')}`,
      nearest ? `Rename "${key}" to "${nearest}" in ${label}.` : `Remove "${key}" from ${label}.`,
    )
  }

  function readLocale(locale: unknown): string | undefined {
    if (locale === undefined) return undefined
    try {
      return new Intl.Locale(locale as string).baseName
    } catch {
      problems.add(`${label}: locale must be a language tag such as de or en-GB`)
      return undefined
    }
  }

  function readDirection(direction: unknown): 'ltr' | 'rtl' | undefined {
    if (direction === undefined || direction === 'ltr' || direction === 'rtl') return direction
    problems.add(`${label}: direction must be ltr or rtl`)
    return undefined
  }
}

const readTree = (file: string, label: string, problems: Problems): Record<string, unknown> => {
  const document = parseDocument(readFileSync(file, 'utf8'), { prettyErrors: true })
  const [error] = document.errors
  if (error) {
    problems.add(
      `${label} is no YAML: ${error.message.split('\n')[0]}`,
      `Correct ${label}; texts with ": " in them need quotes.`,
    )
    return {}
  }
  const tree: unknown = document.toJS() ?? {}
  if (isTree(tree)) return tree
  problems.add(`${label} must hold groups of texts`)
  return {}
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTextKey = (key: string): key is TextKey => (textKeys as string[]).includes(key)
