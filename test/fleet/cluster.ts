import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../support/databases.ts'
import { kill, treeOf } from './cpu.ts'

/** A PostgreSQL of the machine's own package, in a folder that the caller removes. */
export interface Cluster {
  readonly port: number
  readonly pid: () => number
  url(database?: string): string
  query<R extends object>(sql: string, database?: string): Promise<R[]>
  /** A copy that follows this one, and is promoted when asked. */
  standby(folder: string, settings: readonly string[]): Promise<Cluster & { promote(): void }>
  /** At once, as by a lost machine; or so that it answers nobody and keeps every line open. */
  lose(how: 'killed' | 'silent'): void
  stop(): Promise<void>
}

const debians = '/usr/lib/postgresql'
function newest() {
  return existsSync(debians)
    ? readdirSync(debians)
        .sort((a, b) => Number(a) - Number(b))
        .at(-1)
    : undefined
}
/** Where its programs lie: PG_BIN, else Debian's newest. */
const bin = process.env.PG_BIN ?? join(debians, newest() ?? '', 'bin')

// It refuses to run as root.
function idOf(flag: string) {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}
const asWhom = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
function run(program: string, ...args: readonly string[]) {
  return execFileSync(join(bin, program), args, { ...asWhom, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** A new cluster with these settings (`name=value`), durable as it comes from the package. */
export async function createCluster(folder: string, settings: readonly string[] = []): Promise<Cluster> {
  await ownFolder(folder)
  run('initdb', '-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-instructions')
  return openCluster(folder, settings)
}

/** A folder that the server may write into. */
async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  if (asWhom.uid !== undefined) await chown(folder, asWhom.uid, asWhom.gid)
}

/** Starts the server of a folder, which takes its time after a crash; on a port that is free, or on this. */
export async function openCluster(
  folder: string,
  settings: readonly string[],
  given?: number,
): Promise<Cluster> {
  const port = given ?? (await freePort())
  const flags = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=400', ...settings]
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', folder, '-p', String(port), ...flags.flatMap((flag) => ['-c', flag])],
    { ...asWhom, cwd: '/', stdio: ['ignore', 'ignore', process.env.FLEET_LOG ? 'inherit' : 'ignore'] },
  )
  const gone = once(server, 'exit')
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`
  const cluster: Cluster = {
    port,
    pid: () => server.pid!,
    url,
    query: async (sql, database) => {
      const client = new pg.Client({ connectionString: url(database) })
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    },
    standby: async (place, own) => {
      await ownFolder(place)
      const name = 'standby1'
      const from = `host=127.0.0.1 port=${port} user=postgres application_name=${name}`
      run(
        'pg_basebackup',
        '-d',
        from,
        '-D',
        place,
        '-R',
        '-X',
        'stream',
        '-C',
        '-S',
        name,
        '--checkpoint=fast',
      )
      const copy = await openCluster(place, own)
      return { ...copy, promote: () => void run('pg_ctl', 'promote', '-w', '-D', place) }
    },
    lose: (how) => {
      for (const pid of treeOf(server.pid!)) kill(pid, how === 'killed' ? 'SIGKILL' : 'SIGSTOP')
    },
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return
      for (const pid of treeOf(server.pid!)) kill(pid, 'SIGCONT')
      server.kill('SIGINT')
      await Promise.race([gone, pause(20_000, undefined, { ref: false })])
      server.kill('SIGKILL')
      await gone
    },
  }
  const until = Date.now() + 60_000
  for (;;)
    try {
      await cluster.query('select 1')
      return cluster
    } catch (error) {
      if (Date.now() > until || server.exitCode !== null) throw error
      await pause(100)
    }
}
