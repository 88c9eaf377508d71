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

/** The reason that a field's value was rejected; it selects the message. */
export type Reason = keyof typeof words

/** Encodes a reason as a schema message, which `readReason` decodes. */
export function reason(of: Reason, count?: number): string {
  return count === undefined ? of : `${of} ${count}`
}

/** The reason that a field's value was rejected. */
export interface FieldReason {
  readonly reason: Reason
  /** The exceeded limit, if the reason has one. */
  readonly count?: number
}

/** Decodes the reason from a schema message; `unusable` where it is not one of ours. */
export function readReason(message: string | undefined): FieldReason {
  const [of = '', count] = (message ?? '').split(' ')
  if (!Object.hasOwn(words, of)) return { reason: 'unusable' }
  return count === undefined ? { reason: of as Reason } : { reason: of as Reason, count: Number(count) }
}

/** A rejected field with its label. */
export type FieldProblem = FieldReason & Pick<Field, 'label' | 'labels'>

/** The reason in words; English unless `voice` says otherwise. */
export function reasonIn({ reason: of, count }: FieldReason, voice: Voice = plainVoice()): string {
  return voice.say(words[of], { count: count ?? 0 } as never)
}

/** The rejected fields of a problem, with their labels and reasons in the reader's language. */
export function fieldProblemsIn(
  voice: Voice,
  problem: Readonly<Record<string, unknown>>,
): { label: string; text: string }[] {
  return Object.entries((problem.reasons ?? {}) as Record<string, FieldProblem>).map(([name, why]) => ({
    label: oneLine(labelIn(voice, why) || name),
    text: reasonIn(why, voice),
  }))
}

const maxTextBytes = 16 * 1024
const maxEntries = 100

/** Builds the schema that turns a field's form or JSON value into the stored value; null means empty. */
export function valueSchema(field: Field): z.ZodType<unknown> {
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

// A control character could end a mail's header line, or a text in a database.
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

/** An empty value is null, unless the field is required; otherwise the schema applies. */
function text(field: Field, schema: z.ZodType<string>): z.ZodType<unknown> {
  return z
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
}

function lengthOf({ min, max }: Field) {
  return [
    z.refine<string>((given) => min === null || [...given].length >= min, reason('shorter', min ?? 0)),
    z.refine<string>((given) => max === null || [...given].length <= max, reason('longer', max ?? 0)),
  ]
}

function number(field: Field): z.ZodType<unknown> {
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

function toggle({ required }: Field): z.ZodType<unknown> {
  return (
    z
      .unknown()
      // A hidden input before the checkbox sends its value first. A ticked box comes last.
      .transform((given) => switches.get((Array.isArray(given) ? given.at(-1) : given) as never))
      .pipe(z.boolean(reason('switch')))
      .refine((on) => on || !required, reason('needed'))
  )
}

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

function list(field: Field): z.ZodType<unknown> {
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

// A form sends one value as a string and several as a list. Tags are one string with commas.
function entriesOf(given: unknown, splits: boolean): unknown {
  if (given === null) return []
  if (typeof given !== 'string' && !Array.isArray(given)) return given
  const all: unknown[] =
    typeof given === 'string' ? (splits ? given.slice(0, maxTextBytes + 1).split(',') : [given]) : given
  const trimmed = all.map((item) => (typeof item === 'string' ? item.trim() : item))
  return [...new Set(trimmed)].filter((item) => item !== '')
}

function isOption({ options }: Field) {
  return (given: string): boolean => options === null || options.has(given)
}

function isDate(given: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d$/.test(given) && new Date(`${given}T00:00:00Z`).toJSON()?.startsWith(given) === true
  )
}

function isWithin({ from, to }: Field) {
  return (given: string): boolean => (from === null || given >= from) && (to === null || given <= to)
}

function isWebAddress(given: string): boolean {
  return isUrl(given) && /^https?:$/.test(new URL(given).protocol)
}

const webAddress = line.check(bytes, z.refine(isWebAddress, reason('no_web_address')))

/** A map in a blueprint. */
export type Props = Readonly<Record<string, unknown>>

/** The fields of a role's blueprint in order, with everything it extends, not interpreted yet. */
export interface Blueprint {
  /** The file, for messages. */
  readonly place: string
  readonly fields: ReadonlyMap<string, Props>
}

const maxBytes = 256 * 1024
const maxFields = 500
// Tabs contain columns, columns sections, sections fields, and groups more fields.
const maxDepth = 12

/**
 * Reads the site's `blueprints/users/{role}.yml`, else its `member.yml`, else the package's own.
 * @throws ERR_CONFIG for a file that is unreadable, not YAML, too large, or circular
 */
export function readBlueprint(root: string | false, role: string): Blueprint {
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
  // A role is a single name, so it cannot lead to another folder.
  const own = root === false || role.includes('/') ? null : findIn(root, role, find)
  const found = own ?? find('users/member')
  if (!found) throw new MembershipError('ERR_CONFIG', 'The blueprint users/member.yml is missing.')
  const { place } = found
  const fields = new Map<string, Props>()
  collect(found.content, { place, fields, load: (name) => find(name)?.content ?? null }, 0)
  return { place, fields }
}

// Only the site can define other roles. The package has only `member`.
function findIn(
  root: string,
  role: string,
  find: (name: string) => { place: string; content: unknown } | null,
) {
  const found = find(`users/${role}`)
  return found?.place.startsWith(join(root, 'blueprints')) ? found : null
}

// Each part has letters, digits, dash and underscore. Without a dot nothing leads out of the folder.
function isName(name: string): boolean {
  return name.length <= 200 && /^[\w-]+(\/[\w-]+)*$/.test(name)
}

function readText(place: string): string | null {
  try {
    if (statSync(place).size > maxBytes) throw unreadable(place, 'it is larger than 256 kB')
    return readFileSync(place, 'utf8')
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error instanceof MembershipError ? error : unreadable(place, code ?? 'it cannot be read')
  }
}

function toContent(text: string, place: string): unknown {
  try {
    // An anchor may be repeated, but must not multiply itself.
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

/** Collects the fields of a blueprint, tab, column or section. Fields of what it extends come first. */
function collect(given: unknown, into: Collecting, depth: number): void {
  if (depth > maxDepth) throw unreadable(into.place, 'its parts lie in each other without end')
  const part = typeof given === 'string' ? into.load(given) : given
  if (!isProps(part)) return
  for (const parent of namesOf(part.extends)) collect(into.load(parent), into, depth + 1)
  collectFields(part.fields, into, depth)
  for (const holder of [part.sections, part.columns, part.tabs])
    if (typeof holder === 'object' && holder !== null)
      for (const inner of Object.values(holder)) collect(inner, into, depth + 1)
}

function collectFields(given: unknown, into: Collecting, depth: number): void {
  if (!isProps(given)) return
  if (depth > maxDepth) throw unreadable(into.place, 'its fields lie in each other without end')
  for (const [key, value] of Object.entries(given)) {
    const name = fieldName(key)
    const props = propsOf(name, value, into, 0)
    if (props === null) into.fields.delete(name)
    else if (props.type === 'group') collectFields(props.fields, into, depth + 1)
    // A field that a parent closed stays closed unless the flag is set again.
    else into.fields.set(name, { ...into.fields.get(name), ...props })
    if (into.fields.size > maxFields) throw unreadable(into.place, `it has more than ${maxFields} fields`)
  }
}

/**
 * Reads a field as written: a map, `true` for the type of its name, or the name of a field to extend. `false` removes
 * it.
 */
function propsOf(name: string, value: unknown, into: Collecting, depth: number): Props | null {
  if (depth > maxDepth) throw unreadable(into.place, `the field "${name}" extends itself`)
  if (value === false || value === null) return null
  if (value === true) return { type: name }
  if (typeof value === 'string') return propsOf(name, into.load(value) ?? {}, into, depth + 1)
  if (!isProps(value)) throw unreadable(into.place, `the field "${name}" is no map`)
  const parents = namesOf(value.extends).map((parent) =>
    propsOf(name, into.load(parent) ?? {}, into, depth + 1),
  )
  // Built from entries, so that a key such as __proto__ stays a key.
  return Object.fromEntries([...parents, value].flatMap((item) => Object.entries(item ?? {})))
}

/** Normalises a field name: lower case, with `_` for dashes and spaces. */
export function fieldName(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[- ]/g, '_')
}

function namesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string')
}

export function isProps(value: unknown): value is Props {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(place: string, why: string): MembershipError {
  return new MembershipError('ERR_CONFIG', `The blueprint ${place} cannot be used: ${why}.`, {
    action: 'Correct the file; until then nobody can read or change their account through it.',
  })
}

/** The blueprint types that this package knows; every other type is `unknown`. */
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

/** A field of a member's blueprint, with the members' own permissions. */
export interface Field {
  readonly name: string
  /** `unknown` for a type without rules here. Such a field is shown and never changed. */
  readonly type: FieldType | 'unknown'
  readonly label: string
  /** By language: the label in that language, if the blueprint has several. */
  readonly labels: Readonly<Record<string, string>>
  readonly required: boolean
  /** The value shown while the member has none. */
  readonly default: unknown
  /** By value: label; null where any value is allowed. */
  readonly options: ReadonlyMap<string, string> | null
  /** Limits of a text's length, a number's value, or a list's number of entries. */
  readonly min: number | null
  readonly max: number | null
  /** Limits of a date, in ISO form. */
  readonly from: string | null
  readonly to: string | null
  readonly read: boolean
  readonly update: boolean
}
/** The fields of a blueprint by name, in the blueprint's order. */
export type Fields = ReadonlyMap<string, Field>

/** Options for finding and reading member blueprints. */
export interface FieldsOptions {
  /** The site's folder, or false for none. */
  readonly root: string | false
  /** The content fields that show a provider's data: `membership.providers.{p}.field`. */
  readonly providerFields: ReadonlySet<string>
  /** True to read each file once. */
  readonly cache: boolean
}

/**
 * Returns the fields of the member blueprint for these roles.
 * @throws ERR_CONFIG
 */
export type FieldsOf = (roles: readonly string[]) => Fields

/** The first role names the blueprint; the default is `member`. With `cache` each is read once, on first use. */
export function createFields({ root, providerFields, cache }: FieldsOptions): FieldsOf {
  const closed = new Set([...providerFields].map(fieldName))
  const known = new Map<string, Fields>()
  return ([role = 'member']) => {
    const cached = known.get(role)
    if (cached) return cached
    const { place, fields } = readBlueprint(root, role)
    const read = new Map([...fields].map(([name, props]) => [name, toField(name, props, closed, place)]))
    // Roles come from the site's own database, but the cache has a limit all the same.
    if (cache && known.size < 1000) known.set(role, read)
    return read
  }
}

/** True if members may see this field of their own account. A field without a blueprint is closed. */
export function allowsRead(fields: Fields, name: string): boolean {
  return fields.get(fieldName(name))?.read ?? false
}

/** True if members may change this field of their own account. */
export function allowsUpdate(fields: Fields, name: string): boolean {
  return fields.get(fieldName(name))?.update ?? false
}

// Fields that decide a person's identity or permissions, whatever a blueprint says.
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
// Form parts without a value.
const decoration = new Set(['headline', 'info', 'line', 'gap', 'password'])

function toField(name: string, props: Props, closed: ReadonlySet<string>, place: string): Field {
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
    // Without an address, nobody could enter the account again.
    required: props.required === true || name === 'email',
    default: plainOf(props.default),
    options: options === 'elsewhere' ? null : options,
    min: isDate ? null : numberOf(props.minlength ?? props.min),
    max: isDate ? null : numberOf(props.maxlength ?? props.max),
    from: isDate && typeof props.min === 'string' ? props.min : null,
    to: isDate && typeof props.max === 'string' ? props.max : null,
    read: flags.read && !isClosed,
    // Options from a query are unknown here, so a value could not be checked.
    update: flags.update && !isClosed && type !== 'unknown' && options !== 'elsewhere',
  }
}

/** The field's label in the voice's language. */
export function labelIn(
  { locale }: Pick<Voice, 'locale'>,
  { label, labels }: Pick<Field, 'label' | 'labels'>,
): string {
  return labels[lookUp(locale, Object.keys(labels)) ?? ''] ?? label
}

function labelsOf(label: unknown): Record<string, string> {
  return isProps(label)
    ? Object.fromEntries(
        Object.entries(label).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}
}

// Forms write times of day in many ways, so only whole days are accepted.
function typeOf(word: string, { time }: Props): Field['type'] {
  return word === 'date' && time !== undefined && time !== false
    ? 'unknown'
    : (fieldTypes.find((fieldType) => fieldType === word) ?? 'unknown')
}

// These three columns hold text, whatever type the blueprint gives.
function columnType(name: string, type: Field['type']): Field['type'] {
  if (name === 'email') return 'email'
  if (name !== 'name' && name !== 'language') return type
  return ['text', 'select', 'radio', 'hidden'].includes(type) ? type : 'text'
}

function flagsOf(name: string, flag: unknown, place: string): { read: boolean; update: boolean } {
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

function optionsOf(type: Field['type'], { options, accept }: Props): Field['options'] | 'elsewhere' {
  const isChoice = ['select', 'radio', 'checkboxes', 'multiselect'].includes(type)
  // Tags are free text unless only the options are accepted.
  if (!isChoice && !(type === 'tags' && accept === 'options')) return null
  if (Array.isArray(options)) return new Map(options.map(toOption))
  if (!isProps(options) || 'type' in options || 'query' in options || 'url' in options) return 'elsewhere'
  return new Map(Object.entries(options).map(([value, label]) => [value, String(label)]))
}

function toOption(option: unknown): [string, string] {
  return isProps(option)
    ? [String(option.value), String(option.text ?? option.value)]
    : [String(option), String(option)]
}

// Keeps a value or a flat list. An alias could make anything deeper circular.
function plainOf(value: unknown): unknown {
  return typeof value !== 'object'
    ? (value ?? null)
    : Array.isArray(value)
      ? value.filter((item) => typeof item !== 'object')
      : null
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function invalid(place: string, why: string): MembershipError {
  return new MembershipError('ERR_CONFIG', `In the blueprint ${place}, ${why}.`, {
    action: 'Correct the blueprint; until then nobody can read or change their account through it.',
  })
}
