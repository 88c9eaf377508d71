import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { packageFolder } from '../../core/pages/index.ts'
import { readShippedYaml, yaml } from '../../core/yaml.ts'

/** A map as a blueprint has it. */
export type Props = Readonly<Record<string, unknown>>

/** The fields of a role's blueprint, in order, with everything that it extends; nothing is understood yet. */
export interface Blueprint {
  /** The file that it was read from, for messages. */
  readonly place: string
  readonly fields: ReadonlyMap<string, Props>
}

const maxBytes = 256 * 1024
const maxFields = 500
// Tabs hold columns, columns hold sections, sections hold fields, and groups hold some more.
const maxDepth = 12

/**
 * Reads `blueprints/users/{role}.yml` of the site, else its `member.yml`, else the package's own.
 * @throws ERR_CONFIG for a file that cannot be read, is no YAML, is too large, or goes round in circles
 */
export const readBlueprint = (root: string | false, role: string): Blueprint => {
  const folders = root === false ? [packageFolder()] : [root, packageFolder()]
  const find = (name: string): { place: string; content: unknown } | null => {
    if (!isName(name)) return null
    for (const folder of folders)
      for (const ending of ['.yml', '.yaml']) {
        const place = join(folder, 'blueprints', `${name}${ending}`)
        const text = readText(place)
        if (text === null) continue
        const isOurs = folder === packageFolder()
        return {
          place,
          content: isOurs ? readShippedYaml(`blueprints/${name}${ending}`) : toContent(text, place),
        }
      }
    return null
  }
  // The role is a single name: it leads nowhere else.
  const own = root === false || role.includes('/') ? null : findIn(root, role, find)
  const found = own ?? find('users/member')
  if (!found) throw new MembershipError('ERR_CONFIG', 'The blueprint users/member.yml is missing.')
  const { place } = found
  const fields = new Map<string, Props>()
  collect(found.content, { place, fields, load: (name) => find(name)?.content ?? null }, 0)
  return { place, fields }
}

// A role of the site's own alone: the package has none but member.
const findIn = (
  root: string,
  role: string,
  find: (name: string) => { place: string; content: unknown } | null,
) => {
  const found = find(`users/${role}`)
  return found?.place.startsWith(join(root, 'blueprints')) ? found : null
}

// Letters, digits, dash and underline in each part: no dot, so nothing leads out of the folder.
const isName = (name: string): boolean => name.length <= 200 && /^[\w-]+(\/[\w-]+)*$/.test(name)

const readText = (place: string): string | null => {
  try {
    if (statSync(place).size > maxBytes) throw unreadable(place, 'it is larger than 256 kB')
    return readFileSync(place, 'utf8')
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error instanceof MembershipError ? error : unreadable(place, code ?? 'it cannot be read')
  }
}

const toContent = (text: string, place: string): unknown => {
  try {
    // An anchor may be used often, but not so that it multiplies itself.
    return yaml().parse(text, { maxAliasCount: 100, logLevel: 'error' }) as unknown
  } catch (error) {
    throw unreadable(place, (error instanceof Error ? error.message : String(error)).split('\n')[0]!)
  }
}

interface Collecting {
  readonly place: string
  readonly fields: Map<string, Props>
  readonly load: (name: string) => unknown
}

/** Takes the fields out of a blueprint, a tab, a column or a section, those of what it extends first. */
const collect = (given: unknown, into: Collecting, depth: number): void => {
  if (depth > maxDepth) throw unreadable(into.place, 'its parts lie in each other without end')
  const part = typeof given === 'string' ? into.load(given) : given
  if (!isProps(part)) return
  for (const parent of namesOf(part.extends)) collect(into.load(parent), into, depth + 1)
  collectFields(part.fields, into, depth)
  for (const holder of [part.sections, part.columns, part.tabs])
    if (typeof holder === 'object' && holder !== null)
      for (const inner of Object.values(holder)) collect(inner, into, depth + 1)
}

const collectFields = (given: unknown, into: Collecting, depth: number): void => {
  if (!isProps(given)) return
  if (depth > maxDepth) throw unreadable(into.place, 'its fields lie in each other without end')
  for (const [key, value] of Object.entries(given)) {
    const name = fieldName(key)
    const props = propsOf(name, value, into, 0)
    if (props === null) into.fields.delete(name)
    else if (props.type === 'group') collectFields(props.fields, into, depth + 1)
    // What a parent closed stays closed unless the flag itself is said again.
    else into.fields.set(name, { ...into.fields.get(name), ...props })
    if (into.fields.size > maxFields) throw unreadable(into.place, `it has more than ${maxFields} fields`)
  }
}

/** A field as written: a map, `true` for the type of its own name, the name of a field to extend; `false` takes it away. */
const propsOf = (name: string, value: unknown, into: Collecting, depth: number): Props | null => {
  if (depth > maxDepth) throw unreadable(into.place, `the field "${name}" extends itself`)
  if (value === false || value === null) return null
  if (value === true) return { type: name }
  if (typeof value === 'string') return propsOf(name, into.load(value) ?? {}, into, depth + 1)
  if (!isProps(value)) throw unreadable(into.place, `the field "${name}" is no map`)
  const parents = namesOf(value.extends).map((parent) =>
    propsOf(name, into.load(parent) ?? {}, into, depth + 1),
  )
  // By entries: a key such as __proto__ stays a key.
  return Object.fromEntries([...parents, value].flatMap((item) => Object.entries(item ?? {})))
}

/** Names as content has them: lower-case, with `_` for dashes and spaces. */
export const fieldName = (name: string): string => name.trim().toLowerCase().replaceAll(/[- ]/g, '_')

const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string')

/** True if a value of a blueprint is a map; a list and null are none. */
export const isProps = (value: unknown): value is Props =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unreadable = (place: string, why: string): MembershipError =>
  new MembershipError('ERR_CONFIG', `The blueprint ${place} cannot be used: ${why}.`, {
    action: 'Correct the file; until then nobody can read or change their account through it.',
  })
