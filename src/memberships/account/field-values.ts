import { z } from 'zod'
import { isEmail, normalEmail } from '../../core/email.ts'
import { isUrl } from '../../core/url.ts'
import { reason } from './field-reasons.ts'
import type { Field } from './fields.ts'

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
