import type { Ref } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import { originOf, type Place } from './compare-places.ts'
import type { Found } from './differences.ts'
import type { OnProgress } from './progress.ts'

/** Mends what differs between us and a provider. */
export const createMending = ({ ledger }: { ledger: Ledger }) => {
  /** Asks once more for each object that differs, and writes what the answers say. */
  const mend = async (place: Place, found: readonly Found[], onProgress?: OnProgress): Promise<number> => {
    const asked = new Map<string, Promise<boolean>>()
    const write = async (ref: Ref): Promise<boolean> => {
      const fetched = await place.provider.fetch!(ref)
      if (fetched) await ledger.apply(fetched.changes, originOf(place, ref, fetched.at))
      return fetched !== null
    }
    let mended = 0
    for (const one of found) {
      if (one.mend === null) continue
      const answers: boolean[] = []
      for (const ref of one.refs) {
        const name = `${ref.kind} ${ref.id}`
        const answer = asked.get(name) ?? write(ref)
        asked.set(name, answer)
        answers.push(await answer)
      }
      if (answers.includes(true)) mended++
      const { provider, account } = one
      await onProgress?.({ provider, account, checked: asked.size, differences: found.length })
    }
    return mended
  }

  return { mend }
}
