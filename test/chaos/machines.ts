import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPooler, startProxy } from '../fleet/between.ts'
import { type Cluster, createCluster, openCluster } from '../fleet/cluster.ts'
import { kill, treeOf } from '../fleet/cpu.ts'
import { freePort } from '../support/databases.ts'
import { listening } from '../support/listening.ts'

/** Number of equal processes of the site. */
export const siteCount = 4
const diskMegabytes = 800
const mostStarts = 60

type Standby = Awaited<ReturnType<Cluster['standby']>>
type Pooler = Awaited<ReturnType<typeof startPooler>>
interface Site {
  readonly port: number
  child: ChildProcess
}

/** Every machine of a site that runs on several: HAProxy, four processes, PgBouncer, PostgreSQL with a standby, and Redis. */
export class Machines {
  readonly log: string[] = []
  readonly sites: Site[] = []
  mail: (mail: Record<string, unknown>) => void = () => {}
  pooler!: Pooler
  redisPort = 0
  private proxy!: Awaited<ReturnType<typeof startProxy>>
  private primary!: Cluster
  private primaryFolder = ''
  private standby: { readonly server: Standby; readonly folder: string } | null = null
  private redis!: ChildProcess
  private mailbox!: { readonly url: string; close(): void }
  private generation = 0
  private options: Readonly<Record<string, unknown>> = {}
  /** Time of the providers minus the machine's time. */
  private offsetMs = 0
  private readonly skewMs: number[] = Array.from({ length: siteCount }, () => 0)
  private isClosed = false

  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  get disk(): string {
    return join(this.folder, 'disk')
  }

  /** Starts everything but the processes of the site, and returns the address of the site. */
  async open(): Promise<string> {
    await mkdir(this.disk, { recursive: true })
    // The database's user has to get in.
    for (const folder of [this.folder, this.disk]) await chmod(folder, 0o755)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', this.disk])
    await chmod(this.disk, 0o755)
    this.primaryFolder = this.nextFolder()
    this.primary = await createCluster(this.primaryFolder, primarySettings)
    await this.primary.query('create database site')
    this.pooler = await startPooler(`${this.folder}/pooler`, { port: this.primary.port, name: 'site' })
    this.redisPort = await freePort()
    await this.startRedis()
    const mailbox = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      this.mail(JSON.parse(body))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(mailbox, 'listening')
    this.mailbox = {
      url: `http://127.0.0.1:${(mailbox.address() as AddressInfo).port}`,
      close: () => {
        mailbox.closeAllConnections()
        mailbox.close()
      },
    }
    for (let n = 0; n < siteCount; n++) this.sites.push({ port: await freePort(), child: null! })
    this.proxy = await startProxy(
      `${this.folder}/proxy`,
      this.sites.map(({ port }) => port),
    )
    await this.addStandby()
    return `http://127.0.0.1:${this.proxy.port}`
  }

  /** Starts the processes of the site with these options. */
  async openSites(options: Readonly<Record<string, unknown>>): Promise<void> {
    this.options = options
    // The first creates the tables.
    await this.startSite(0)
    await Promise.all(this.sites.slice(1).map((_, n) => this.startSite(n + 1)))
  }

  /** Starts a process, as its supervisor does: again and again. @throws with its log if it never starts */
  async startSite(n: number, tries = 1): Promise<void> {
    if (this.isClosed) return
    if (tries > mostStarts)
      throw new Error(`process ${n + 1} did not start ${mostStarts} times: ${this.log.slice(-3).join('')}`)
    this.writeClock(n)
    const site = this.sites[n]!
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'site-process.mjs'),
        JSON.stringify(this.options),
        String(site.port),
        this.mailbox.url,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          LD_PRELOAD: faketimeLibrary(),
          FAKETIME_TIMESTAMP_FILE: this.clockFile(n),
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      },
    )
    site.child = child
    child.stderr.on('data', (piece: Buffer) => this.log.push(`site ${n + 1}: ${piece}`))
    // A process that finds no database at its start ends, and its supervisor starts it again.
    const started = await Promise.race([
      once(child.stdout, 'data').then(() => true),
      once(child, 'exit').then(() => false),
    ])
    child.stdout.resume()
    if (started || this.isClosed) return
    await pause(500)
    return this.startSite(n, tries + 1)
  }

  isRunning(n: number): boolean {
    const { child } = this.sites[n]!
    return child !== null && child.exitCode === null && child.signalCode === null
  }

  async endSite(n: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.isRunning(n)) return
    const { child } = this.sites[n]!
    const ended = once(child, 'exit')
    child.kill(signal)
    // One that does not end in time is killed, as a supervisor does.
    const timer = setTimeout(() => child.kill('SIGKILL'), 45_000)
    await ended
    clearTimeout(timer)
  }

  signalSite(n: number, signal: NodeJS.Signals): void {
    if (this.isRunning(n)) this.sites[n]!.child.kill(signal)
  }

  /** Sets the clocks of all processes: the providers' time, and each with a skew of its own. */
  setClocks(offsetMs: number): void {
    this.offsetMs = offsetMs
    for (let n = 0; n < siteCount; n++) this.writeClock(n)
  }

  skew(n: number, ms: number): void {
    this.skewMs[n] = ms
    this.writeClock(n)
  }

  private clockFile(n: number): string {
    return join(this.folder, `clock-${n + 1}`)
  }

  private writeClock(n: number): void {
    const seconds = (this.offsetMs + this.skewMs[n]!) / 1000
    writeFileSync(`${this.clockFile(n)}.new`, `${seconds < 0 ? '' : '+'}${seconds.toFixed(3)}\n`)
    renameSync(`${this.clockFile(n)}.new`, this.clockFile(n))
  }

  /** Loses the primary at once. The standby takes over where it has everything; else the same server comes back. */
  async losePrimary(noticeMs: number): Promise<string> {
    this.primary.lose('killed')
    await pause(noticeMs)
    if (this.standby === null) {
      await this.reopenPrimary()
      return 'came back'
    }
    const lost = this.primaryFolder
    this.standby.server.promote()
    this.primary = this.standby.server
    this.primaryFolder = this.standby.folder
    this.standby = null
    await this.leadPooler()
    rmSync(lost, { recursive: true, force: true })
    return 'standby promoted'
  }

  /** A new standby of the present primary; commits wait for it from then on. */
  async addStandby(): Promise<void> {
    if (this.standby !== null) return
    const folder = this.nextFolder()
    const server = await this.primary.standby(folder, standbySettings)
    await this.primary.query("alter system set synchronous_standby_names = 'standby1'")
    await this.primary.query('select pg_reload_conf()')
    for (let tries = 0; ; tries++) {
      const [sync] = await this.primary.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_replication where sync_state = 'sync'",
      )
      if (sync?.n === 1) break
      if (tries > 100) throw new Error('the standby did not become synchronous')
      await pause(100)
    }
    this.standby = { server, folder }
  }

  get hasStandby(): boolean {
    return this.standby !== null
  }

  /** Stops the standby for a while: commits wait. */
  async silenceStandby(ms: number): Promise<void> {
    if (this.standby === null) return
    const pids = treeOf(this.standby.server.pid())
    for (const pid of pids) kill(pid, 'SIGSTOP')
    await pause(ms)
    for (const pid of pids) kill(pid, 'SIGCONT')
  }

  async dropConnections(): Promise<number> {
    const [row] = await this.primary.query<{ n: number }>(
      "select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where datname = 'site' and pid <> pg_backend_pid()",
    )
    return row?.n ?? 0
  }

  /** Fills the databases' disk to the last byte for a while. */
  async fillDisk(ms: number): Promise<string> {
    const ballast = join(this.disk, 'ballast')
    // The servers write meanwhile: what is left after the large file is filled to the last byte.
    const spare = 8 * 1024 * 1024
    const { bavail, bsize } = statfsSync(this.disk)
    execFileSync('fallocate', ['-l', String(Math.max(spare, bavail * bsize - spare)), ballast])
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k', 'oflag=append', 'conv=notrunc'], {
      stdio: 'ignore',
    })
    await pause(ms)
    rmSync(ballast, { force: true })
    const died = await this.mendDatabases()
    return died ? 'a server died of it and came back' : 'both servers went on'
  }

  /** Starts again what died of a full disk. */
  private async mendDatabases(): Promise<boolean> {
    let died = false
    if (!(await answers(this.primary))) {
      this.primary.lose('killed')
      await this.reopenPrimary()
      died = true
    }
    if (this.standby !== null && !(await answers(this.standby.server))) {
      const { server, folder } = this.standby
      server.lose('killed')
      await server.stop()
      this.standby = { server: await reopenStandby(server, folder), folder }
      died = true
    }
    return died
  }

  async restartPooler(): Promise<void> {
    await this.pooler.close()
    this.pooler = await startPooler(`${this.folder}/pooler`, {
      port: this.primary.port,
      name: 'site',
      at: this.pooler.port,
    })
  }

  async restartProxy(awayMs: number): Promise<void> {
    const { port } = this.proxy
    await this.proxy.close()
    await pause(awayMs)
    this.proxy = await startProxy(
      `${this.folder}/proxy`,
      this.sites.map((site) => site.port),
      port,
    )
  }

  async loseRedis(awayMs: number): Promise<void> {
    const ended = once(this.redis, 'exit')
    this.redis.kill('SIGKILL')
    await ended
    await pause(awayMs)
    await this.startRedis()
  }

  async silenceRedis(ms: number): Promise<void> {
    this.redis.kill('SIGSTOP')
    await pause(ms)
    this.redis.kill('SIGCONT')
  }

  query<R extends object>(sql: string): Promise<R[]> {
    return this.primary.query<R>(sql, 'site')
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(
      this.sites.map(async ({ child }, n) => {
        if (child === null) return
        child.kill('SIGCONT')
        await this.endSite(n, 'SIGKILL')
      }),
    )
    this.mailbox?.close()
    await this.proxy?.close()
    await this.pooler?.close()
    this.redis?.kill('SIGKILL')
    await this.standby?.server.stop()
    await this.primary?.stop()
    execFileSync('umount', [this.disk])
  }

  private async startRedis(): Promise<void> {
    this.redis = spawn(
      'redis-server',
      ['--port', String(this.redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: 'ignore', cwd: this.folder },
    )
    await listening(this.redisPort)
  }

  private async reopenPrimary(): Promise<void> {
    await this.primary.stop()
    // On its port, where the standby looks for it.
    this.primary = await openCluster(this.primaryFolder, primarySettings, this.primary.port)
    await this.leadPooler()
  }

  private async leadPooler(): Promise<void> {
    for (let tries = 0; ; tries++)
      try {
        return await this.pooler.moveTo(this.primary.port)
      } catch (error) {
        if (tries > 40) throw error
        await pause(250)
      }
  }

  private nextFolder(): string {
    return join(this.disk, `pg${++this.generation}`)
  }
}

// Small, so that a disk of this size holds several generations.
const walSettings = [
  'max_wal_size=96MB',
  'min_wal_size=48MB',
  'shared_buffers=64MB',
  'max_slot_wal_keep_size=200MB',
]
const primarySettings = ['wal_level=replica', 'synchronous_commit=on', ...walSettings]
const standbySettings = walSettings

async function answers(server: Cluster): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++)
    try {
      await server.query('select 1')
      return true
    } catch {
      await pause(250)
    }
  return false
}

async function reopenStandby(server: Standby, folder: string): Promise<Standby> {
  return { ...(await openCluster(folder, standbySettings, server.port)), promote: server.promote }
}

/** Library that moves the clock of one process alone (Debian: faketime). */
function faketimeLibrary(): string {
  const folder = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].find((name) =>
    existsSync(`/usr/lib/${name}/faketime`),
  )
  if (folder === undefined) throw new Error('libfaketime is needed for this: `apt-get install faketime`')
  return `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`
}
