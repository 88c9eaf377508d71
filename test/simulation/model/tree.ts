import { createHash } from 'node:crypto'
import type { Kind } from '../../../src/fakes/engine/index.ts'
import type { InProcess } from './in-process.ts'
import { type End, endOf, playStep } from './run.ts'
import type { History, Step } from './steps.ts'
import { openWorld, type Shop, type World } from './world.ts'

/** How a history ended: what is broken, and who has what. */
interface Outcome {
  readonly broken: readonly string[]
  /** Null where a law was broken. */
  readonly end: End | null
  /** The whole state, where it was asked for. */
  readonly state: string | null
}
export interface Ended extends Outcome {
  /** It came to the same state as another, which was played on. */
  readonly isTwin: boolean
}

interface Node {
  readonly step: Step
  /** By the step that follows. */
  readonly next: Map<string, Node>
  /** The histories that go through here. */
  readonly through: number[]
}

/** How a tree is played. */
export interface Playing {
  readonly inProcess: InProcess
  /** Plays on what came to the same state as another, too. */
  readonly all?: boolean
  /** Answers the whole state at the end of each history. */
  readonly withState?: boolean
}

/**
 * Plays histories of one site as a tree: what several begin with is played once, and each goes on from a copy of it.
 * Processes start before each step until everything settles for the first time, so that a copy and a replay are the same.
 * Histories that are in the same state then have the same future, and one of them is played on.
 */
export async function playTree(
  { inProcess, all = false, withState = false }: Playing,
  histories: readonly History[],
): Promise<Ended[]> {
  const ended: Ended[] = []
  const twins = new Map<string, Outcome>()
  const moment = inProcess.save()
  const world = await openWorld({ ...histories[0]!, steps: histories.flatMap(({ steps }) => steps) })
  const visit = async ({ next }: Node): Promise<void> => {
    const [back, rows] = [world.save(), inProcess.save()]
    for (const child of next.values()) {
      await back(rows.restore)
      await go(child)
    }
    rows.drop()
  }
  const go = async (node: Node): Promise<void> => {
    const broken = await playStep(world, node.step)
    if (broken.length === 0 && node.step.do !== 'settle') return visit(node)
    const state = broken.length > 0 || all ? null : stateOf(world, inProcess)
    const twin = state === null ? undefined : twins.get(state)
    const outcome = twin ?? (await end(node, broken))
    if (state !== null && twin === undefined) twins.set(state, outcome)
    for (const history of node.through) ended[history] = { ...outcome, isTwin: twin !== undefined }
  }
  /** What follows once everything has settled is the same for each: two periods. */
  const end = async (settled: Node, before: readonly string[]): Promise<Outcome> => {
    let broken = before
    for (let [node] = settled.next.values(); node && broken.length === 0; [node] = node.next.values())
      broken = await playStep(world, node.step)
    if (broken.length === 0) broken = await playStep(world, { do: 'settle' })
    const state = withState ? stateOf(world, inProcess) : null
    return { broken, state, end: broken.length > 0 ? null : await endOf(world) }
  }
  try {
    await visit(treeOf(histories))
    return ended
  } finally {
    await world.close()
    moment.drop()
  }
}

function treeOf(histories: readonly History[]): Node {
  const root: Node = { next: new Map(), step: { do: 'settle' }, through: [] }
  histories.forEach(({ steps }, history) => {
    let node = root
    for (const step of steps) {
      const key = JSON.stringify(step)
      const next: Node = node.next.get(key) ?? { next: new Map(), step, through: [] }
      node.next.set(key, next)
      next.through.push(history)
      node = next
    }
  })
  return root
}

const kinds: readonly Kind[] = [
  ...([
    'customer',
    'method',
    'checkout',
    'subscription',
    'schedule',
    'waiting',
    'invoice',
    'payment',
  ] as const),
  ...(['charge', 'refund', 'dispute', 'product', 'price', 'coupon', 'code', 'discount', 'portal'] as const),
]

function tablesOf(database: InProcess['database']): string[] {
  return database
    .prepare<[], string>("select name from sqlite_master where type = 'table' order by name")
    .pluck()
    .all()
}

function plainly(_: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value]
  return typeof value === 'object' && value !== null && 'fake' in value ? (value as Shop).label : value
}

/** All rows, the books, messages and clocks of the providers, and what people did, as a short text. */
export function stateOf({ shops, journal }: World, { database }: InProcess): string {
  const hash = createHash('sha1')
  for (const table of tablesOf(database))
    hash.update(`${table}${JSON.stringify(database.prepare(`select * from ${table}`).all())}`)
  for (const { fake } of shops) {
    const books = kinds.map((kind) => fake.books.list<Kind>(kind))
    hash.update(JSON.stringify([books, fake.events(), fake.now()]))
  }
  return hash.update(JSON.stringify({ ...journal, log: [] }, plainly)).digest('hex')
}
