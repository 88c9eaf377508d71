import { type Call, type Code, calledName, receiverOf, unwrap } from './code.ts'

/** A call of a list function: its list, and if it returns a list or an element. */
export interface ListCall {
  readonly list: Code
  readonly gives: 'list' | 'element' | 'other'
}

const keeps = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'values',
  'limit',
  'offset',
])
const picks = new Set(['find', 'findLast', 'at', 'first', 'last', 'nth', 'pop', 'shift'])
const keepsPhp = new Set(
  (
    'array_filter array_values array_reverse array_slice array_unique iterator_to_array A::filter A::slice ' +
    'A::sort Array.from Object.values Object.freeze'
  ).split(' '),
)
const picksPhp = new Set(
  'current reset end next prev array_shift array_pop array_find A::first A::last A::find A::nth'.split(' '),
)

/** Reads a call as one of a list function; null for any other. */
export function listCall(call: Call): ListCall | null {
  const name = calledName(call)
  if (name === null || call.isNew) return null
  const receiver = receiverOf(call)
  const first = call.args[0]
  const plain = receiver ? ownerOf(receiver, name) : name
  if (first && keepsPhp.has(plain)) return { list: first, gives: 'list' }
  if (first && picksPhp.has(plain)) return { list: first, gives: 'element' }
  if (receiver === null) return null
  // Lodash takes the list as its first argument.
  const list = isLodash(receiver) ? first : receiver
  if (!list) return null
  if (keeps.has(name)) return { list, gives: 'list' }
  return picks.has(name) ? { list, gives: 'element' } : null
}

const visits = new Set(
  (
    'map filter find findLast findIndex findLastIndex some every forEach flatMap each sort toSorted sortBy groupBy ' +
    'partition'
  ).split(' '),
)
const visitsPhp = new Set(
  (
    'array_filter array_walk array_find array_find_key array_any array_all usort uasort A::map A::filter A::find ' +
    'A::every A::some A::each'
  ).split(' '),
)
const sorts = new Set(['sort', 'toSorted', 'usort', 'uasort'])

/** Returns the list whose elements a callback gets as its parameter; null for any other callback. */
export function listForParam(call: Call, fn: Code, index: number): Code | null {
  const name = calledName(call)
  const position = call.args.indexOf(fn)
  if (name === null || position === -1 || call.isNew) return null
  const receiver = receiverOf(call)
  if (receiver === null) return forFunction(call, name, position, index)
  const isFirst = isLodash(receiver)
  if (position !== (isFirst ? 1 : 0)) return null
  const list = isFirst ? (call.args[0] ?? null) : receiver
  if (name === 'reduce' || name === 'reduceRight') return index === 1 ? list : null
  return visits.has(name) && index <= (sorts.has(name) ? 1 : 0) ? list : null
}

function forFunction(call: Call, name: string, position: number, index: number): Code | null {
  if (name === 'array_map') return position === 0 ? (call.args[1 + index] ?? null) : null
  if (position !== 1) return null
  if (name === 'array_reduce') return index === 1 ? call.args[0]! : null
  return visitsPhp.has(name) && index <= (sorts.has(name) ? 1 : 0) ? call.args[0]! : null
}

function ownerOf(receiver: Code, name: string): string {
  const owner = unwrap(receiver)
  return owner.kind === 'name' ? `${owner.name}.${name}` : name
}

function isLodash(receiver: Code): boolean {
  const owner = unwrap(receiver)
  return owner.kind === 'name' && (owner.name === '_' || owner.name === 'lodash')
}
