import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../support/databases.ts'
import { listening } from '../support/listening.ts'

/** What stands between: with the very files that `docs/several-machines.md` gives, but for addresses and passwords. */
function example(name: string) {
  return readFile(join(import.meta.dirname, '../../config/machines', name), 'utf8')
}

/** A program between others, by its port. */
export interface Between {
  readonly port: number
  close(): Promise<void>
}

/** PgBouncer before a database that may move; on a port that is free, or `at` this. */
export async function startPooler(folder: string, database: { port: number; name: string; at?: number }) {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const port = database.at ?? (await freePort())
  const file = join(folder, 'pgbouncer.ini')
  const given = await example('pgbouncer.ini')
  const lead = async (to: number) => {
    const text = replaced(given, [
      [
        'host=primary port=5432 dbname=site',
        `host=127.0.0.1 port=${to} dbname=${database.name} user=postgres`,
      ],
      ['listen_addr = *', 'listen_addr = 127.0.0.1\nunix_socket_dir ='],
      ['listen_port = 6432', `listen_port = ${port}`],
      ['auth_type = scram-sha-256', 'auth_type = any'],
      ['auth_file = /etc/pgbouncer/users.txt\n', ''],
    ])
    await writeFile(file, text)
  }
  await lead(database.port)
  // It refuses to run as root.
  const asWhom = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const pooler = spawn('pgbouncer', ['-q', ...asWhom, file], { stdio: 'ignore' })
  await listening(port)
  const url = (name: string) => `postgres://site@127.0.0.1:${port}/${name}`
  return {
    port,
    url: url('site'),
    /** As an operator does: the file names another server, and everybody is sent there. */
    moveTo: async (to: number) => {
      await lead(to)
      const admin = new pg.Client(url('pgbouncer'))
      await admin.connect()
      for (const order of ['RELOAD', 'KILL site', 'RESUME site']) await admin.query(order)
      await admin.end()
    },
    close: () => ended(pooler),
  }
}

/** HAProxy before the processes of a site, on a port that is free or on this; HAPROXY names its program. */
export async function startProxy(folder: string, sites: readonly number[], at?: number): Promise<Between> {
  await mkdir(folder, { recursive: true })
  const port = at ?? (await freePort())
  const file = join(folder, 'haproxy.cfg')
  const servers = sites.map((site, n) => `  server site${n + 1} 127.0.0.1:${site}`).join('\n')
  const text = replaced(await example('haproxy.cfg'), [
    ['bind :8080', `bind 127.0.0.1:${port}`],
    [/( {2}server site.*\n)+/g, `${servers}\n`],
  ])
  await writeFile(file, text)
  const proxy = spawn(process.env.HAPROXY ?? 'haproxy', ['-db', '-q', '-f', file], {
    stdio: ['ignore', 'ignore', process.env.FLEET_LOG ? 'inherit' : 'ignore'],
  })
  proxy.on('error', (error) => {
    throw new Error(`HAProxy is needed for this (Debian: haproxy; HAPROXY names another): ${error.message}`)
  })
  await listening(port)
  return { port, close: () => ended(proxy) }
}

function replaced(text: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    const after = before.replace(from, to)
    if (after === before) throw new Error(`nothing to replace: ${from}`)
    return after
  }, text)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
