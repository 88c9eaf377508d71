import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { hosts } from '../../src/site/init/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { command, runCommand } from '../support/command.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

async function emptyFolder(t: ExecutionContext, above = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(above, '.deploy-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}
function textOf(folder: string, path: string) {
  return readFileSync(join(folder, path), 'utf8')
}

const deployed = [
  'Caddyfile',
  'README.md',
  'backup.sh',
  'is-up.mjs',
  'my-site-backup.service',
  'my-site-backup.timer',
  'my-site.service',
  'release.sh',
  'restore.sh',
  'server.sh',
]

for (const host of hosts)
  test.serial(`init --deploy writes what runs a ${host} site on one server`, async (t) => {
    const folder = join(await emptyFolder(t), 'my-site')
    const { code } = await runCommand(tmpdir(), [
      'init',
      folder,
      '--host',
      host,
      '--deploy',
      'Example.com',
      '--yes',
    ])
    t.is(code, 0)
    t.deepEqual(readdirSync(join(folder, 'deploy')).sort(), deployed)
    for (const file of deployed.filter((name) => name.endsWith('.sh')))
      execFileSync('sh', ['-n', join(folder, 'deploy', file)])
    const service = textOf(folder, 'deploy/my-site.service')
    const started =
      host === 'next' ? 'node node_modules/next/dist/bin/next start' : 'node --import tsx server.ts'
    t.true(service.includes(`\nExecStart=/usr/bin/env ${started}\n`), service)
    const image = textOf(folder, 'Dockerfile')
    t.true(
      image.includes(
        `CMD [${started
          .split(' ')
          .map((part) => `"${part}"`)
          .join(', ')}]`,
      ),
      image,
    )
    t.is(image.includes('RUN npm run build'), host === 'next')
    t.regex(textOf(folder, 'deploy/Caddyfile'), /^example\.com \{$/m)
    t.true(textOf(folder, '.dockerignore').split('\n').includes('.env'), 'no image holds the secrets')
    t.regex(textOf(folder, 'membership.config.ts'), /trust_proxy: Number\(process\.env\.TRUST_PROXY \?\? 0\)/)
  })

test.serial('the systemd units are accepted by systemd-analyze', async (t) => {
  const folder = join(await emptyFolder(t), 'my-site')
  await runCommand(tmpdir(), ['init', folder, '--deploy', 'example.com', '--yes'])
  const units = ['my-site.service', 'my-site-backup.service', 'my-site-backup.timer']
  try {
    const { stderr } = await run('systemd-analyze', ['verify', ...units], { cwd: join(folder, 'deploy') })
    t.false(/my-site/.test(stderr), stderr)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    t.pass('systemd is not installed')
  }
})

test.serial('init --deploy in the folder of a site leaves its code alone', async (t) => {
  const folder = await emptyFolder(t)
  await runCommand(folder, ['init', '--host', 'express', '--database', 'postgres', '--yes'])
  await writeFile(join(folder, 'server.ts'), '// changed by its developer\n')
  const { code, stdout } = await runCommand(folder, ['init', '--deploy', 'example.com', '--yes'])
  t.is(code, 0)
  t.regex(
    stdout,
    /Then:\n {2}sh deploy\/release\.sh root@example\.com\n\nand open\nhttps:\/\/example\.com\n$/,
  )
  t.is(textOf(folder, 'server.ts'), '// changed by its developer\n')
  t.regex(textOf(folder, 'deploy/backup.sh'), /^pg_dump /m)
  const again = await runCommand(folder, ['init', '--deploy', 'example.com', '--yes'])
  t.regex(again.stdout, /^Everything is there already\./)
})

test.serial('init --deploy refuses what is no domain', async (t) => {
  const folder = await emptyFolder(t)
  for (const bad of ['https://example.com', 'example', 'a b.com', '$(id).com']) {
    const { code, stderr } = await runCommand(folder, ['init', '--deploy', bad, '--yes'])
    t.is(code, 1, bad)
    t.regex(stderr, /Give the domain of the site, such as example\.com/)
  }
  t.deepEqual(readdirSync(folder), [])
})

test.serial('is-up counts a site with a trouble as running, and a silent port as down', async (t) => {
  const folder = await emptyFolder(t)
  await runCommand(folder, ['init', '--deploy', 'example.com', '--yes'])
  let status = 200
  const server = createServer((_request, response) => response.writeHead(status).end('{}'))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const env = { ...process.env, PORT: String((server.address() as AddressInfo).port) }
  const isUp = () =>
    run(process.execPath, ['deploy/is-up.mjs'], { cwd: folder, env }).then(
      () => true,
      () => false,
    )
  t.true(await isUp())
  status = 503
  t.true(await isUp(), 'a trouble needs the operator, not a restart')
  status = 500
  t.false(await isUp())
  server.closeAllConnections()
  server.close()
  t.false(await isUp())
})

test.serial('a destroyed site comes back from its backup, with what happened since', async (t) => {
  // Inside the project, so that packages are found.
  const folder = await emptyFolder(t, root)
  await runCommand(folder, ['init', '--provider', 'stripe', '--deploy', 'example.com', '--yes'])
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  const shim = join(folder, 'node_modules/.bin/membership')
  const quoted = [process.execPath, ...command].map((part) => `'${part}'`).join(' ')
  await writeFile(shim, `#!/bin/sh\nexec ${quoted} "$@"\n`)
  await chmod(shim, 0o755)

  const fake = await createFakeStripe({ seed: 1, running: true })
  t.teardown(() => fake.close())
  fake.addPrice({ id: 'price_pro', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const webhook = 'whsec_of_the_backup'
  const options = (url: string): MembershipOptions => ({
    'membership.url': url,
    'membership.database.url': 'sqlite:data/membership.db',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe': {
      secret: fake.secret,
      webhook,
      api_base: fake.url,
      plans: { pro: { prices: ['price_pro'] } },
    },
    'membership.compare.automatic': false,
  })
  await writeFile(
    join(folder, 'membership.config.ts'),
    `export default ${JSON.stringify(options('https://example.com'))}\n`,
  )
  await writeFile(join(folder, '.env'), 'STRIPE_SECRET=sk_test_kept\n')
  const env = {
    ...process.env,
    BACKUP_COPIES: join(folder, 'backups/copies'),
    BACKUP_SECRETS: join(folder, 'backups/secrets'),
  }
  const script = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await run('sh', args, { cwd: folder, env })
    return stdout + stderr
  }

  const open = async () => {
    const server = createServer((request, response) => m.listener()(request, response))
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const file = `sqlite:${join(folder, 'data/membership.db')}`
    const m = await createMembership({
      ...options(site),
      'membership.database.url': file,
      root: false,
      install: false,
      log: () => undefined,
    })
    fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret: webhook })
    const close = async () => {
      server.closeAllConnections()
      server.close()
      await m.close()
    }
    return { m, close }
  }
  const buys = async (m: Awaited<ReturnType<typeof open>>['m'], email: string) => {
    const user = await m.users.create({ email, verified: true })
    const { url } = await m.checkout.start({ user, price: 'price_pro' })
    await fake.pay(new URL(url).pathname.split('/').at(-1)!, { email })
    await fake.deliver()
    t.true((await m.users.findByEmail(email))?.hasGate('pro'), email)
  }

  const before = await open()
  await buys(before.m, 'ada@example.com')
  t.regex(await script('deploy/backup.sh'), /Backed up to/)
  const secret = textOf(folder, 'data/membership.secret')
  t.is(textOf(folder, 'backups/secrets/membership.secret'), secret)
  t.is(textOf(folder, 'backups/secrets/.env'), 'STRIPE_SECRET=sk_test_kept\n')
  const copies = readdirSync(join(folder, 'backups/copies'))
  t.false(
    copies.some((name) => /secret|env/.test(name)),
    'no secret lies beside the database',
  )
  const copy = copies.find((name) => name.endsWith('.db'))!

  await buys(before.m, 'bob@example.com')
  const ada = (await before.m.users.findByEmail('ada@example.com'))!
  const [subscription] = ada.subscriptions()
  await before.m.subscriptions.cancel({ user: ada, subscriptionId: subscription!.id })
  await before.close()
  rmSync(join(folder, 'data'), { recursive: true })
  rmSync(join(folder, '.env'))

  const said = await script('deploy/restore.sh', join(folder, 'backups/copies', copy), '2d')
  t.regex(said, /Restored/)
  t.regex(said, /Read \d+ events since/)
  t.is(textOf(folder, 'data/membership.secret'), secret, 'logins and links stay valid')
  t.true(existsSync(join(folder, '.env')))

  const after = await open()
  t.true((await after.m.users.findByEmail('ada@example.com'))?.hasGate('pro'))
  t.true(
    (await after.m.users.findByEmail('bob@example.com'))?.hasGate('pro'),
    'bought after the copy was made',
  )
  const restored = (await after.m.users.findByEmail('ada@example.com'))!.subscriptions()
  t.is(restored[0]?.cancel_at_period_end, true, 'cancelled after the copy was made')
  await after.close()
})
