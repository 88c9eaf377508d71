import type { Finding, SiteFacts } from '../plan.ts'
import type { Code, Member } from '../templates/code.ts'
import { dotted, prefixOf, toV2Path } from './keys.ts'

interface Place {
  readonly text: string
  readonly facts: SiteFacts
}

const finding = (code: string, at: number, reason: string, replacement: string | null): Finding => ({
  code,
  at,
  reason,
  replacement,
})

/** A key that is put together. */
export const made = ({ start }: Code): Finding =>
  finding(
    'key-made-by-code',
    start,
    'A key of the configuration is put together here, and it may be one of version 1.',
    null,
  )

/** A section that is read as a whole. */
export const section = ({ start }: Code): Finding =>
  finding(
    'section-in-code',
    start,
    'A whole section of the configuration is read here, and what is done with it cannot be seen. Its keys have other places in version 2.',
    null,
  )

/** A key of version 1 that is put together from texts alone, and the one of version 2 as one text. */
export const whole = ({ start }: Code, v1: string, { facts }: Place): Finding => {
  const v2 = dotted(toV2Path(v1.split('.'), facts))
  return finding(
    'key-in-code',
    start,
    `"${v1}" is a key of version 1, put together here. In version 2 it is "${v2}".`,
    `'${v2}'`,
  )
}

/** A key whose end is put together. */
export const moved = (code: Code, { text, facts }: Place): Finding => {
  const prefix = dotted(prefixOf(facts))
  return finding(
    'key-in-code',
    code.start,
    `Code builds the name after "${prefix}.${facts.provider}" here. In version 2 it stands below "${prefix}.providers.${facts.provider}".`,
    text
      .slice(code.start, code.end)
      .replace(`${prefix}.${facts.provider}`, `${prefix}.providers.${facts.provider}`),
  )
}

/** A section that is asked for by an index. */
export const movedIndex = (member: Member, { text, facts }: Place): Finding => {
  const { start, end, keyAt } = member
  const key = text.slice(keyAt.start, keyAt.end)
  const above = key.replace(/[\w.-]+/, 'providers')
  return finding(
    'key-in-code',
    start,
    `The section "${facts.provider}" of version 1 stands below "providers" in version 2.`,
    member.style === 'index'
      ? `${text.slice(start, keyAt.start)}${above}][${text.slice(keyAt.start, end)}`
      : `${text.slice(start, keyAt.start)}providers.${text.slice(keyAt.start, end)}`,
  )
}

/** A section that an array holds. */
export const movedEntry = (key: Code, { text, facts }: Place): Finding =>
  finding(
    'key-in-code',
    key.start,
    `The section "${facts.provider}" of version 1 stands below "providers" in version 2, and here it is in a place that is not changed by itself.`,
    text.slice(key.start, key.end).replace(facts.provider, `providers.${facts.provider}`),
  )

/** The roles, wherever they stand. */
export const roles = ({ start }: Code): Finding =>
  finding(
    'key-in-code',
    start,
    '"manageUsers.role" is "members.roles" in version 2, a list of roles, and here it is in a place that is not changed by itself.',
    'members.roles, a list',
  )

/** The chosen provider, wherever it stands. */
export const handler = ({ start }: Code): Finding =>
  finding(
    'key-in-code',
    start,
    '"provider.current" is "provider.handler" in version 2, and here it is in a place that is not changed by itself.',
    'provider.handler',
  )

/** A flag of a field. */
export const flag = (key: Code, { text }: Place): Finding =>
  finding(
    'flag-in-code',
    key.start,
    'The flag "write" of a field is called "update" in version 2.',
    text.slice(key.start, key.end).replace('write', 'update'),
  )
