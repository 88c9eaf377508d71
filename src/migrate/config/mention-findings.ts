import type { Finding, SiteFacts } from '../plan.ts'
import type { Code, Member } from '../templates/code.ts'
import { dotted, prefixOf, toV2Path } from './keys.ts'

interface Place {
  readonly text: string
  readonly facts: SiteFacts
}

function finding(code: string, at: number, reason: string, replacement: string | null): Finding {
  return {
    code,
    at,
    reason,
    replacement,
  }
}

/** Reports a key that is built from parts. */
export function made({ start }: Code): Finding {
  return finding(
    'key-made-by-code',
    start,
    'A key of the configuration is put together here, and it may be one of version 1.',
    null,
  )
}

/** Reports a section that is read as a whole. */
export function section({ start }: Code): Finding {
  return finding(
    'section-in-code',
    start,
    'A whole section of the configuration is read here, and what is done with it cannot be seen. Its keys have other places in version 2.',
    null,
  )
}

/**
 * Reports a version 1 key that is built only from literals, and suggests the version 2 key as one literal.
 */
export function whole({ start }: Code, v1: string, { facts }: Place): Finding {
  const v2 = dotted(toV2Path(v1.split('.'), facts))
  return finding(
    'key-in-code',
    start,
    `"${v1}" is a key of version 1, put together here. In version 2 it is "${v2}".`,
    `'${v2}'`,
  )
}

/** Reports a key whose end is built from parts. */
export function moved(code: Code, { text, facts }: Place): Finding {
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

/** Reports a section that is read by an index. */
export function movedIndex(member: Member, { text, facts }: Place): Finding {
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

/** Reports a section in an array. */
export function movedEntry(key: Code, { text, facts }: Place): Finding {
  return finding(
    'key-in-code',
    key.start,
    `The section "${facts.provider}" of version 1 stands below "providers" in version 2, and here it is in a place that is not changed by itself.`,
    text.slice(key.start, key.end).replace(facts.provider, `providers.${facts.provider}`),
  )
}

/** Reports the roles, wherever they are read. */
export function roles({ start }: Code): Finding {
  return finding(
    'key-in-code',
    start,
    '"manageUsers.role" is "members.roles" in version 2, a list of roles, and here it is in a place that is not changed by itself.',
    'members.roles, a list',
  )
}

/** Reports the chosen provider, wherever it is read. */
export function handler({ start }: Code): Finding {
  return finding(
    'key-in-code',
    start,
    '"provider.current" is "provider.handler" in version 2, and here it is in a place that is not changed by itself.',
    'provider.handler',
  )
}

/** Reports a flag of a field. */
export function flag(key: Code, { text }: Place): Finding {
  return finding(
    'flag-in-code',
    key.start,
    'The flag "write" of a field is called "update" in version 2.',
    text.slice(key.start, key.end).replace('write', 'update'),
  )
}
