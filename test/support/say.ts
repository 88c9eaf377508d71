import { writeSync } from 'node:fs'

/** Writes lines at once, so that a kill loses none. The pipe is full where the reader is slow. */
export function createSay(): (line: string) => void {
  return (line) => {
    for (let rest = Buffer.from(`${line}\n`); rest.length > 0; )
      try {
        rest = rest.subarray(writeSync(1, rest))
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
      }
  }
}
