import { findNearest } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { type ListedPage, type Listing, toListing } from '../../core/listing.ts'
import type { User } from '../../memberships/members/index.ts'
import type { ByMember, MemberOrId } from '../membership-api.ts'

/** The keys of a call's input, all of them: a key that the type gains and the list lacks does not compile. */
type KeysOf<Input> = Readonly<Record<Input extends unknown ? keyof Input & string : never, true>>

/**
 * Lets a call take one object with known keys alone, in camelCase or snake_case. A misspelt key would be ignored
 * otherwise, and access without its end lasts for ever.
 * @throws ERR_USAGE for anything else, with the nearest known key
 */
export function strictly<Input extends object, Rest extends unknown[], Out>(
  name: string,
  keys: KeysOf<Input>,
  call: (input: Input, ...rest: Rest) => Promise<Out>,
): (input: Input, ...rest: Rest) => Promise<Out> {
  return async (input, ...rest) => call(checked(name, Object.keys(keys), input) as Input, ...rest)
}

/** Does the same for a list, which may be called without an object, and which can be iterated over. */
export function listing<Query extends object, Page, Item>(
  name: string,
  keys: KeysOf<Query>,
  read: (query: Query) => Promise<ListedPage<Page, Item, Query>>,
): (query?: Query) => Listing<Page, Item> {
  return (query) => toListing(strictly(name, keys, read)(query ?? ({} as Query)), read)
}

function checked(name: string, known: readonly string[], input: unknown): object {
  const takes = `m.${name}({ ${known.join(', ')} })`
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new MembershipError(
      'ERR_USAGE',
      `m.${name}() takes one object with keys, and got ${kindOf(input)}.`,
      {
        action: `Write ${takes}, with the keys that you need.`,
      },
    )
  const written = new Map<string, string>()
  for (const key of Object.keys(input)) {
    const meant = known.includes(key) ? key : inCamelCase(key)
    if (!known.includes(meant)) {
      const nearest = findNearest(meant, known)
      throw new MembershipError('ERR_USAGE', `m.${name}() does not know the key "${key}".`, {
        action: nearest ? `Did you mean "${nearest}"?` : `It takes ${takes}.`,
      })
    }
    const other = written.get(meant)
    if (other !== undefined)
      throw new MembershipError('ERR_USAGE', `m.${name}() got "${other}" and "${key}", which are one key.`, {
        action: `Keep "${meant}".`,
      })
    written.set(meant, key)
  }
  const owners = ['member', 'user', 'memberId'].filter((key) => written.has(key))
  if (known.includes('member') && owners.length > 1)
    throw new MembershipError(
      'ERR_USAGE',
      `m.${name}() got ${owners.map((key) => `"${written.get(key)}"`).join(' and ')}, and needs one of them.`,
      { action: 'Keep "member": a member, or the id of one.' },
    )
  const isPlain = [...written].every(([meant, key]) => meant === key)
  if (isPlain) return input
  return Object.fromEntries(
    [...written].map(([meant, key]) => [meant, (input as Record<string, unknown>)[key]]),
  )
}

/** Loads members for calls that take `member`, a loaded one or an id. */
export function createByMember(findMember: (id: string) => Promise<User | null>) {
  /** @throws ERR_NOT_FOUND for an id of nobody, ERR_USAGE for nothing */
  const userOf = async (member: MemberOrId | undefined): Promise<User> => {
    if (member === undefined)
      throw new MembershipError('ERR_USAGE', 'No member was given.', {
        action: 'Give "member": a member, or the id of one.',
      })
    if (typeof member !== 'string') return member
    const user = await findMember(member)
    if (user !== null) return user
    throw new MembershipError('ERR_NOT_FOUND', `No member ${member}.`)
  }

  /** Lets a call that takes `user` take `member` as well. */
  const byUser =
    <Input extends { readonly user: User }, Out>(call: (input: Input) => Promise<Out>) =>
    async (input: ByMember<Input, 'user'>): Promise<Out> =>
      'member' in input
        ? call(Object.assign({}, input, { user: await userOf(input.member) }) as unknown as Input)
        : call(input as Input)

  return { userOf, byUser }
}
export type CallsByMember = ReturnType<typeof createByMember>

/** Lets a call that takes `memberId` take `member` as well. */
export function byId<Input extends { readonly memberId: string }, Out>(call: (input: Input) => Promise<Out>) {
  return async (input: ByMember<Input, 'memberId'>): Promise<Out> =>
    'member' in input
      ? call(Object.assign({}, input, { memberId: idOf(input.member) }) as unknown as Input)
      : call(input as Input)
}

export function idOf(member: MemberOrId): string {
  return typeof member === 'string' ? member : member.id
}

function inCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function kindOf(input: unknown): string {
  if (input === null || input === undefined) return 'nothing'
  if (Array.isArray(input)) return 'a list'
  return typeof input === 'string' ? 'a text' : `a ${typeof input}`
}
