import type { Voice } from '../../core/words/index.ts'
import { type Field, type Fields, labelIn } from '../../memberships/account/index.ts'
import type { User } from '../../memberships/members/index.ts'

/** The source of a member's fields and values for the account form. */
export interface ProfileSource {
  readable(user: User): Readonly<Record<string, unknown>>
  fieldsOf(user: User): Fields
}

/** The fields of the account form: those that this member may see or change, with their values. An unverified session
 *  may correct its address alone. */
export const profileForPage = (
  source: ProfileSource,
  user: User,
  { isVerified, voice }: { isVerified: boolean; voice: Voice },
) => {
  const values = source.readable(user)
  const fields = [...source.fieldsOf(user).values()].filter(
    (field) =>
      field.type !== 'hidden' && (field.read || field.update) && (isVerified || field.name === 'email'),
  )
  return {
    fields: fields.map((field) => ({
      ...toInput(field),
      label: labelIn(voice, field),
      value: field.read ? (values[field.name] ?? null) : null,
    })),
    /** The fields that the form shows: an unticked box is not sent, and means off. */
    shown: fields.filter((field) => field.update).map(({ name }) => name),
  }
}

const toInput = ({ name, type, required, update, options, max }: Field) => ({
  name,
  type: inputTypes[type] ?? 'text',
  required,
  update,
  max,
  options: options === null ? null : [...options].map(([value, text]) => ({ value, text })),
})

const inputTypes: Partial<Record<Field['type'], string>> = {
  email: 'email',
  tel: 'tel',
  url: 'url',
  number: 'number',
  date: 'date',
  toggle: 'checkbox',
  textarea: 'textarea',
  select: 'select',
  radio: 'select',
}
