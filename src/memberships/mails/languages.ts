import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createProblems, type Problems } from '../../core/config/problems.ts'
import { packageFolder } from '../../core/pages/index.ts'
import { type LanguageFile, readLanguage } from './language-file.ts'
import type { TextKey } from './texts.ts'

/** A language as it is spoken to one member. */
export interface Chosen {
  /** The name of its file. */
  readonly language: string
  /** For dates and amounts. */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  textOf(key: TextKey): string
}

/** The texts of every language that there is a file of. */
export interface Languages {
  readonly names: string[]
  /** The nearest file to a member's language tag, else the default. */
  choose(tag: string | null | undefined): Chosen
}

/** The package's language files and the site's over them. A text that a language lacks is the default language's, or
 *  else English. @throws ERR_CONFIG that lists every mistake of the site's files, and for a default without a file. */
export const loadLanguages = (root: string | false, defaultLanguage: string): Languages => {
  const problems = createProblems()
  const shipped = readFolder(packageFolder, 'the package’s templates/mails', problems)
  const own = root === false ? noFiles : readFolder(root, 'templates/mails', problems)
  const names = [...new Set([...shipped.keys(), ...own.keys()])].sort()
  const defaultTag = toTag(defaultLanguage) ?? ''
  const byDefault = findName(defaultTag, names)
  if (byDefault === undefined)
    problems.add(
      `The default language of mails is "${defaultLanguage}", and there is no such language; there are ${names.join(', ')}`,
      `Name one of ${names.join(', ')}, or write templates/mails/${defaultLanguage}.yml.`,
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
      // English has every text; a test says so.
      textOf: (key) => files.find((file) => file.texts.has(key))!.texts.get(key)!,
    }
  }
  return {
    names,
    choose: (tag) => {
      const wanted = toTag(tag)
      const name = wanted === undefined ? undefined : findName(wanted, names)
      return name === undefined ? speak(byDefault!, defaultTag) : speak(name, wanted!)
    },
  }
}

const noFiles: ReadonlyMap<string, LanguageFile> = new Map()

const readFolder = (root: string, label: string, problems: Problems): ReadonlyMap<string, LanguageFile> => {
  const folder = join(root, 'templates', 'mails')
  const found = new Map<string, LanguageFile>()
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    if (!/\.(ya?ml|json)$/i.test(file)) continue
    const name = nameOf(file)
    if (name === undefined)
      problems.add(
        `${label}/${file} is no language: its name must be a language tag and end in .yml, such as de.yml`,
        `Rename ${label}/${file}.`,
      )
    else found.set(name, readLanguage(join(folder, file), `${label}/${file}`, problems))
  }
  return found
}

const nameOf = (file: string): string | undefined => {
  const name = /^([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\.yml$/.exec(file)?.[1]
  return toTag(name) === undefined ? undefined : name
}

/** `de-AT` finds de-AT, else de. */
const findName = (tag: string, names: readonly string[]): string | undefined => {
  for (let rest = tag.toLowerCase(); rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')))) {
    const name = names.find((one) => one.toLowerCase() === rest)
    if (name !== undefined) return name
  }
  return undefined
}

/** The tag without extensions, which could choose another calendar; undefined for what is no language tag. */
const toTag = (tag: string | null | undefined): string | undefined => {
  try {
    return tag ? new Intl.Locale(tag.replaceAll('_', '-')).baseName : undefined
  } catch {
    return undefined
  }
}

const isRegional = (tag: string): boolean => new Intl.Locale(tag).region !== undefined
