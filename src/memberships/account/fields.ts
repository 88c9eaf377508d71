import { MembershipError } from '../../core/errors.ts'
import { lookUp, type Voice } from '../../core/words/index.ts'
import { fieldName, isProps, type Props, readBlueprint } from './blueprints.ts'

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
