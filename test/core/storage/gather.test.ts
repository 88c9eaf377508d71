import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createBatches } from '../../../src/core/storage/batches.ts'
import { type Statement, type Step, UnitConflict } from '../../../src/core/storage/contract.ts'
import { createGathering } from '../../../src/core/storage/gather.ts'

function gathering() {
  const batches: number[][] = []
  return { batches, ...createGathering<number>((batch) => batches.push([...batch])) }
}

test('a single write is made at the end of its turn', async (t) => {
  const { batches, add } = gathering()
  add(1)
  await turn()
  t.deepEqual(batches, [[1]])
})

test('writes of the same or following turns are made together and in order', async (t) => {
  const { batches, add } = gathering()
  for (const first of [1, 4, 7]) {
    add(first)
    add(first + 1)
    await turn()
    add(first + 2)
    await turn()
  }
  await turn()
  t.deepEqual(batches, [[1, 2, 3, 4, 5, 6, 7, 8, 9]])
})

test('a flood is written in parts, so that nobody waits for all of it', async (t) => {
  const { batches, add } = gathering()
  for (let i = 0; i < 40 * 10; i += 10) {
    for (let n = 0; n < 10; n++) add(i + n)
    await turn()
  }
  await turn()
  await turn()
  t.deepEqual(
    batches.flat(),
    Array.from({ length: 400 }, (_, i) => i),
  )
  t.true(Math.max(...batches.map((b) => b.length)) <= 64 + 10)
  t.true(batches.length >= 5)
})

test('the next single write after a crowd waits one turn for others, the one after it does not', async (t) => {
  const { batches, add } = gathering()
  add(1)
  add(2)
  await turn()
  await turn()
  add(3)
  await turn()
  t.is(batches.length, 1)
  await turn()
  t.deepEqual(batches, [[1, 2], [3]])
  add(4)
  await turn()
  t.deepEqual(batches.at(-1), [4])
})

test('waiting writes can be flushed at once, and an empty flush writes nothing', async (t) => {
  const { batches, add, flush } = gathering()
  flush()
  add(1)
  flush()
  t.deepEqual(batches, [[1]])
  await turn()
  await turn()
  t.deepEqual(batches, [[1]])
})

function writing(name: string) {
  return {
    name,
    kind: 'one',
    table: 'rows',
    compile: () => ({ sql: '', places: [] }),
    key: ({ key }: { key: string }) => key,
  } as unknown as Statement<never>
}

test('a unit that cannot run beside durable others is told so, without its own transaction', async (t) => {
  const statement = writing('write')
  const attempts: string[][] = []
  const { write } = createBatches({
    lockMs: 1000,
    toError: (error) => error as Error,
    attempt: async (sendings) => {
      const steps = sendings.flatMap((sending) => sending.steps)
      attempts.push(steps.map(({ params }) => String(params.key)))
      const at = steps.filter(({ params }) => params.key === 'changed meanwhile')
      return at.length === 0 ? null : { kind: 'misfit', at, error: null }
    },
  })
  const answers = new Map<string, unknown>()
  const queued = (key: string) => ({
    unit: [{ statement, params: { key }, expectRows: 1 } satisfies Step],
    done: () => answers.set(key, 'durable'),
    failed: (error: unknown) => answers.set(key, error instanceof UnitConflict),
  })
  await write(['a', 'changed meanwhile', 'z'].map(queued))
  t.deepEqual(
    [...answers],
    [
      ['a', 'durable'],
      ['z', 'durable'],
      ['changed meanwhile', true],
    ],
  )
  t.deepEqual(attempts, [
    ['a', 'changed meanwhile', 'z'],
    ['a', 'z'],
  ])
})

test('a unit that depends on the order of its steps waits for a locked row like any other', async (t) => {
  const [remove, write] = [writing('remove'), writing('add')]
  const unit = [
    { statement: remove, params: { key: 'b' }, expectRows: 1 },
    { statement: write, params: { key: 'a' } },
  ] satisfies Step[]
  let heldFor = 3
  const batches = createBatches({
    lockMs: 1000,
    toError: (error) => error as Error,
    // Folded, its steps stand in the order of their rows and do not fit; one by one it meets somebody's lock.
    attempt: async (sendings) => {
      const [first] = sendings
      if (first?.statement !== remove)
        return { kind: 'misfit', at: [unit[0]!], error: new Error('out of order') }
      if (heldFor-- > 0) return { kind: 'held', at: [], error: new Error('held') }
      return null
    },
  })
  const answer = await new Promise((done, failed) => {
    void batches.write([{ unit, done: () => done('durable'), failed }])
  })
  t.is(answer, 'durable')
  await batches.settled()
})

test('two processes that blocked each other retry at different times', async (t) => {
  /** For how long a process that draws these numbers waits before it tries again. */
  const waitsOf = async (kind: 'race' | 'held', random?: () => number) => {
    const waits: number[] = []
    let tries = 0
    const batches = createBatches({
      lockMs: 10_000,
      ...(random ? { random } : {}),
      pause: async (ms) => void waits.push(ms),
      toError: (error) => error as Error,
      attempt: async () => (++tries > 3 ? null : { kind, at: [], error: new Error(kind) }),
    })
    const unit = [{ statement: writing('write'), params: { key: 'a' } } satisfies Step]
    await new Promise<void>((done, failed) => {
      void batches.write([{ unit, done, failed }])
    })
    await batches.settled()
    return waits
  }
  for (const kind of ['race', 'held'] as const) {
    const [first, second] = [await waitsOf(kind, () => 0), await waitsOf(kind, () => 1)]
    t.true(first.length >= 2)
    for (const [i, ms] of first.entries()) t.true(second[i]! >= ms + 10, `${kind}: ${first} and ${second}`)
    t.notDeepEqual(await waitsOf(kind), await waitsOf(kind), 'numbers are drawn')
    for (const [i, ms] of first.entries()) t.true(i === 0 || ms > first[i - 1]!, 'later and later')
  }
})
