import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { secret } from '../bench/events.ts'

/** One of several equal processes of a site. */
export interface Site {
  readonly port: number
  readonly pid: number
  readonly child: ChildProcess
  readonly gone: Promise<unknown>
  /** What it logged. */
  readonly log: string[]
  kill(signal: NodeJS.Signals): void
}

/**
 * Starts a process of a site at a database, with more settings of its own; it listens when this is over. One
 * that is to `work` does once what is due, and ends.
 */
export async function startSite(
  url: string,
  settings: Readonly<Record<string, unknown>> = {},
  { port = 0, hookUrl, work = false }: { port?: number; hookUrl?: string; work?: boolean } = {},
): Promise<Site> {
  const file = join(import.meta.dirname, 'site-process.mjs')
  const given = JSON.stringify({ 'membership.providers.stripe.webhook': secret, ...settings })
  const places = [url, given, String(port), ...(work ? ['work'] : hookUrl === undefined ? [] : [hookUrl])]
  const child = spawn(process.execPath, [file, ...places], { stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  child.stderr.on('data', (piece: Buffer) => {
    log.push(piece.toString())
    if (process.env.FLEET_LOG) process.stderr.write(piece)
  })
  const gone = once(child, 'exit')
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    gone.then(() => Promise.reject(new Error(`a process of the site did not start: ${log.join('')}`))),
  ])) as [Buffer]
  child.stdout.resume()
  return {
    port: Number(line.toString()),
    pid: child.pid!,
    child,
    gone,
    log,
    kill: (signal) => void child.kill(signal),
  }
}

/** As many as are asked for: the first makes the tables, the others find them. */
export async function startSites(count: number, url: string, settings?: Readonly<Record<string, unknown>>) {
  return [
    await startSite(url, settings),
    ...(await Promise.all(Array.from({ length: count - 1 }, () => startSite(url, settings)))),
  ]
}

/** Ends them and waits for that. */
export async function endSites(sites: readonly Site[]): Promise<void> {
  for (const site of sites) site.kill('SIGKILL')
  await Promise.all(sites.map(({ gone }) => gone))
}
