import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, postgresDatabases, type TestDatabase } from './databases.ts'
import { listening } from './listening.ts'

/** Whether PgBouncer is installed here: Debian's package `pgbouncer`. */
export function hasPooler(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A PostgreSQL behind PgBouncer in transaction mode, which has three connections for each database. */
export async function pooledDatabases(): Promise<TestDatabase & { direct(url: string): string }> {
  const database = await postgresDatabases()
  const server = new URL(await database.url())
  const folder = await mkdtemp(join(tmpdir(), 'membership-pooler-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
`,
  )
  // It refuses to run as root.
  const asWhom = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const pooler = spawn('pgbouncer', ['-q', ...asWhom, settings], { stdio: 'ignore' })
  await listening(port)
  const pooled = (direct: string): string => {
    const url = new URL(direct)
    url.port = String(port)
    return url.href
  }
  return {
    name: 'postgres',
    url: async () => pooled(await database.url()),
    emptyUrl: async () => pooled(await database.emptyUrl()),
    /** The same database, past the pooler. */
    direct: (given) => {
      const url = new URL(given)
      url.port = server.port
      return url.href
    },
    close: async () => {
      pooler.kill('SIGKILL')
      if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit')
      await rm(folder, { recursive: true, force: true })
      await database.close()
    },
  }
}
