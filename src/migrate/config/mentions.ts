import type { Finding, SiteFacts } from '../plan.ts'
import {
  type Call,
  type Code,
  calledName,
  childrenOf,
  type Member,
  receiverOf,
  unwrap,
  walkCode,
} from '../templates/code.ts'
import { dotted, prefixOf } from './keys.ts'
import {
  flag,
  handler,
  made,
  moved,
  movedEntry,
  movedIndex,
  roles,
  section,
  whole,
} from './mention-findings.ts'

/** A code tree with the context that the checks need. */
interface Sight {
  readonly text: string
  readonly facts: SiteFacts
  readonly parents: ReadonlyMap<Code, Code>
}

/**
 * Finds version 1 keys that are not one literal: keys built from parts, whole sections that are read or
 * written, and sections in arrays. The text is the edited one, so everything found was neither rewritten nor
 * understood. Pure and total; O(size).
 */
export function findMentions(root: Code, text: string, facts: SiteFacts): Finding[] {
  const parents = new Map<Code, Code>()
  walkCode(root, (code, parent) => {
    if (parent) parents.set(code, parent)
  })
  const sight: Sight = { text, facts, parents }
  const found: Finding[] = []
  walkCode(root, (code, parent) => {
    found.push(...ofIdentifier(code, sight))
    if (code.kind === 'member') found.push(...ofMember(code, sight))
    if (code.kind === 'call' && isMadeKey(code, sight)) found.push(made(code))
    const written = isPieceOf(parent) || isWord(parent) ? null : keyText(code)
    if (written !== null) found.push(...ofText(code, written, sight))
  })
  return found
}

function ofText(code: Code, written: string, sight: Sight): Finding[] {
  const { facts } = sight
  if (written === dotted(prefixOf(facts))) return ofSection(code, sight)
  if (!written.includes(hole) && code.kind === 'literal')
    return isLoosePiece(written, sight) ? [made(code)] : []
  // All parts are literals, so the whole key is known.
  if (!written.includes(hole) && isOldKey(written, facts)) return [whole(code, written, sight)]
  const [first = '', ...more] = written.split(hole)
  if (first === '') return more.some((piece) => namesOldKey(piece, facts)) ? [made(code)] : []
  const prefix = `${dotted(prefixOf(facts))}.`
  if (!first.startsWith(prefix)) return []
  const [section = '', ...below] = first.slice(prefix.length).split('.')
  const isWhole = below.length > 0 || more.length === 0
  const mayBeOld = section === facts.provider || section === 'manageUsers' || section === 'provider'
  if (isWhole && !mayBeOld) return []
  if (isWhole && section === 'provider' && below.join('.') === 'handler') return []
  // `'member' . 'ship.stripe.secret'` contains no part that could be changed.
  const isNamed = sight.text.slice(code.start, code.end).includes(prefix.slice(0, -1))
  return section === facts.provider && isWhole && isNamed ? [moved(code, sight)] : [made(code)]
}

/**
 * Returns true for a key that a function builds from parts, such as `sprintf('%s.stripe.secret',
 * 'membership')`, as a key or an argument.
 */
function isMadeKey(call: Call, { parents, facts }: Sight): boolean {
  const parent = parents.get(call)
  const isKey = parent?.kind === 'other' && parent.what === 'entry' && parent.children[0] === call
  const isAsked = parent?.kind === 'call' && parent.callee !== call && readsOptions(parent)
  if ((!isKey && !isAsked) || readsOptions(call)) return false
  let isNamed = false
  for (const arg of call.args)
    walkCode(arg, (code) => {
      isNamed ||= code.kind === 'literal' && String(code.value).split('.').includes(lastOf(facts))
    })
  return isNamed
}

/** Returns true for a part that can only be the end of a longer key: `.stripe.secret`. */
function isLoosePiece(written: string, { text, facts }: Sight): boolean {
  return written.startsWith('.') && namesOldKey(written, facts) && text.includes(lastOf(facts))
}

function namesOldKey(piece: string, { provider }: SiteFacts): boolean {
  const segments = piece.replace(/^\./, '').split('.')
  return segments[0] === provider
    ? segments.length === 1 || providerKeys.has(segments[1]!)
    : segments[0] === 'manageUsers' || piece.replace(/^\./, '').startsWith('provider.current')
}

/** Returns true for a whole key of version 1: `membership.stripe.secret`, `membership.manageUsers.role`. */
function isOldKey(written: string, facts: SiteFacts): boolean {
  const prefix = `${dotted(prefixOf(facts))}.`
  if (!written.startsWith(prefix)) return false
  const below = written.slice(prefix.length)
  return (
    below === facts.provider ||
    below.startsWith(`${facts.provider}.`) ||
    below === 'manageUsers.role' ||
    below === 'provider.current'
  )
}

const providerKeys: ReadonlySet<string> = new Set(['', 'secret', 'webhook', 'checkout', 'metadata', 'field'])

// A translation's key or a URL only looks similar.
function isWord(parent: Code | null): boolean {
  return (
    parent?.kind === 'call' &&
    /^(?:t|tc|tt|__|_e|trans|snippet|page|url|I18n::\w+)$/.test(calledName(parent) ?? '')
  )
}

/** Checks the prefix alone: a key of an array, or an argument of a configuration read. */
function ofSection(code: Code, sight: Sight): Finding[] {
  const parent = sight.parents.get(code)
  if (
    parent?.kind === 'other' &&
    parent.what === 'entry' &&
    parent.children[0] === code &&
    parent.children[1]
  )
    return inSection(parent.children[1], sight)
  if (parent?.kind === 'call' && parent.callee !== code && readsOptions(parent)) return ofRead(parent, sight)
  return []
}

/**
 * Checks reads and writes: `option('membership')['stripe']`, `$config['membership']['stripe']['secret'] = …`
 */
function ofRead(read: Call | Member, sight: Sight): Finding[] {
  const { facts } = sight
  const next = stepOn(read, sight)
  if (next === null) {
    const isTaken = sight.parents.get(read)?.kind !== 'statement' && isOfOptions(read)
    return isTaken ? [section(read)] : []
  }
  const key = next.key
  if (key === null) return [made(next)]
  const [name, below] = String(key).split('.')
  if (name === facts.provider) return [movedIndex(next, sight)]
  if (name === 'manageUsers') return isRole(below ?? stepOn(next, sight)?.key) ? [roles(next)] : []
  if (name !== 'provider') return []
  const last = below === undefined ? stepOn(next, sight) : null
  const isOld = below === 'current' || last?.key === 'current'
  if (isOld) return [handler(next)]
  return below === undefined && last === null ? [section(next)] : []
}

function ofMember(member: Member, sight: Sight): Finding[] {
  const prefix = prefixOf(sight.facts)
  if (member.key !== dotted(prefix) && member.key !== prefix.at(-1)) return []
  if (member.style === 'static' || isCallee(member, sight)) return []
  if (member.key === prefix.at(-1) && prefix.length > 1 && !isStep(member, prefix)) return []
  const found = ofRead(member, sight)
  // Any object may have such a property, so only keys that version 1 had below it count.
  const isOptions = member.style === 'index' || isOfOptions(member)
  return isOptions ? found : found.filter(({ code }) => code === 'key-in-code')
}

function isStep(member: Member, prefix: readonly string[]): boolean {
  const on = unwrap(member.object)
  return on.kind === 'member' && on.key === prefix.at(-2)
}

/** Returns the next step on a value: `['stripe']` on `option('membership')`. */
function stepOn(code: Code, { parents }: Sight): Member | null {
  let inner = code
  let parent = parents.get(inner)
  while (parent && (parent.kind === 'wrap' || (parent.kind === 'binary' && parent.operator === '??'))) {
    inner = parent
    parent = parents.get(inner)
  }
  return parent?.kind === 'member' && parent.object === inner ? parent : null
}

/** Checks the entries of a section in an array. */
function inSection(value: Code, sight: Sight): Finding[] {
  const { facts } = sight
  const inner = unwrap(value)
  if (!isMap(inner)) return []
  return childrenOf(inner).flatMap((entry): Finding[] => {
    if (entry.kind === 'other' && entry.what === 'spread') return [section(entry)]
    if (entry.kind !== 'other' || entry.what !== 'entry' || entry.children.length < 2) return []
    const [keyCode, held] = entry.children as [Code, Code]
    const key = keyText(keyCode)
    if (key === null) return [made(keyCode)]
    const [name, below] = key.split('.')
    if (name === facts.provider && (below === undefined || providerKeys.has(below)))
      return [movedEntry(keyCode, sight)]
    if (name === 'manageUsers') return isRole(below) && holdsRole(held) ? [roles(keyCode)] : []
    if (key === 'write' && isFlag(held)) return [flag(keyCode, sight)]
    const isOld = key === 'provider.current' || (key === 'provider' && hasEntry(held, 'current'))
    return isOld ? [handler(keyCode)] : []
  })
}

// Other entries of version 1 stay.
function isRole(key: unknown): boolean {
  return key === undefined || key === null || key === 'role'
}

function holdsRole(held: Code): boolean {
  return !isMap(unwrap(held)) || hasEntry(held, 'role')
}

function hasEntry(code: Code, name: string): boolean {
  return (
    isMap(unwrap(code)) &&
    childrenOf(unwrap(code)).some(
      (entry) => entry.kind === 'other' && entry.what === 'entry' && keyText(entry.children[0]!) === name,
    )
  )
}

function isMap(code: Code): boolean {
  return code.kind === 'other' && (code.what === 'list' || code.what === 'ObjectExpression')
}

function isFlag(code: Code): boolean {
  return code.kind === 'literal' && typeof code.value === 'boolean'
}

/** Checks for `manageUsers`, a name that nothing else uses. */
function ofIdentifier(code: Code, sight: Sight): Finding[] {
  if (code.kind === 'member' && code.key === 'manageUsers')
    return isRole(stepOn(code, sight)?.key) ? [roles(code)] : []
  if (code.kind !== 'literal' || code.value !== 'manageUsers') return []
  const parent = sight.parents.get(code)
  if (parent?.kind === 'member') return []
  const isKey = parent?.kind === 'other' && parent.what === 'entry' && parent.children[0] === code
  return isKey && !holdsRole(parent.children[1] ?? code) ? [] : [roles(code)]
}

function isCallee(member: Member, { parents }: Sight): boolean {
  const parent = parents.get(member)
  return parent?.kind === 'call' && parent.callee === member
}

function readsOptions(call: Call): boolean {
  const name = calledName(call) ?? ''
  if (/^(?:option|options|config|setting|settings)$/i.test(name)) return true
  if (/^(?:Config|C|A|Arr|App)::get$/i.test(name)) return true
  const on = receiverOf(call)
  return name === 'get' && on !== null && optionsName.test(nameOf(unwrap(on)))
}

/** Returns true for a read of something named like a configuration. */
function isOfOptions(read: Call | Member): boolean {
  return read.kind === 'call' || optionsName.test(nameOf(unwrap(read.object)))
}

const optionsName = /(?:config|options?|settings?)$/i

function nameOf(code: Code): string {
  if (code.kind === 'name' || code.kind === 'word') return code.name
  if (code.kind === 'member') return String(code.key ?? '')
  return code.kind === 'call' ? (calledName(code) ?? '') : ''
}

function lastOf(facts: SiteFacts): string {
  return prefixOf(facts).at(-1)!
}

/** Stands for a part of a text that is known only at run time. */
const hole = '\u0000'

/**
 * Returns a text with its unknown parts marked: `'a.' . $b`, `"a.$b"`, `` `a.${b}` ``; null for anything but
 * text.
 */
function keyText(code: Code): string | null {
  switch (code.kind) {
    case 'literal':
      return typeof code.value === 'string' ? code.value : null
    case 'wrap':
      return keyText(code.inner)
    case 'binary':
      return code.operator === '.' || code.operator === '+' ? joined([code.left, code.right]) : null
    case 'other':
      return isInterpolated(code) ? joined(code.children) : null
    default:
      return null
  }
}

/** Returns true for parts of a text, and for the code that joins them. */
function isPieceOf(parent: Code | null): boolean {
  return (
    parent !== null &&
    (isInterpolated(parent) ||
      (parent.kind === 'binary' && (parent.operator === '.' || parent.operator === '+')) ||
      (parent.kind === 'other' && (parent.what === 'part' || parent.what === 'simple')))
  )
}

function isInterpolated(code: Code): boolean {
  return code.kind === 'other' && (code.what === 'encapsed' || code.what === 'template')
}

function joined(pieces: readonly Code[]): string | null {
  const texts = pieces.map((piece) => keyText(piece.kind === 'other' ? inner(piece) : piece))
  // A sum of numbers, or of unknown values, is no text.
  return texts.every((text) => text === null)
    ? null
    : texts
        .map((text) => text ?? hole)
        .join('')
        .split(new RegExp(`${hole}+`))
        .join(hole)
}

function inner(piece: Code): Code {
  return piece.kind === 'other' && (piece.what === 'part' || piece.what === 'simple')
    ? (childrenOf(piece)[0] ?? piece)
    : piece
}
