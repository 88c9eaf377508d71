import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createSchedule } from '../../../src/core/jobs/schedule.ts'

/** Runs a job through these outcomes in turn, the last one again and again; gives what was logged. */
async function logged(outcomes: readonly (string | null)[]) {
  const lines: string[] = []
  let runs = 0
  const job = {
    name: 'crawl',
    everyMs: 1,
    run: async () => {
      const reason = outcomes[Math.min(runs++, outcomes.length - 1)]
      if (reason) throw new Error(reason)
    },
  }
  const schedule = createSchedule([job], (message, details) =>
    lines.push(`${message}: ${details?.reason ?? details?.job}`),
  )
  schedule.start()
  while (runs < outcomes.length + 3) await pause(1)
  await schedule.stop()
  return lines
}

test('a job that fails for hours is logged once, and once more when it works again', async (t) => {
  t.deepEqual(await logged(['no database', 'no database', 'no database', null]), [
    'a background job failed and is tried again: Error: no database',
    'a background job works again: crawl',
  ])
})

test('another reason is logged anew', async (t) => {
  t.deepEqual(await logged(['no database', 'disk full', 'no database']), [
    'a background job failed and is tried again: Error: no database',
    'a background job failed and is tried again: Error: disk full',
    'a background job failed and is tried again: Error: no database',
  ])
})

test('a working job is not logged', async (t) => {
  t.deepEqual(await logged([null]), [])
})

test('a job never runs twice at a time, and stopping waits for it', async (t) => {
  let [running, most, ended] = [0, 0, 0]
  const job = {
    name: 'slow',
    everyMs: 1,
    run: async () => {
      most = Math.max(most, ++running)
      await pause(10)
      running--
      ended++
    },
  }
  const schedule = createSchedule([job], () => {})
  schedule.start()
  while (running === 0 || ended === 0) await pause(1)
  await schedule.stop()
  t.is(running, 0)
  t.is(most, 1)
})
