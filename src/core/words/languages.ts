import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createProblems, type Problems } from '../config/problems.ts'
import { packageFolder } from '../package-folder.ts'
import { type LanguageFile, type Outline, readLanguage } from './language-file.ts'
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

/** Where the files of one kind lie, what may stand in them, and who gets which. */
export interface LanguageFiles {
  /** Below `templates/`, of the package and of the site. */
  readonly folder: string
  /** Whose languages these are, in an error: "mails". */
  readonly of: string
  /** The site's folder; false for none. */
  readonly root: string | false
  readonly outline: Outline
  readonly defaultLanguage: string
}

/** The package's language files and the site's over them. A text that a language lacks is the default language's, or
 *  else English. @throws ERR_CONFIG that lists every mistake of the site's files, and for a default without a file. */
export const loadLanguages = ({ folder, of, root, outline, defaultLanguage }: LanguageFiles): Languages => {
  const problems = createProblems()
  const place = `templates/${folder}`
  const shipped = readFolder(packageFolder(), place, { label: `the package’s ${place}`, outline, problems })
  const own = root === false ? noFiles : readFolder(root, place, { label: place, outline, problems })
  const names = [...new Set([...shipped.keys(), ...own.keys()])].sort()
  const defaultTag = toTag(defaultLanguage) ?? ''
  const byDefault = lookUp(defaultTag, names)
  if (byDefault === undefined)
    problems.add(
      `The default language of ${of} is "${defaultLanguage}", and there is no such language; there are ${names.join(', ')}`,
      `Name one of ${names.join(', ')}, or write ${place}/${defaultLanguage}.yml.`,
    )
  problems.throwIfAny()

  const filesOf = (name: string) => [own.get(name) ?? [], shipped.get(name) ?? []].flat()
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
      const spoken = names.filter((name) => !refused.some((one) => lookUp(one, [name]) === name))
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

const readFolder = (
  root: string,
  place: string,
  { label, outline, problems }: { label: string; outline: Outline; problems: Problems },
): ReadonlyMap<string, LanguageFile> => {
  const folder = join(root, place)
  const found = new Map<string, LanguageFile>()
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    if (!/\.(ya?ml|json)$/i.test(file)) continue
    const name = nameOf(file)
    if (name === undefined)
      problems.add(
        `${label}/${file} is no language: its name must be a language tag and end in .yml, such as de.yml`,
        `Rename ${label}/${file}.`,
      )
    else found.set(name, readLanguage(join(folder, file), `${label}/${file}`, outline, problems))
  }
  return found
}

const nameOf = (file: string): string | undefined => {
  const name = /^([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\.yml$/.exec(file)?.[1]
  return toTag(name) === undefined ? undefined : name
}

const isRegional = (tag: string): boolean => new Intl.Locale(tag).region !== undefined
