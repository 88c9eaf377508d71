import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createKeptFigures } from '../../src/office/kept-figures.ts'

test('only the first caller waits while the first large count is computed', async (t) => {
  const figures = createKeptFigures({
    // A table that is read for as long as this test takes.
    storage: { read: () => new Promise<never>(() => undefined) },
    plans: () => [],
    inIso: ({ amount }) => amount,
    now: () => new Date('2026-03-01T00:00:00Z'),
    log: () => undefined,
    kept: { get: async () => null, put: async () => undefined },
    patienceMs: 500,
  })
  t.is(await figures(), null)
  t.is(await Promise.race([figures(), pause(250, 'waits')]), null)
})
