import { readdirSync, readFileSync } from 'node:fs'

// Hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
const toMs = 10

interface Stat {
  readonly parent: number
  /** Of the process, and of those of its children that ended, in milliseconds. */
  readonly own: number
  readonly ended: number
}

function statOf(pid: number): Stat | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number)
    const at = (field: number) => fields[field - 3] ?? 0
    return { parent: at(4), own: (at(14) + at(15)) * toMs, ended: (at(16) + at(17)) * toMs }
  } catch {
    return null
  }
}

function everyProcess(): ReadonlyMap<number, Stat | null> {
  return new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), statOf(Number(name))]),
  )
}

/** A process and all that it started. */
export function treeOf(root: number, all = everyProcess()): number[] {
  return [
    root,
    ...[...all].filter(([, item]) => item?.parent === root).flatMap(([child]) => treeOf(child, all)),
  ]
}

/**
 * CPU of a process and of all that it started, those included that ended, in milliseconds. Other people's
 * work on the machine does not move it much.
 */
export function cpuOfTree(root: number): number {
  const all = everyProcess()
  return treeOf(root, all).reduce(
    (sum, pid) => sum + (all.get(pid)?.own ?? 0) + (all.get(pid)?.ended ?? 0),
    0,
  )
}

/** Ends a process, if it is still there. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
