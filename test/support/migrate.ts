import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

/** An empty folder that is removed after the test. */
export async function emptyFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-migrate-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of a folder that is removed after the test. */
export async function copied(t: ExecutionContext, from: string): Promise<string> {
  const folder = join(await emptyFolder(t), 'site')
  await cp(from, folder, { recursive: true })
  return folder
}
