import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { oneLine } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { packageFolder } from '../../core/pages/index.ts'
import { isUrl } from '../../core/url.ts'
import { lookUp, plainVoice, type Voice } from '../../core/words/index.ts'
import { readShippedYaml, yaml } from '../../core/yaml.ts'

const words = {
  needed: 'field.needed',
  text: 'field.text',
  one_line: 'field.one_line',
  plain: 'field.plain',
  too_long: 'field.too_long',
  shorter: 'field.shorter',
  longer: 'field.longer',
  number: 'field.number',
  less: 'field.less',
  more: 'field.more',
  switch: 'field.switch',
  date: 'field.date',
  date_range: 'field.date_range',
  option: 'field.option',
  list: 'field.list',
  few: 'field.few',
  many: 'field.many',
  no_email: 'field.no_email',
  no_telephone: 'field.no_telephone',
  no_web_address: 'field.no_web_address',
  closed: 'field.closed',
  unusable: 'field.unusable',
} as const

/** Why what was sent for a field was not taken; it names its words. */
export type Reason = keyof typeof words

/** Why, as a schema says it: one text, which `readReason` takes apart again. */
export const reason = (of: Reason, count?: number): string => (count === undefined ? of : `${of} ${count}`)

/** Why a field was not taken, for whoever sent it. */
export interface FieldReason {
  readonly reason: Reason
  /** The bound that was meant, where there is one. */
  readonly count?: number
}

/** Reads the reason out of a schema's message; `unusable` where it holds none of ours. */
export const readReason = (message: string | undefined): FieldReason => {
  const [of = '', count] = (message ?? '').split(' ')
  if (!Object.hasOwn(words, of)) return { reason: 'unusable' }
  return count === undefined ? { reason: of as Reason } : { reason: of as Reason, count: Number(count) }
}

/** The same with what its form calls the field. */
export type FieldProblem = FieldReason & Pick<Field, 'label' | 'labels'>

/** Why, in words; in English unless a voice says it. */
export const reasonIn = ({ reason: of, count }: FieldReason, voice: Voice = plainVoice()): string =>
  voice.say(words[of], { count: count ?? 0 } as never)

/** The fields of a problem that were not taken, as its reader's page calls them, and why. */
export const fieldProblemsIn = (
  voice: Voice,
  problem: Readonly<Record<string, unknown>>,
): { label: string; text: string }[] =>
  Object.entries((problem.reasons ?? {}) as Record<string, FieldProblem>).map(([name, why]) => ({
    label: oneLine(labelIn(voice, why) || name),
    text: reasonIn(why, voice),
  }))

const maxTextBytes = 16 * 1024
const maxEntries = 100

/** The schema that turns a field's value of a form or JSON into the value that is kept; null is "nothing". */
export const valueSchema = (field: Field): z.ZodType<unknown> => {
  switch (field.type) {
    case 'text':
    case 'hidden':
      return text(field, line.check(bytes).check(...lengthOf(field)))
    case 'textarea':
      return text(field, lines.check(bytes).check(...lengthOf(field)))
    case 'email':
      return text(field, email)
    case 'tel':
      return text(field, telephone)
    case 'url':
      return text(field, webAddress)
    case 'number':
      return number(field)
    case 'toggle':
      return toggle(field)
    case 'date':
      return text(
        field,
        line.check(z.refine(isDate, reason('date')), z.refine(isWithin(field), reason('date_range'))),
      )
    case 'select':
    case 'radio':
      return text(field, line.check(z.refine(isOption(field), reason('option'))))
    case 'checkboxes':
    case 'multiselect':
    case 'tags':
      return list(field)
    case 'unknown':
      return z.never()
    default:
      throw new TypeError(`unhandled ${field.type satisfies never}`)
  }
}

// Control characters could end a line of a mail's head, or a whole text in a database.
const line = z
  .string(reason('text'))
  .trim()
  .check(z.refine((given) => !/[\p{Cc}\u2028\u2029]/u.test(given), reason('one_line')))
const lines = z
  .string(reason('text'))
  .overwrite((given) => given.replaceAll(/\r\n?/g, '\n'))
  .check(z.refine((given) => !/[^\P{Cc}\n\t]/u.test(given), reason('plain')))
const bytes = z.refine<string>((given) => Buffer.byteLength(given) <= maxTextBytes, reason('too_long'))

const email = line.check(
  z.maxLength(254, reason('too_long')),
  z.refine((given) => isEmail(normalEmail(given)), reason('no_email')),
)
const telephone = line.check(
  z.maxLength(50, reason('too_long')),
  z.regex(/^[+\d][\d\s().\-/#*]*$/, reason('no_telephone')),
)

/** Nothing, unless something is required; else what the schema says. */
const text = (field: Field, schema: z.ZodType<string>): z.ZodType<unknown> =>
  z
    .unknown()
    .transform((given) => (typeof given === 'string' && given.trim() === '' ? null : given))
    .pipe(
      field.required
        ? z
            .any()
            .refine((given) => given !== null, reason('needed'))
            .pipe(schema)
        : schema.nullable(),
    )

const lengthOf = ({ min, max }: Field) => [
  z.refine<string>((given) => min === null || [...given].length >= min, reason('shorter', min ?? 0)),
  z.refine<string>((given) => max === null || [...given].length <= max, reason('longer', max ?? 0)),
]

const number = (field: Field): z.ZodType<unknown> => {
  const { min, max } = field
  const schema = z.number(reason('number')).check(
    z.refine((given) => min === null || given >= min, reason('less', min ?? 0)),
    z.refine((given) => max === null || given <= max, reason('more', max ?? 0)),
  )
  const given = z.unknown().transform((item) => {
    if (typeof item !== 'string') return item
    const trimmed = item.trim()
    if (trimmed === '') return null
    return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(trimmed) && trimmed.length <= 30 ? Number(trimmed) : item
  })
  return field.required
    ? given.pipe(
        z
          .any()
          .refine((item) => item !== null, reason('needed'))
          .pipe(schema),
      )
    : given.pipe(schema.nullable())
}

const toggle = ({ required }: Field): z.ZodType<unknown> =>
  z
    .unknown()
    // A hidden input before a box sends its value first; the box, when it is ticked, comes last.
    .transform((given) => switches.get((Array.isArray(given) ? given.at(-1) : given) as never))
    .pipe(z.boolean(reason('switch')))
    .refine((on) => on || !required, reason('needed'))

const switches = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['on', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['off', false],
  ['0', false],
  ['', false],
  [null, false],
])

const list = (field: Field): z.ZodType<unknown> => {
  const { min, max, required, type } = field
  return z
    .unknown()
    .transform((given) => entriesOf(given, type === 'tags'))
    .pipe(
      z
        .array(line.check(bytes, z.refine(isOption(field), reason('option'))), reason('list'))
        .max(maxEntries, reason('many', maxEntries)),
    )
    .refine((all) => Buffer.byteLength(JSON.stringify(all)) <= maxTextBytes, reason('too_long'))
    .refine((all) => all.length > 0 || !required, reason('needed'))
    .refine((all) => all.length === 0 || min === null || all.length >= min, reason('few', min ?? 0))
    .refine((all) => max === null || all.length <= max, reason('many', max ?? 0))
}

// A form sends one value as a text, several as a list; tags come in one text, with commas.
const entriesOf = (given: unknown, splits: boolean): unknown => {
  if (given === null) return []
  if (typeof given !== 'string' && !Array.isArray(given)) return given
  const all: unknown[] =
    typeof given === 'string' ? (splits ? given.slice(0, maxTextBytes + 1).split(',') : [given]) : given
  const trimmed = all.map((item) => (typeof item === 'string' ? item.trim() : item))
  return [...new Set(trimmed)].filter((item) => item !== '')
}

const isOption =
  ({ options }: Field) =>
  (given: string): boolean =>
    options === null || options.has(given)

const isDate = (given: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(given) && new Date(`${given}T00:00:00Z`).toJSON()?.startsWith(given) === true

const isWithin =
  ({ from, to }: Field) =>
  (given: string): boolean =>
    (from === null || given >= from) && (to === null || given <= to)

const isWebAddress = (given: string): boolean => isUrl(given) && /^https?:$/.test(new URL(given).protocol)

const webAddress = line.check(bytes, z.refine(isWebAddress, reason('no_web_address')))

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

/** The types of a blueprint that have rules here; every other one is `unknown`. */
export const fieldTypes = [
  'text',
  'textarea',
  'email',
  'tel',
  'url',
  'number',
  'toggle',
  'date',
  'select',
  'radio',
  'checkboxes',
  'multiselect',
  'tags',
  'hidden',
] as const
/** One of {@link fieldTypes}. */
export type FieldType = (typeof fieldTypes)[number]

/** One field of a member's blueprint, and what members may do with it themselves. */
export interface Field {
  readonly name: string
  /** `unknown` for a type that this package has no rules for: it is shown and never changed. */
  readonly type: FieldType | 'unknown'
  readonly label: string
  /** Language → the label in it, where the blueprint names several. */
  readonly labels: Readonly<Record<string, string>>
  readonly required: boolean
  /** Shown where the member has no value yet. */
  readonly default: unknown
  /** Value → label; null where any value will do. */
  readonly options: ReadonlyMap<string, string> | null
  /** Limits: of a text, its length; of a number, its value; of a list, its number of entries. */
  readonly min: number | null
  readonly max: number | null
  /** Limits of a date, as ISO text. */
  readonly from: string | null
  readonly to: string | null
  readonly read: boolean
  readonly update: boolean
}
/** The fields of one blueprint by name, in the blueprint's order. */
export type Fields = ReadonlyMap<string, Field>

/** The place of the member blueprints, and how they are read. */
export interface FieldsOptions {
  /** The site's folder; false for none. */
  readonly root: string | false
  /** The content fields that show a provider's data: `membership.providers.{p}.field`. */
  readonly providerFields: ReadonlySet<string>
  /** True if files are read once. */
  readonly cache: boolean
}

/** Gives the fields of the member blueprint that is right for these roles. @throws ERR_CONFIG */
export type FieldsOf = (roles: readonly string[]) => Fields

/** The first role names the blueprint, `member` where there is none; with `cache`, each is read once.
 *  Nothing is read before it is asked for. */
export const createFields = ({ root, providerFields, cache }: FieldsOptions): FieldsOf => {
  const closed = new Set([...providerFields].map(fieldName))
  const known = new Map<string, Fields>()
  return ([role = 'member']) => {
    const cached = known.get(role)
    if (cached) return cached
    const { place, fields } = readBlueprint(root, role)
    const read = new Map([...fields].map(([name, props]) => [name, toField(name, props, closed, place)]))
    // Roles come from the site's own database; a bound all the same.
    if (cache && known.size < 1000) known.set(role, read)
    return read
  }
}

/** True if members may see this field of their own account. A field that no blueprint has is closed. */
export const allowsRead = (fields: Fields, name: string): boolean =>
  fields.get(fieldName(name))?.read ?? false

/** True if members may change this field of their own account. */
export const allowsUpdate = (fields: Fields, name: string): boolean =>
  fields.get(fieldName(name))?.update ?? false

// What decides who somebody is and what they may do, whatever a blueprint says.
const reserved = new Set([
  'id',
  'uuid',
  'role',
  'roles',
  'gates',
  'grants',
  'password',
  'password_hash',
  'email_verified',
  'created_at',
  'created_by',
  'updated_at',
  'deleted_at',
  'content',
  'constructor',
  'prototype',
])
// Parts of a form that hold no value.
const decoration = new Set(['headline', 'info', 'line', 'gap', 'password'])

const toField = (name: string, props: Props, closed: ReadonlySet<string>, place: string): Field => {
  if (!/^[a-z0-9][a-z0-9_]*$/.test(name) || name.length > 100)
    throw invalid(place, `"${name.slice(0, 100)}" is no name of a field; use letters, digits and _`)
  const word = typeof props.type === 'string' ? props.type : 'text'
  const type = columnType(name, typeOf(word, props))
  const flags = flagsOf(name, props.membership, place)
  const isClosed = closed.has(name) || reserved.has(name) || decoration.has(word)
  const options = optionsOf(type, props)
  const isDate = type === 'date'
  const labels = labelsOf(props.label)
  return {
    name,
    type,
    label: Object.values(labels)[0] ?? (typeof props.label === 'string' ? props.label : name),
    labels,
    // An account without an address could never be entered again.
    required: props.required === true || name === 'email',
    default: plainOf(props.default),
    options: options === 'elsewhere' ? null : options,
    min: isDate ? null : numberOf(props.minlength ?? props.min),
    max: isDate ? null : numberOf(props.maxlength ?? props.max),
    from: isDate && typeof props.min === 'string' ? props.min : null,
    to: isDate && typeof props.max === 'string' ? props.max : null,
    read: flags.read && !isClosed,
    // Options that a query makes are not known here, so no value could be checked.
    update: flags.update && !isClosed && type !== 'unknown' && options !== 'elsewhere',
  }
}

/** The name of a field in the language that is spoken. */
export const labelIn = (
  { locale }: Pick<Voice, 'locale'>,
  { label, labels }: Pick<Field, 'label' | 'labels'>,
): string => labels[lookUp(locale, Object.keys(labels)) ?? ''] ?? label

const labelsOf = (label: unknown): Record<string, string> =>
  isProps(label)
    ? Object.fromEntries(
        Object.entries(label).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}

// A moment of the day has as many spellings as there are forms: only whole days are taken.
const typeOf = (word: string, { time }: Props): Field['type'] =>
  word === 'date' && time !== undefined && time !== false
    ? 'unknown'
    : (fieldTypes.find((fieldType) => fieldType === word) ?? 'unknown')

// These three are columns that hold a text, whatever the blueprint calls them.
const columnType = (name: string, type: Field['type']): Field['type'] => {
  if (name === 'email') return 'email'
  if (name !== 'name' && name !== 'language') return type
  return ['text', 'select', 'radio', 'hidden'].includes(type) ? type : 'text'
}

const flagsOf = (name: string, flag: unknown, place: string): { read: boolean; update: boolean } => {
  if (flag === undefined || flag === true) return { read: true, update: true }
  if (flag === false) return { read: false, update: false }
  if (!isProps(flag))
    throw invalid(
      place,
      `"membership" of the field "${name}" must be true, false, { update: … } or { read: … }`,
    )
  if ('write' in flag)
    throw new MembershipError(
      'ERR_CONFIG',
      `The field "${name}" in ${place} says "write", which is "update" in version 2.`,
      { action: 'Rename it, or run: npx membership migrate --write' },
    )
  for (const [key, value] of Object.entries(flag))
    if ((key !== 'read' && key !== 'update') || typeof value !== 'boolean')
      throw invalid(place, `"membership.${key}" of the field "${name}" is not understood`)
  return { read: flag.read !== false, update: flag.update !== false }
}

const optionsOf = (type: Field['type'], { options, accept }: Props): Field['options'] | 'elsewhere' => {
  const isChoice = ['select', 'radio', 'checkboxes', 'multiselect'].includes(type)
  // Tags are the member's own words, unless only the options are accepted.
  if (!isChoice && !(type === 'tags' && accept === 'options')) return null
  if (Array.isArray(options)) return new Map(options.map(toOption))
  if (!isProps(options) || 'type' in options || 'query' in options || 'url' in options) return 'elsewhere'
  return new Map(Object.entries(options).map(([value, label]) => [value, String(label)]))
}

const toOption = (option: unknown): [string, string] =>
  isProps(option)
    ? [String(option.value), String(option.text ?? option.value)]
    : [String(option), String(option)]

// One value or a list of them: an alias could make anything else a circle.
const plainOf = (value: unknown): unknown =>
  typeof value !== 'object'
    ? (value ?? null)
    : Array.isArray(value)
      ? value.filter((item) => typeof item !== 'object')
      : null

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

const invalid = (place: string, why: string): MembershipError =>
  new MembershipError('ERR_CONFIG', `In the blueprint ${place}, ${why}.`, {
    action: 'Correct the blueprint; until then nobody can read or change their account through it.',
  })
