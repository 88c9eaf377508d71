import type { MoneyFact, Ref } from '../contract.ts'
import { idOf, type Json, metadata, str } from '../narrow.ts'
import { type StripeKind, toRef } from './kinds.ts'

type Draft = { [K in Exclude<keyof MoneyFact, 'id' | 'state' | 'refs'>]?: MoneyFact[K] | null } & Pick<
  MoneyFact,
  'state' | 'refs'
>

/** A fact of what the object says: null means that it cannot say, so the field stays away. */
export const cleanFact = (raw: Json, draft: Draft): MoneyFact | null => {
  const id = str(raw.id)
  if (id === null) return null
  const said = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== null && value !== undefined),
  ) as Omit<MoneyFact, 'id'>
  return {
    id,
    ...said,
    ...(typeof raw.livemode === 'boolean' ? { livemode: raw.livemode } : {}),
    metadata: metadata(raw.metadata),
  }
}

/** A kind with the id or the expanded object that may be there. */
export type RefSource = readonly [StripeKind, unknown]

/** The references that are there, each once. */
export const refsOf = (...sources: readonly RefSource[]): Ref[] => {
  const refs = new Map<string, Ref>()
  for (const [kind, value] of sources) {
    const id = idOf(value)
    if (id !== null) refs.set(`${kind} ${id}`, toRef(kind, id))
  }
  return [...refs.values()]
}
