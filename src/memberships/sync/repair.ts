import type { Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { originOf, type Place } from './compare-places.ts'
import type { Found } from './differences.ts'
import type { OnProgress } from './progress.ts'

/** Repairs differences between our data and a provider's. */
export function createRepairing({ ledger }: { ledger: Ledger }) {
  /**
   * Fetches each differing object again, and writes the answers. Parts of payments unknown here come first, so that a
   * refunded payment never opens a gate on the way.
   */
  const mend = async (
    place: Place,
    { found, alone }: { readonly found: readonly Found[]; readonly alone: readonly Ref[] },
    onProgress?: OnProgress,
  ): Promise<number> => {
    const asked = new Map<string, Promise<boolean>>()
    const write = async (ref: Ref): Promise<boolean> => {
      const fetched = await place.provider.fetch!(ref)
      if (fetched) await ledger.apply(fetched.changes, originOf(place, ref, fetched.at))
      return fetched !== null
    }
    const writeOnce = (ref: Ref): Promise<boolean> => {
      const name = `${ref.kind} ${ref.id}`
      const answer = asked.get(name) ?? write(ref)
      asked.set(name, answer)
      return answer
    }
    const report = async (): Promise<void> =>
      onProgress?.({
        provider: place.key,
        account: place.account,
        checked: asked.size,
        differences: found.length,
      })
    for (const ref of alone) {
      await writeOnce(ref)
      await report()
    }
    let mended = 0
    for (const difference of found) {
      if (difference.mend === null) continue
      const answers: boolean[] = []
      for (const ref of difference.refs) answers.push(await writeOnce(ref))
      if (answers.includes(true)) mended++
      await report()
    }
    return mended
  }

  return { mend }
}
