import { setTimeout as pause } from 'node:timers/promises'
import type { FakeServer, OutageKind } from '../../src/fakes/engine/index.ts'
import type { Chance } from '../simulation/chance.ts'
import { type Machines, siteCount } from './machines.ts'

/** What a trouble acts on. */
export interface Stage {
  readonly machines: Machines
  readonly fakes: readonly { readonly key: string; readonly fake: FakeServer }[]
}

/** Plays one trouble to its end, and returns what became of it. */
type Trouble = (stage: Stage, chance: Chance) => Promise<string>

/** Everything that goes wrong, by name, and how often beside the others. */
export const troubles: Readonly<Record<string, { readonly weight: number; readonly play: Trouble }>> = {
  'a process is killed': { weight: 20, play: killSite },
  'a process is told to end': { weight: 10, play: deploySite },
  'a process stands still': { weight: 12, play: freezeSite },
  'a clock goes wrong': { weight: 8, play: moveClock },
  'the primary is lost': { weight: 8, play: losePrimary },
  'the standby stands still': { weight: 6, play: silenceStandby },
  'all connections to the database are cut': { weight: 10, play: dropConnections },
  'the disk of the databases is full': { weight: 6, play: fillDisk },
  'PgBouncer is killed': { weight: 6, play: killPooler },
  'HAProxy is killed': { weight: 6, play: killProxy },
  'Redis is killed': { weight: 5, play: killRedis },
  'Redis stands still': { weight: 4, play: freezeRedis },
  'a provider fails': { weight: 14, play: failProvider },
}

async function killSite({ machines }: Stage, chance: Chance): Promise<string> {
  const n = chance.number(0, siteCount - 1)
  const awayMs = chance.number(0, 4000)
  await machines.endSite(n, 'SIGKILL')
  await pause(awayMs)
  await machines.startSite(n)
  return `process ${n + 1}, started again after ${seconds(awayMs)}`
}

async function deploySite({ machines }: Stage, chance: Chance): Promise<string> {
  const n = chance.number(0, siteCount - 1)
  await machines.endSite(n, 'SIGTERM')
  await machines.startSite(n)
  return `process ${n + 1}`
}

async function freezeSite({ machines }: Stage, chance: Chance): Promise<string> {
  const n = chance.number(0, siteCount - 1)
  const ms = chance.number(1000, 20_000)
  machines.signalSite(n, 'SIGSTOP')
  await pause(ms)
  machines.signalSite(n, 'SIGCONT')
  return `process ${n + 1}, for ${seconds(ms)}`
}

// Within the two minutes by which the clocks of a site's machines may differ: docs/several-machines.md.
async function moveClock({ machines }: Stage, chance: Chance): Promise<string> {
  const n = chance.number(0, siteCount - 1)
  const ms = chance.number(-50_000, 50_000)
  machines.skew(n, ms)
  return `process ${n + 1} by ${seconds(ms)}`
}

async function losePrimary({ machines }: Stage, chance: Chance): Promise<string> {
  const result = await machines.losePrimary(chance.number(500, 4000))
  await pause(chance.number(0, 5000))
  await machines.addStandby()
  return result
}

async function silenceStandby({ machines }: Stage, chance: Chance): Promise<string> {
  const ms = chance.number(1000, 8000)
  await machines.silenceStandby(ms)
  return `for ${seconds(ms)}`
}

async function dropConnections({ machines }: Stage): Promise<string> {
  return `${await machines.dropConnections()} connections`
}

async function fillDisk({ machines }: Stage, chance: Chance): Promise<string> {
  const ms = chance.number(1000, 6000)
  return `for ${seconds(ms)}; ${await machines.fillDisk(ms)}`
}

async function killPooler({ machines }: Stage): Promise<string> {
  await machines.restartPooler()
  return 'started again'
}

async function killProxy({ machines }: Stage, chance: Chance): Promise<string> {
  const ms = chance.number(0, 3000)
  await machines.restartProxy(ms)
  return `away for ${seconds(ms)}`
}

async function killRedis({ machines }: Stage, chance: Chance): Promise<string> {
  const ms = chance.number(0, 6000)
  await machines.loseRedis(ms)
  return `away for ${seconds(ms)}`
}

async function freezeRedis({ machines }: Stage, chance: Chance): Promise<string> {
  const ms = chance.number(1000, 8000)
  await machines.silenceRedis(ms)
  return `for ${seconds(ms)}`
}

async function failProvider({ fakes }: Stage, chance: Chance): Promise<string> {
  const { key, fake } = chance.of(fakes)
  const kind = chance.of<OutageKind>(['500', '503', 'reset', 'after', 'done'])
  const ms = chance.number(500, 6000)
  const end = fake.outage({ kind })
  await pause(ms)
  end()
  return `${key} answers ${kind} for ${seconds(ms)}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
