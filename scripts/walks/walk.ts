import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/support/databases.ts'
import { must } from '../hosts/walk.ts'
import { allBlocks, stepsOf } from './blocks.ts'
import { openReader } from './reader.ts'
import { walks } from './walks.ts'

/** Follows the pages in an empty folder, and visits the site that comes of it. @throws with what is not as it must be */
export async function walkPages(name: string, tarball: string): Promise<void> {
  const walk = walks[name]
  if (walk === undefined) throw new TypeError(`No walk "${name}". Walks: ${Object.keys(walks).join(', ')}`)
  const place = mkdtempSync(join(tmpdir(), `membership-${name}-`))
  const account = await walk.account?.()
  const origin = new URL(walk.opens)
  // The pages say so, where the port is taken.
  const isTaken = !(await isFree(Number(origin.port)))
  if (isTaken) origin.port = String(await freePort())
  const reader = openReader({
    place,
    tarball,
    origin: origin.origin,
    account: isTaken ? { ...account?.variables, PORT: origin.port } : (account?.variables ?? {}),
  })
  try {
    for (const step of stepsOf(name, allBlocks())) {
      const printed = await reader.follow(step)
      if (step.serves === 'site') await walk.visit(reader.site().site, reader.folderOf(step))
      const wanted = walk.prints?.[step.order]
      must(wanted?.test(printed) ?? true, `step ${step.order} printed\n${printed}`)
    }
    reader.site()
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${reader.output().slice(-4000)}`)
  } finally {
    reader.close()
    await account?.close()
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((decided) => {
    const server = createServer()
    server.once('error', () => decided(false))
    server.listen(port, () => server.close(() => decided(true)))
  })
}
