import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createLines } from '../../src/cli/progress-bar.ts'
import { uncommitted } from '../../src/migrate/git.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { Database } from '../support/sqlite.ts'

function run(cwd: string, ...args: string[]) {
  return runCommand(cwd, args)
}

async function siteOf(t: ExecutionContext, name = 'site-magazine'): Promise<string> {
  const folder = await emptyFolder(t)
  cpSync(join(import.meta.dirname, '../fixtures/migrate', name, 'v1'), join(folder, 'site'), {
    recursive: true,
  })
  return folder
}
function config(folder: string) {
  return readFileSync(join(folder, 'site/site/config/config.php'), 'utf8')
}

test('plan, check, write, check, roll back: exit codes show the state, and pipes stay quiet', async (t) => {
  const folder = await siteOf(t, 'config-php-flat')
  const before = config(folder)
  const plan = await run(folder, 'migrate', 'site')
  t.deepEqual([plan.code, plan.stderr], [0, ''])
  t.is(config(folder), before)

  t.is((await run(folder, 'migrate', 'site', '--check')).code, 2)
  const json = await run(folder, 'migrate', 'site', '--check', '--json')
  t.is(json.code, 2)
  t.is((JSON.parse(json.stdout) as { isDone: boolean }).isDone, false)

  const write = await spawnCommand(folder, ['migrate', 'site', '--write'])
  t.deepEqual([write.code, write.stderr], [0, ''])
  t.not(config(folder), before)
  t.is((await run(folder, 'migrate', 'site', '--check', '--only', 'config')).code, 0)

  t.is((await run(folder, 'migrate', 'site', '--rollback')).code, 0)
  t.is(config(folder), before)
  t.is((await run(folder, 'migrate', 'site', '--rollback')).code, 1)
})

test('--dry-run is the default and says so; it cannot be combined with --write', async (t) => {
  const folder = await siteOf(t, 'config-php-flat')
  const before = config(folder)
  const dry = await run(folder, 'migrate', 'site', '--dry-run')
  t.is(dry.code, 0)
  t.regex(dry.stderr, /--dry-run is the default: nothing is changed without --write/)
  t.is(dry.stdout, (await run(folder, 'migrate', 'site')).stdout)
  t.is(config(folder), before)
  t.is((await run(folder, 'migrate', 'site', '--dry-run', '--write')).code, 1)
  t.is(config(folder), before)
})

test('without a terminal, a long run writes a line every few seconds, and a short one none', (t) => {
  let now = 0
  const lines: string[] = []
  const { show } = createLines(
    () => now,
    (line) => lines.push(line),
  )
  for (let done = 0; done < 20_000; done += 200) {
    show('accounts', done, 20_000)
    now += 100
  }
  t.deepEqual(lines, [
    'accounts: 6000 of 20000\n',
    'accounts: 12000 of 20000\n',
    'accounts: 18000 of 20000\n',
  ])
  lines.length = 0
  show('templates', 1, 3, 'a.php')
  now += 5000
  show('templates', 2, 3, 'b.php')
  t.deepEqual(lines, ['a.php took 5 s\n', 'templates: 2 of 3 (b.php)\n'])
})

test('--only selects parts, and lists the valid ones', async (t) => {
  const folder = await siteOf(t)
  const only = JSON.parse(
    (await run(folder, 'migrate', 'site', '--json', '--only', 'blueprints,accounts')).stdout,
  )
  t.deepEqual(
    [...new Set((only as { changes: { part: string }[] }).changes.map(({ part }) => part))].sort(),
    ['accounts', 'blueprints'],
  )
  const wrong = await run(folder, 'migrate', 'site', '--only', 'kitchen')
  t.is(wrong.code, 1)
  t.regex(
    wrong.stderr,
    /"kitchen" is no part.*\n→ Use one or more of: config,env,blueprints,templates,accounts/,
  )
})

test('contradicting flags and a missing folder are clear errors', async (t) => {
  const folder = await siteOf(t)
  t.regex((await run(folder, 'migrate', 'site', '--write', '--rollback')).stderr, /do not go together/)
  t.regex((await run(folder, 'migrate', 'nowhere')).stderr, /There is no folder "nowhere"/)
})

test('--html writes a page for its owner only, and never where the web server publishes it', async (t) => {
  const folder = await siteOf(t)
  t.is((await run(folder, 'migrate', 'site', '--html', 'plan.html')).code, 0)
  t.is(statSync(join(folder, 'plan.html')).mode & 0o777, 0o600)
  t.regex((await run(folder, 'migrate', 'site', '--html', 'site/plan.html')).stderr, /web server would show/)
  t.regex((await run(folder, 'migrate', 'site', '--html', 'site/index.php')).stderr, /web server would show/)
  t.false(readdirSync(join(folder, 'site')).includes('plan.html'))
})

test('--help has examples, for each command', async (t) => {
  const folder = await emptyFolder(t)
  for (const command of ['migrate', 'doctor', 'members']) {
    const { stdout, code } = await run(folder, command, '--help')
    t.is(code, 0)
    t.regex(stdout, /Examples:/)
  }
})

test('doctor finds leftovers, as JSON too', async (t) => {
  const folder = await siteOf(t)
  const { stdout, code } = await run(folder, 'doctor', 'site', '--json')
  t.is(code, 2)
  const { isWell, checks } = JSON.parse(stdout) as { isWell: boolean; checks: { status: string }[] }
  t.false(isWell)
  t.true(checks.some((check) => check.status === 'problem'))
})

test('a command in a folder without a site says where it looked and creates nothing', async (t) => {
  const folder = await emptyFolder(t)
  const commands = [['webhooks', 'list'], ['doctor'], ['migrate', '--check']]
  for (const command of commands) {
    const { code, stdout, stderr } = await run(folder, ...command)
    t.not(code, 0, command.join(' '))
    // A random name may look like a secret, and is masked then.
    t.true(`${stdout}${stderr}`.includes(dirname(folder)), `${stdout}${stderr}`)
    t.notRegex(stdout, /No problem|Nothing left/)
    t.deepEqual(readdirSync(folder), [])
  }
})

test('a query about a missing database names both and creates nothing', async (t) => {
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.yml'), 'membership.database.url: sqlite:data/gone.db\n')
  const questions = ['partners list', 'webhooks list', 'outbox list', 'crawl status', 'keys list']
  for (const question of questions) {
    const { code, stderr } = await run(folder, ...question.split(' '))
    t.is(code, 1, question)
    t.regex(
      stderr,
      /no database at .*gone\.db.* names: no site has started with it yet\. Nothing was made/,
      question,
    )
  }
  t.regex((await run(folder, 'doctor')).stdout, /There is no database at .*gone\.db yet/)
  t.deepEqual(readdirSync(folder), ['config'])
})

test('a query about an older database names its version and leaves it unchanged', async (t) => {
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.yml'), 'membership.database.url: sqlite:older.db\n')
  const older = join(folder, 'older.db')
  const database = new Database(older)
  database.exec(`create table membership_migrations (number integer primary key not null, name text, applied_at text);
    insert into membership_migrations values (1, '0001-foundation', '2025-01-01T00:00:00.000Z');
    create table events (id text); insert into events values ('evt_1')`)
  database.close()
  const before = readFileSync(older)
  for (const question of [
    'webhooks list',
    'partners list',
    'outbox list',
    'crawl status',
    'keys issue ann',
    'reports exclude example.com --reason spam',
  ]) {
    const { code, stderr } = await run(folder, ...question.split(' '))
    t.is(code, 1, question)
    t.regex(stderr, /database at .*older\.db.* before 2\.0\.0-rc\.1\. Nothing/)
    t.regex(stderr, /commit [0-9a-f]{8}/, question)
  }
  t.deepEqual(readdirSync(folder).sort(), ['config', 'older.db'])
  t.true(readFileSync(older).equals(before))
})

test('commands that need no database work without it, and create none', async (t) => {
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.yml'), 'membership.database.url: sqlite:data/gone.db\n')
  mkdirSync(join(folder, 'old/site/accounts/k1'), { recursive: true })
  writeFileSync(
    join(folder, 'old/site/accounts/k1/index.php'),
    "<?php return ['email' => 'ida@example.com'];",
  )
  const dry = await run(folder, 'members', 'import', 'old')
  t.is(dry.code, 0, dry.stderr)
  t.regex(dry.stdout, /1 to create/)
  t.false(readdirSync(folder).includes('data'))
  t.is((await run(folder, 'members', 'import', 'old', '--write')).code, 0)
  t.true(readdirSync(join(folder, 'data')).includes('gone.db'))
})

test('uncommitted files are listed before anything is written, and nothing that a folder configures is run', async (t) => {
  const folder = join(await siteOf(t, 'config-php-flat'), 'site')
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...args], { cwd: folder })
  if (git('init', '-q').status !== 0) return void t.log('git is not installed')
  writeFileSync(join(folder, '.gitattributes'), '* filter=own=x\n')
  git('add', '.')
  git('commit', '-qm', 'all')
  t.deepEqual(await uncommitted(folder), [])

  const trap = join(folder, '../trap.sh')
  writeFileSync(trap, `#!/bin/sh\necho ran >> '${folder}/../ran'\ncat\n`)
  chmodSync(trap, 0o755)
  for (const key of ['core.fsmonitor', 'filter.own=x.clean', 'filter.own=x.process', 'core.pager'])
    git('config', key, trap)
  git('config', 'filter.own=x.required', 'true')
  writeFileSync(
    join(folder, 'site/config/config.php'),
    `${readFileSync(join(folder, 'site/config/config.php'))}\n`,
  )
  writeFileSync(join(folder, 'new file.txt'), 'new')
  t.deepEqual((await uncommitted(folder)).sort(), ['new file.txt', 'site/config/config.php'])
  const { code, stderr } = await run(folder, 'migrate', '.', '--write')
  t.is(code, 0)
  t.regex(stderr, /not committed to git yet: .*config\.php/)
  t.false(readdirSync(join(folder, '..')).includes('ran'))
  t.deepEqual(await uncommitted(join(folder, '..')), [])
})
