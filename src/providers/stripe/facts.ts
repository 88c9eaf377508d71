import type { MoneyFact, Ref } from '../contract.ts'
import { idOf, metadata, str } from '../narrow.ts'
import { type StripeKind, toRef } from './kinds.ts'
import type { Common } from './payload.ts'

type Draft = { [K in Exclude<keyof MoneyFact, 'id' | 'state' | 'refs'>]?: MoneyFact[K] | null } & Pick<
  MoneyFact,
  'state' | 'refs'
>

/** Removes null fields, because null means that the object cannot say. */
export const cleanFact = (raw: Common, draft: Draft): MoneyFact | null => {
  const id = str(raw.id)
  if (id === null) return null
  const known = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== null && value !== undefined),
  ) as Omit<MoneyFact, 'id'>
  return {
    id,
    ...known,
    ...(typeof raw.livemode === 'boolean' ? { livemode: raw.livemode } : {}),
    metadata: metadata(raw.metadata),
  }
}

/** A kind with an id or expanded object that may be absent. */
export type RefSource = readonly [StripeKind, unknown]

/** Returns the references that are present, each once. */
export const refsOf = (...sources: readonly RefSource[]): Ref[] => {
  const refs = new Map<string, Ref>()
  for (const [kind, value] of sources) {
    const id = idOf(value)
    if (id !== null) refs.set(`${kind} ${id}`, toRef(kind, id))
  }
  return [...refs.values()]
}
