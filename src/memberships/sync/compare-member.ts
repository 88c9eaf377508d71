import type { Change, Ref } from '../../providers/contract.ts'
import type { ComparedObjects, Comparing } from './compare-objects.ts'
import type { Place } from './compare-places.ts'
import type { OwnBooks } from './compare-statements.ts'
import { type Found, refOf } from './differences.ts'

/**
 * Compares everything of these owners: their objects at the provider, the subscriptions and payments stored here, and
 * the given checkouts with their results. A member who paid while every event was lost is found by a checkout.
 */
export async function compareOwners(
  place: Place,
  { owners, checkouts = [] }: { readonly owners: readonly string[]; readonly checkouts?: readonly string[] },
  { ours, comparing }: { ours: OwnBooks; comparing: Comparing },
): Promise<ComparedObjects> {
  const found: Found[] = []
  const alone: Ref[] = []
  const seen = new Set<string>()
  let checked = 0
  const take = (compared: ComparedObjects, changes: readonly Change[]): void => {
    found.push(...compared.found)
    alone.push(...compared.alone)
    checked += compared.checked
    for (const change of changes) seen.add(nameOf(refOf(change)))
  }
  const ask = async (ref: Ref): Promise<readonly Change[]> => {
    if (seen.has(nameOf(ref))) return []
    seen.add(nameOf(ref))
    const compared = await comparing.atOne(place, ref)
    take(compared, compared.changes)
    return compared.changes
  }

  for (const owner of owners) {
    const fetched = await place.provider.subscriptionsOf?.(owner)
    if (fetched) take(await comparing.at(place, fetched.changes, fetched.at), fetched.changes)
  }
  for (const ref of await ours.objectsOf(place, owners)) await ask(ref)
  for (const id of checkouts)
    for (const change of await ask({ kind: 'checkout', id })) for (const ref of ledTo(change)) await ask(ref)
  return { checked, found, alone }
}

function ledTo(change: Change): Ref[] {
  if (change.type !== 'money' || change.kind !== 'checkout') return []
  const { subscription_id: id, refs } = change.data
  return [...(id ? [{ kind: 'subscription' as const, id }] : []), ...refs]
}

function nameOf({ kind, id }: Ref): string {
  return `${kind} ${id}`
}
