import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { command } from '../../support/command.ts'
import { freePort } from '../../support/databases.ts'

const started = new Set<ChildProcess>()
test.after.always(() => {
  for (const child of started) child.kill('SIGKILL')
})

function run(folder: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: '', ...env },
  })
  started.add(child)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code as number | null) }
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  while (!/^http:\/\/127\.0\.0\.1:\d+$/m.test(output()) && child.exitCode === null)
    await new Promise((next) => setTimeout(next, 50))
}

async function folderFor(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-process-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test.serial(
  'start prints address, test cards and database, honours PORT and DATABASE_URL, and closes cleanly',
  async (t) => {
    const folder = await folderFor(t)
    const port = await freePort()
    const { child, output, ended } = run(folder, ['start'], {
      PORT: String(port),
      DATABASE_URL: 'sqlite:own.db',
    })
    await ready(child, output)
    t.regex(output(), new RegExp(`^http://127\\.0\\.0\\.1:${port}$`, 'm'))
    t.regex(output(), /4242 4242 4242 4242/)
    t.regex(output(), /own\.db/)
    t.notRegex(output(), /LISTENS ON/)
    for (const { address, internal, family } of Object.values(networkInterfaces()).flatMap((of) => of ?? []))
      if (!internal && family === 'IPv4')
        await t.throwsAsync(fetch(`http://${address}:${port}/`), undefined, 'it listens on loopback alone')
    t.is((await fetch(`http://127.0.0.1:${port}/`)).status, 200)

    const listed = run(folder, ['webhooks', 'list', '--json'], { DATABASE_URL: 'sqlite:own.db' })
    t.is(await listed.ended, 0)
    t.deepEqual(JSON.parse(listed.output()), [])

    child.kill('SIGINT')
    t.is(await ended, 0)
  },
)

test.serial('on a network address, the demo’s first screen says what anybody can do there', async (t) => {
  const folder = await folderFor(t)
  const { child, output, ended } = run(folder, ['start'], { PORT: '0', HOST: '0.0.0.0' })
  while (!/closes\. The site is ready/.test(output()) && child.exitCode === null)
    await new Promise((next) => setTimeout(next, 50))
  t.regex(output(), /LISTENS ON 0\.0\.0\.0: everybody on the network can buy without money, read every mail/)
  t.regex(output(), /log in as anybody/)
  t.regex(output(), /Only this machine: leave out --host and HOST/)
  child.kill('SIGINT')
  t.is(await ended, 0)
})

test.serial('a port in use is a clear message', async (t) => {
  const folder = await folderFor(t)
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const { output, ended } = run(folder, ['start'], { PORT: String(port) })
  t.is(await ended, 1)
  t.regex(output(), new RegExp(`Port ${port} on 127.0.0.1 is taken`))
  t.regex(output(), /PORT=/)
  t.notRegex(output(), /at .*\.ts:/, 'no stack')
})

test.serial('the sandbox is refused in production', async (t) => {
  const folder = await folderFor(t)
  const { output, ended } = run(folder, ['start'], { PORT: '0', NODE_ENV: 'production' })
  t.is(await ended, 1)
  t.regex(output(), /sandbox/)
})

test.serial('send signs a payload with the configured secret and posts it to the running site', async (t) => {
  const folder = await folderFor(t)
  const port = await freePort()
  const config = [
    'membership:',
    '  database:',
    '    url: sqlite:site.db',
    '  providers:',
    '    stripe:',
    '      webhook: whsec_of_this_test',
    '',
  ]
  await writeFile(join(folder, 'membership-site.yml'), config.join('\n'))
  const event = {
    id: 'evt_1',
    object: 'event',
    created: 1767225600,
    type: 'customer.created',
    livemode: false,
    data: { object: { id: 'cus_1', object: 'customer', email: 'ada@example.com' } },
  }
  await writeFile(join(folder, 'event.json'), JSON.stringify(event))
  const options = ['--config', 'membership-site.yml']
  const site = run(folder, ['start', ...options], { PORT: String(port) })
  await ready(site.child, site.output)

  const sent = run(folder, [
    'webhooks',
    'send',
    'event.json',
    '--provider',
    'stripe',
    '--url',
    `http://127.0.0.1:${port}`,
    ...options,
  ])
  t.is(await sent.ended, 0, sent.output())
  t.regex(sent.output(), /^200 /)
  const shown = run(folder, ['webhooks', 'show', 'evt_1', '--json', ...options])
  t.is(await shown.ended, 0)
  t.is((JSON.parse(shown.output()) as { status: string }).status, 'processed')

  const unknown = run(folder, ['webhooks', 'replay', 'evt_unknown', ...options])
  t.is(await unknown.ended, 1)
  t.regex(unknown.output(), /No received event evt_unknown/)
  t.notRegex(sent.output() + site.output(), /whsec_of_this_test/, 'no secret is printed')
  site.child.kill('SIGTERM')
  t.is(await site.ended, 0)
})

test.serial('help has examples', async (t) => {
  const folder = await folderFor(t)
  const { output, ended } = run(folder, ['webhooks', '--help'])
  t.is(await ended, 0)
  t.regex(output(), /Examples:/)
})
