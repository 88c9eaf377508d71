import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, clientOf } from '../support/index-host.ts'

const program = join(import.meta.dirname, 'uploads-child.ts')

interface Partner extends Client {
  readonly id: string
}

/**
 * One partner sends 45 pictures at once, as large as they may be, and another one a small one: over HTTP, to
 * a process of its own. Linux only.
 */
export async function benchUploads(folder: string): Promise<void> {
  console.log('\n45 uploads of the largest pictures by one partner, one small one by another')
  const made = (kind: string): Buffer => {
    const file = join(folder, `${kind}.jpg`)
    execFileSync(process.execPath, ['--import=tsx', program, 'make', file, kind])
    return readFileSync(file)
  }
  const small = made('small')
  for (const kind of ['flat', 'fine', 'progressive', 'progressive in full colour'])
    console.log(`  ${kind}: ${await attackWith(made(kind), small)}`)
}

async function attackWith(large: Buffer, small: Buffer): Promise<string> {
  const child = fork(program, ['serve'], { execArgv: ['--import=tsx'] })
  try {
    const { site, partners } = (await answerOf(child)) as {
      site: string
      partners: Record<'ann' | 'bob', { key: string; id: string }>
    }
    const partner = ({ key, id }: { key: string; id: string }): Partner => ({ id, ...clientOf(site, key) })
    const [ann, bob] = [partner(partners.ann), partner(partners.bob)]
    await bob.upload(bob.id, small)
    const before = await ask(child, 'begin')
    const began = performance.now()
    const attack = Array.from({ length: 45 }, () => ann.upload(ann.id, large).then(({ status }) => status))
    // After the attacker's are there.
    await new Promise((done) => setTimeout(done, 200))
    const sent = performance.now()
    const other = await bob.upload(bob.id, small)
    const otherMs = performance.now() - sent
    const taken = (await Promise.all(attack)).filter((status) => status === 200).length
    const ms = performance.now() - began
    const after = await ask(child, 'end')
    const whole = (value: number) => Math.round(value)
    return (
      `${whole(after.peak - before.idle)} MB above ${whole(before.idle)}, the small one (${other.status}) after ${whole(otherMs)} ms, ` +
      `${taken} of 45 taken in ${whole(ms)} ms`
    )
  } finally {
    child.disconnect()
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  return (await once(child, 'message'))[0]
}

async function ask(child: ChildProcess, what: string) {
  child.send(what)
  return (await answerOf(child)) as { idle: number; peak: number }
}
