import { readdirSync, readFileSync } from 'node:fs'
import Module from 'node:module'
import { join } from 'node:path'
import test from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { smtp } from '../../src/memberships/mails/smtp.ts'

// Every optional package of package.json: what a configuration uses is named at the start, with the line that installs it.

const root = join(import.meta.dirname, '../..')
const { peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as {
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
}

const settings: MembershipOptions = {
  'membership.database.url': 'sqlite::memory:',
  'membership.secret': 'x'.repeat(32),
  'membership.compare.automatic': false,
  install: false,
  root: false,
}

/** Configurations that use a package. */
const uses: Readonly<Record<string, () => MembershipOptions>> = {
  ioredis: () => ({ 'membership.ratelimit.store': 'redis://127.0.0.1:1' }),
  nodemailer: () => ({
    mails: {
      transport: smtp({ url: 'smtps://mail.example.com', from: { name: 'Neap', address: 'hi@example.com' } }),
    },
  }),
  sharp: () => ({
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'https://example.com/crawler',
    reports: { screenshot: async () => null },
  }),
  stripe: () => ({
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.secret': 'sk_test_1',
    'membership.providers.stripe.webhook': 'whsec_1',
  }),
}

/** Hosts import these themselves, before this package's entry for them. */
const ofHosts = ['@nestjs/common', 'express', 'fastify', 'hono', 'next', 'nuxt', 'payload', 'react']

/** Node's own resolution of `require`. */
const resolver = Module as unknown as { _resolveFilename: (name: string, ...rest: unknown[]) => string }

/** Starts a site and returns everything that the start says, with `missing` not installed. */
async function start(options: () => MembershipOptions, missing: string | null): Promise<string> {
  const said: string[] = []
  const resolve = resolver._resolveFilename
  resolver._resolveFilename = (name, ...rest) => {
    if (name === missing) throw Object.assign(new Error('Cannot find it'), { code: 'MODULE_NOT_FOUND' })
    return resolve(name, ...rest)
  }
  try {
    const m = await createMembership({ ...settings, ...options(), log: (line) => said.push(line) })
    await m.close()
  } catch (error) {
    const { message, action } = error as { message: string; action?: string }
    said.push(message, action ?? '')
  } finally {
    resolver._resolveFilename = resolve
  }
  return said.join('\n')
}

test('package.json lists no optional package that this test leaves out', (t) => {
  const optional = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional)
  t.deepEqual(optional.sort(), [...Object.keys(uses), ...ofHosts].sort())
  t.deepEqual(Object.keys(peerDependencies).sort(), optional, 'none is required')
})

for (const [name, options] of Object.entries(uses))
  test.serial(
    `the start names ${name} and the line that installs it, where the configuration uses it`,
    async (t) => {
      const missing = await start(options, name)
      t.true(missing.includes(`npm install ${name}`), missing)
      t.regex(missing, new RegExp(`package "?${name}"?`))
      t.notRegex(await start(options, null), /npm install/)
      t.notRegex(await start(() => ({}), name), new RegExp(name), 'a site that does not use it')
    },
  )

test('packages of hosts are imported by entries alone', (t) => {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.tsx?$/.test(entry.name),
  )
  let imports = 0
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name).slice(root.length + 1)
    for (const [line, from = ''] of readFileSync(join(parentPath, name), 'utf8').matchAll(
      /^(?:import|export) [^'"\n]*from '([^'.\n][^'\n]*)'|import\('([^'.\n][^'\n]*)'\)/gm,
    )) {
      const named = from === '' ? /'([^']+)'/.exec(line)![1]! : from
      if (!ofHosts.some((host) => named === host || named.startsWith(`${host}/`))) continue
      imports++
      t.regex(path, /^src\/entries\//, line)
    }
  }
  t.true(imports > 5)
})
