import type { Voice } from '../../core/words/index.ts'
import { type Field, type Fields, labelIn } from '../../memberships/account/index.ts'
import type { User } from '../../memberships/members/index.ts'

/** Source of a member's fields and values for the account form. */
export interface ProfileSource {
  readable(user: User): Readonly<Record<string, unknown>>
  fieldsOf(user: User): Fields
}

/** The same, with what this site offers of it. */
export interface OfferedProfile extends ProfileSource {
  /** True if the member can change the address here: mails confirm it, and the login is not the host's own. */
  changesAddress(user: User): Promise<boolean>
  /** Fields of the package's own blueprint that only an example needs; a site's own blueprint shows what it names. */
  readonly hidden: readonly string[]
}

/**
 * Builds the account form from the fields that this member may see or change. An unverified session may only
 * correct its address.
 */
export function profileForPage(
  source: ProfileSource,
  user: User,
  {
    isVerified,
    voice,
    ...offer
  }: {
    isVerified: boolean
    voice: Voice
    changesAddress?: boolean
    hidden?: readonly string[]
  },
) {
  const { changesAddress = true, hidden = [] } = offer
  const values = source.readable(user)
  const fields = [...source.fieldsOf(user).values()]
    .map((field) => (field.name === 'email' && !changesAddress ? { ...field, update: false } : field))
    .filter(({ name }) => !hidden.includes(name))
    .filter(
      (field) =>
        field.type !== 'hidden' && (field.read || field.update) && (isVerified || field.name === 'email'),
    )
  return {
    fields: fields.map((field) => ({
      ...toInput(field),
      label: labelIn(voice, field),
      value: field.read ? (values[field.name] ?? null) : null,
    })),
    /**
     * Names of the fields that the form shows. Browsers do not send an unticked box, so a missing one means
     * off.
     */
    shown: fields.filter((field) => field.update).map(({ name }) => name),
  }
}

function toInput({ name, type, required, update, options, max }: Field) {
  return {
    name,
    type: inputTypes[type] ?? 'text',
    required,
    update,
    max,
    options: options === null ? null : [...options].map(([value, text]) => ({ value, text })),
  }
}

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
