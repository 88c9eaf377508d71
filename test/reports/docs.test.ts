import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { type RunningSite, startSite } from '../../src/site/runtime/start.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const part = readFileSync(join(root, 'docs/website-index.md'), 'utf8')
  .split(/^## /m)
  .find((item) => item.startsWith('Try it'))
const block = /^```sh\n([\s\S]*?)^```$/m.exec(part ?? '')?.[1] ?? ''
const commands = block.split('\n').filter((line) => line.includes('curl '))

let site: RunningSite
let folder = ''
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'membership-readme-'))
  site = await startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
  })
})
test.after.always(async () => {
  await site?.close()
  await rm(folder, { recursive: true, force: true })
})

test('docs/website-index.md has curl lines', (t) => {
  t.true(commands.length >= 9)
  t.true(block.includes('API=http://127.0.0.1:3000/reports'))
})

test.serial('the curl lines of docs/website-index.md work as printed, without a network', async (t) => {
  t.truthy(site.demoKey)
  let id = ''
  for (const line of commands) {
    const [, command = '', status = ''] = /^(.*?)\s+# (\d{3}): /.exec(line) ?? []
    t.truthy(status, `no status is written behind: ${line}`)
    const shown = command.replaceAll('curl ', String.raw`curl -sS -w '\n%{http_code}' `)
    const { stdout } = await run('bash', ['-c', shown], {
      cwd: root,
      env: { ...process.env, KEY: site.demoKey ?? '', API: `${site.url}/reports`, ID: id },
    })
    const lines = stdout.split('\n')
    t.is(lines.at(-1), status, command + stdout)
    const answer = lines.slice(0, -1).join('\n')
    if (Number(status) >= 400) t.regex(answer, /"action":"[^"]{10,}/, command)
    if (status === '201') id = (JSON.parse(answer) as { data: { id: string } }).data.id
  }
})

test.serial('the key is shown at the first start only', async (t) => {
  const again = await startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'other.db')}`,
    port: 0,
    host: '127.0.0.1',
  }).catch((error: { code: string }) => error.code)
  // One instance a process: the second one is refused, so a third start of the same folder is tried after closing.
  t.is(again, 'ERR_INSTALLED')
  await site.close()
  site = await startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
  })
  t.is(site.demoKey, null)
})

test.serial('in the demo only the names of its own websites lead to this machine', async (t) => {
  const { key } = await site.membership.reports.keys.issue('partner@neap.example')
  for (const url of [
    'http://localhost/',
    'http://127.0.0.1/',
    'http://other.example/',
    'http://harbour.example:8080/',
  ]) {
    const answer = await fetch(`${site.url}/reports?url=${encodeURIComponent(url)}`, {
      method: 'POST',
      headers: { 'X-API-KEY': key },
    })
    t.is(answer.status, 422, url)
    t.is(((await answer.json()) as { code: string }).code, 'ERR_URL_NOT_ALLOWED', url)
  }
})
