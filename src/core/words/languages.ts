import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createProblems, type Problems } from '../config/problems.ts'
import { lazy } from '../lazy.ts'
import { packageFolder } from '../package-folder.ts'
import { type LanguageFile, type Outline, readLanguage, readShipped } from './language-file.ts'
import { lookUp, toTag } from './tags.ts'
import type { Text } from './text.ts'

/** A language as it is spoken to one person. */
export interface Chosen {
  /** The name of its file. */
  readonly language: string
  /** For numbers, dates and amounts. */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  /** Undefined for a key that no file has. */
  textOf(key: string): Text | undefined
}

/** The texts of every language that there is a file of. */
export interface Languages {
  readonly names: string[]
  /** The nearest file to a language tag. */
  find(tag: string): string | undefined
  /** The nearest file to the first of these language tags that has one, but for those refused; else the default. */
  choose(tags: readonly (string | null | undefined)[], refused?: readonly string[]): Chosen
}

/** The files of one kind: where they lie, what may stand in them, and who gets which. */
export interface LanguageFiles {
  /** Below `templates/`, of the package and of the site. */
  readonly folder: string
  /** The name of these languages in an error: "mails". */
  readonly of: string
  /** The site's folder; false for none. */
  readonly root: string | false
  /** Asked for where the site has files of its own. */
  readonly outline: () => Outline
  readonly defaultLanguage: string
  /** Texts of the package that stand outside its language files. */
  readonly shippedTexts?: (language: string) => ReadonlyMap<string, Text>
}

/** The package's language files and the site's over them. A text that a language lacks is the default language's, or
 *  else English. @throws ERR_CONFIG that lists every mistake of the site's files, and for a default without a file. */
export const loadLanguages = ({
  folder,
  of,
  root,
  outline,
  defaultLanguage,
  shippedTexts,
}: LanguageFiles): Languages => {
  const problems = createProblems()
  const place = `templates/${folder}`
  const shipped = shippedFiles(place, shippedTexts)
  const own = root === false ? noFiles : readFolder(root, place, outline, problems)
  const names = [...new Set([...shipped.keys(), ...own.keys()])].sort()
  const defaultTag = toTag(defaultLanguage) ?? ''
  const byDefault = lookUp(defaultTag, names)
  if (byDefault === undefined)
    problems.add(
      `The default language of ${of} is "${defaultLanguage}", and there is no such language; there are ${names.join(', ')}`,
      `Name one of ${names.join(', ')}, or write ${place}/${defaultLanguage}.yml.`,
    )
  problems.throwIfAny()

  const filesOf = (name: string) => [own.get(name) ?? [], shipped.get(name)?.() ?? []].flat()
  const speak = (name: string, tag: string): Chosen => {
    const itself = filesOf(name)
    const files = [name, byDefault!, 'en'].flatMap(filesOf)
    return {
      language: name,
      locale: isRegional(tag) ? tag : (itself.find((file) => file.locale)?.locale ?? name),
      direction: itself.find((file) => file.direction)?.direction ?? 'ltr',
      textOf: (key) => files.find((file) => file.texts.has(key))?.texts.get(key),
    }
  }
  return {
    names,
    find: (tag) => lookUp(toTag(tag) ?? '', names),
    choose: (tags, refused = []) => {
      const spoken = names.filter((name) => !refused.some((item) => lookUp(item, [name]) === name))
      for (const given of tags) {
        const tag = toTag(given)
        const name = tag === undefined ? undefined : lookUp(tag, spoken)
        if (name !== undefined) return speak(name, tag!)
      }
      return speak(byDefault!, defaultTag)
    },
  }
}

const noFiles: ReadonlyMap<string, LanguageFile> = new Map()

/** The package's own files do not change while it runs: each is read when its language is first spoken, once a process.
 *  That they have no mistakes is for the tests to see. */
const shippedFiles = (
  place: string,
  more: LanguageFiles['shippedTexts'],
): ReadonlyMap<string, () => LanguageFile> => {
  const known = shippedIn.get(place)
  if (known) return known
  const files = filesIn(packageFolder(), place)
  const found = new Map(
    files.flatMap(({ name, label }) => {
      const language = nameOf(name)
      return language === undefined
        ? []
        : [[language, lazy(() => withTexts(readShipped(label), more?.(language)))] as const]
    }),
  )
  shippedIn.set(place, found)
  return found
}
const withTexts = (file: LanguageFile, more: ReadonlyMap<string, Text> = new Map()): LanguageFile => ({
  ...file,
  texts: new Map([...file.texts, ...more]),
})
const shippedIn = new Map<string, ReadonlyMap<string, () => LanguageFile>>()

const readFolder = (
  root: string,
  place: string,
  outline: () => Outline,
  problems: Problems,
): ReadonlyMap<string, LanguageFile> => {
  const found = new Map<string, LanguageFile>()
  for (const { name, file, label } of filesIn(root, place)) {
    const language = nameOf(name)
    if (language === undefined)
      problems.add(
        `${label} is no language: its name must be a language tag and end in .yml, such as de.yml`,
        `Rename ${label}.`,
      )
    else found.set(language, readLanguage(file, label, outline(), problems))
  }
  return found
}

interface Found {
  readonly name: string
  readonly file: string
  /** Its path in the site or in the package; what an error calls it. */
  readonly label: string
}

const filesIn = (root: string, place: string): Found[] => {
  const folder = join(root, place)
  return (existsSync(folder) ? readdirSync(folder).sort() : [])
    .filter((name) => /\.(ya?ml|json)$/i.test(name))
    .map((name) => ({ name, file: join(folder, name), label: `${place}/${name}` }))
}

const nameOf = (file: string): string | undefined => {
  const name = /^([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\.yml$/.exec(file)?.[1]
  return toTag(name) === undefined ? undefined : name
}

const isRegional = (tag: string): boolean => new Intl.Locale(tag).region !== undefined
