import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** A gate that pages ask for and that no plan, feature or price names, with the day of the newest question. */
export interface UnnamedGate {
  readonly gate: string
  readonly day: string
}

/** The gates that pages asked for in the last month and that nothing names. */
export interface UnnamedGates {
  /** Notes a gate once a day. Its page does not wait for that. */
  note(gate: string): void
  list(): Promise<readonly string[]>
}

/** The document's space, for the doctor, who reads it without running the site. */
export const unnamedGatesSpace = 'unnamed-gates'
const unnamedGatesKey = 'gates'
const mostGates = 100
const longestName = 200
const keptMs = 30 * 86_400_000

/** Remembers gates that nothing names, since a page's question is known only in the process that shows it. */
export function createUnnamedGates(storage: Storage, now: () => Date): UnnamedGates {
  const documents = createDocuments(storage, unnamedGatesSpace)
  const noted = new Map<string, string>()
  const stored = async () => (await documents.get<UnnamedGate[]>(unnamedGatesKey)) ?? []
  let writing: Promise<unknown> = Promise.resolve()
  return {
    note: (gate) => {
      const day = now().toISOString().slice(0, 10)
      // A name may come from a visitor's address.
      if (noted.get(gate) === day || gate.length > longestName) return
      if (!noted.has(gate) && noted.size >= mostGates) return
      noted.set(gate, day)
      const add = async () => {
        const others = lately(await stored(), now()).filter((other) => other.gate !== gate)
        await documents.put(unnamedGatesKey, [...others, { gate, day }].slice(-mostGates))
      }
      // The log has it already, and a side job never fails a page.
      writing = writing.then(add).catch(() => undefined)
    },
    list: async () => askedLately(await stored(), now()),
  }
}

/** Lists the gates that somebody asked for in the last month. Pure. */
export function askedLately(gates: readonly UnnamedGate[], now: Date): readonly string[] {
  return lately(gates, now).map(({ gate }) => gate)
}

function lately(gates: readonly UnnamedGate[], now: Date): UnnamedGate[] {
  const since = new Date(now.getTime() - keptMs).toISOString().slice(0, 10)
  return gates.filter(({ day }) => day >= since)
}
