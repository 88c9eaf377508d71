import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findNearest } from '../config/nearest.ts'
import { createProblems, type Problems } from '../config/problems.ts'
import { lazy } from '../lazy.ts'
import { packageFolder } from '../package-folder.ts'
import { type LanguageFile, type Outline, readGroupFile, readLanguage, readShipped } from './language-file.ts'
import { lookUp, toTag } from './tags.ts'
import type { Text } from './text.ts'

/** A language chosen for one person. */
export interface Chosen {
  /** The name of the language's file. */
  readonly language: string
  /** The locale of numbers, dates and amounts. */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  /** undefined for a key without a text. */
  textOf(key: string): Text | undefined
}

/** The texts of all languages. */
export interface Languages {
  readonly names: string[]
  /** Finds the nearest file for a language tag. */
  find(tag: string): string | undefined
  /** Chooses the nearest file for the first of these tags that has one and is not refused, else the default. */
  choose(tags: readonly (string | null | undefined)[], refused?: readonly string[]): Chosen
}

/** Language files of one kind: their folder, their allowed texts, and the default. */
export interface LanguageFiles {
  /** Below `templates/`, of the package and of the site. */
  readonly folder: string
  /** The name of the texts in an error: "mails". */
  readonly of: string
  /** The site's folder, or false for none. */
  readonly root: string | false
  /** Called only if the site has files of its own. */
  readonly outline: () => Outline
  readonly defaultLanguage: string
  /** Groups of texts with a file of their own, `{group}.yml`, which has every language under its tag. */
  readonly groups?: GroupFiles
}

/** Groups of texts in files of their own. */
export interface GroupFiles {
  readonly names: readonly string[]
  /** The package's texts of these files in one language. */
  readonly shipped: (language: string) => ReadonlyMap<string, Text>
}

/**
 * Loads the package's language files with the site's overrides. A site's files have the names of the package's, so that
 * a copy of `templates/` is as good as a file with one text, and the package's folder may be the site's. A missing text falls back to the default language, then
 * to English.
 * @throws ERR_CONFIG that lists every mistake of the site's files, and for a default without a file
 */
export function loadLanguages({
  folder,
  of,
  root,
  outline,
  defaultLanguage,
  groups,
}: LanguageFiles): Languages {
  const problems = createProblems()
  const place = `templates/${folder}`
  const shipped = shippedFiles(place, groups?.shipped)
  const own =
    root === false ? noFiles : readFolder(root, { place, outline, groups: groups?.names ?? [], problems })
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

/**
 * The package's own files do not change while it runs. Each is read once per process, when its language is first used.
 * Tests make sure that they have no mistakes.
 */
function shippedFiles(
  place: string,
  more: GroupFiles['shipped'] | undefined,
): ReadonlyMap<string, () => LanguageFile> {
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
function withTexts(file: LanguageFile, more: ReadonlyMap<string, Text> = new Map()): LanguageFile {
  return {
    ...file,
    texts: new Map([...file.texts, ...more]),
  }
}
const shippedIn = new Map<string, ReadonlyMap<string, () => LanguageFile>>()

interface SiteFolder {
  readonly place: string
  readonly outline: () => Outline
  /** The groups of texts that may have a file of their own. */
  readonly groups: readonly string[]
  readonly problems: Problems
}

function readFolder(
  root: string,
  { place, outline, groups, problems }: SiteFolder,
): ReadonlyMap<string, LanguageFile> {
  const found = new Map<string, LanguageFile>()
  const placeOf = new Map<string, string>()
  for (const { name, file, label } of filesIn(root, place)) {
    const group = groups.find((known) => name === `${known}.yml`)
    const language = nameOf(name)
    if (group !== undefined)
      for (const [tag, part] of readGroupFile(file, label, { group, outline: outline(), problems }))
        add(tag, part, label)
    else if (language !== undefined) add(language, readLanguage(file, label, outline(), problems), label)
    else reportName(name, label)
  }
  return found

  function add(language: string, { locale, direction, texts }: LanguageFile, label: string) {
    const before = found.get(language)
    for (const key of texts.keys()) {
      const other = placeOf.get(`${language} ${key}`)
      if (other !== undefined)
        problems.add(
          `The text ${key} in ${language} is in ${other} and in ${label}`,
          `Remove ${key} from one of ${other} and ${label}.`,
        )
      placeOf.set(`${language} ${key}`, label)
    }
    found.set(language, {
      locale: locale ?? before?.locale,
      direction: direction ?? before?.direction,
      texts: new Map([...(before?.texts ?? []), ...texts]),
    })
  }

  function reportName(name: string, label: string) {
    const stem = name.replace(/\.[^.]*$/, '')
    const nearest = nameOf(`${stem}.yml`) === undefined ? findNearest(stem, groups) : stem
    const orGroup = groups.length === 0 ? '' : `, or a mail, such as ${groups[0]}.yml`
    problems.add(
      `${label} is not named after a language, such as de.yml${orGroup}`,
      nearest === undefined
        ? `Rename ${label}${groups.length === 0 ? '' : ` (mails: ${groups.join(', ')})`}, or move it out of ${place}/.`
        : `Rename ${label} to ${place}/${nearest}.yml.`,
    )
  }
}

interface Found {
  readonly name: string
  readonly file: string
  /** The file's path in the site or the package, for errors. */
  readonly label: string
}

function filesIn(root: string, place: string): Found[] {
  const folder = join(root, place)
  return (existsSync(folder) ? readdirSync(folder).sort() : [])
    .filter((name) => /\.(ya?ml|json)$/i.test(name))
    .map((name) => ({ name, file: join(folder, name), label: `${place}/${name}` }))
}

function nameOf(file: string): string | undefined {
  const name = /^([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\.yml$/.exec(file)?.[1]
  return toTag(name) === undefined ? undefined : name
}

function isRegional(tag: string): boolean {
  return new Intl.Locale(tag).region !== undefined
}
