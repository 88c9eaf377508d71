import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createFields } from '../../src/memberships/account/index.ts'

/** A site's folder with these blueprints, by their path below `blueprints/`. */
export async function siteWith(t: ExecutionContext, blueprints: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'membership-account-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(blueprints)) {
    const file = join(root, 'blueprints', name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return root
}

/** The fields of a member blueprint. */
export async function fieldsFrom(t: ExecutionContext, text: string, role = 'member') {
  const root = await siteWith(t, { 'users/member.yml': text })
  return createFields({ root, providerFields: new Set(['stripe']), cache: false })([role])
}

/** A clock that says the same until it is moved. */
export function movable(at: string) {
  let time = Date.parse(at)
  return {
    now: () => new Date(time),
    move: (ms: number) => {
      time += ms
    },
  }
}
