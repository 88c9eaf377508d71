import { isDeepStrictEqual } from 'node:util'
import type { Edit } from '../edits.ts'
import { type DataMap, type Entry, findEntry } from './tree.ts'

/** The two names of one list. */
export interface Names {
  readonly from: string
  readonly to: string
}

/** Version 1 to version 2. */
export const forward: Names = { from: 'purchases', to: 'payments' }
/** Version 2 back to version 1. */
export const backward: Names = { from: 'payments', to: 'purchases' }

/** Outcome for one map: an edit, nothing, or the reason against an edit. */
export type Renaming =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'rename' | 'remove'; readonly edit: Edit; readonly at: number }
  | { readonly kind: 'unusual' | 'differ' | 'twice'; readonly at: number }

/** Renames the key of provider data, or removes it if the other name already has the same value. */
export function renameIn(map: DataMap, text: string, { from, to }: Names): Renaming {
  const named = map.entries.filter(({ key }) => key === from)
  const [old] = named
  if (old === undefined) return { kind: 'nothing' }
  if (named.length > 1) return { kind: 'unusual', at: named[1]!.start }
  const other = findEntry(map, (key) => key === to)
  if (other) return removal(old, other)
  const word = text.slice(old.start, old.end)
  const quote = /^["']/.exec(word)?.[0] ?? ''
  if (word !== `${quote}${from}${quote}`) return { kind: 'unusual', at: old.start }
  const start = old.start + quote.length
  return { kind: 'rename', edit: { start, end: start + from.length, text: to }, at: old.start }
}

function removal(old: Entry, other: Entry): Renaming {
  const same = isSame(old, other)
  if (same !== true) return { kind: same === null ? 'unusual' : 'differ', at: old.start }
  const { cut } = old
  return cut === null
    ? { kind: 'twice', at: old.start }
    : { kind: 'remove', edit: { ...cut, text: '' }, at: old.start }
}

function isSame(a: Entry, b: Entry): boolean | null {
  try {
    return isDeepStrictEqual(a.plain(), b.plain())
  } catch {
    // It refers to itself, or to nothing.
    return null
  }
}
