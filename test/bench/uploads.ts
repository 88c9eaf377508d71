import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const child = (...args: string[]): string =>
  execFileSync(process.execPath, ['--import=tsx', join(import.meta.dirname, 'uploads-child.ts'), ...args], {
    encoding: 'utf8',
  })

/** One partner sends 45 pictures of 25 megapixels at once, and another one a small one. Linux only. */
export const benchUploads = (folder: string): void => {
  console.log('\n45 uploads of 25 megapixels by one partner, one small one by another')
  for (const kind of ['flat', 'fine']) {
    const file = join(folder, `${kind}.jpg`)
    child('make', file, kind)
    const seen = JSON.parse(child('attack', file)) as Record<string, number>
    const whole = (name: string) => Math.round(seen[name]!)
    console.log(
      `  ${kind}: ${whole('peak')} MB above ${whole('idle')}, the small one after ${whole('otherMs')} ms, ${whole('taken')} of 45 taken in ${whole('ms')} ms`,
    )
  }
}
