// Plays every n-th branch of a part of the triples as trees, and prints what came of each: triples-host.ts TERMS
import { playInProcess } from '../simulation/model/in-process.ts'
import { playTree } from '../simulation/model/tree.ts'
import { branchesOf, historyOf, playBranch, selections } from '../simulation/model/triples.ts'
import { siteOf } from '../simulation/model/world.ts'

/** What one process plays. */
export interface Terms {
  readonly depth: number
  readonly only: readonly string[]
  readonly part: readonly [k: number, n: number]
  readonly worker: readonly [k: number, n: number]
  /** How long, and at most how many branches and selections of each. */
  readonly ms: number
  readonly branches?: number
  readonly leaves?: number
  readonly all: boolean
  /** Plays each from its start, too, and answers how many end in another state. */
  readonly compares?: boolean
}

async function differences(branch: (typeof branches)[number]): Promise<number> {
  const playing = { inProcess, all: true, withState: true }
  const histories = branch.map((names) => historyOf(names))
  const alike = histories.filter((history) => siteOf(history) === siteOf(histories[0]!))
  const copied = (await playTree(playing, alike)).map(({ state }) => state)
  const replayed: (string | null)[] = []
  for (const history of alike) replayed.push((await playTree(playing, [history]))[0]!.state)
  return copied.filter((state, at) => state === null || state !== replayed[at]).length
}

const terms = JSON.parse(process.argv[2] ?? '') as Terms
const [worker, workers] = terms.worker
const until = Date.now() + terms.ms
const branches = branchesOf(selections(terms.depth, terms.only).chosen, terms.part)
  .filter((_, at) => at % workers === worker - 1)
  .slice(0, terms.branches)
const inProcess = await playInProcess()
for (const branch of branches) {
  if (Date.now() >= until) break
  const { all } = terms
  const played = branch.slice(0, terms.leaves)
  const { twins, broken } = await playBranch({ inProcess, all }, played)
  const different = terms.compares ? await differences(played) : 0
  console.log(JSON.stringify({ played: played.length, twins, broken, different }))
}
process.exit(0)
