import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership } from '../../../src/index.ts'
import { spawnCommand } from '../../support/command.ts'
import { openLeakySite, readLeakFixture } from '../../support/leaky-site.ts'

/** A folder with a configuration, in which each command is a process of its own. */
function folderWith(t: ExecutionContext, membership: object) {
  const folder = mkdtempSync(join(tmpdir(), 'membership-commands-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'membership.config.json'), JSON.stringify({ membership }))
  const run = (...args: string[]) =>
    spawnCommand(folder, [...args, ...(args.includes('--help') ? [] : ['-c', 'membership.config.json'])], {
      env: { NO_COLOR: '1' },
    })
  return { folder, run }
}

test('doctor --leaks is a command for CI: its help has an example, and its exit code tells leaks from failures', async (t) => {
  const secret = 'a secret of the planted site, long enough'
  const plans = { pro: { prices: ['price_pro'] }, team: { prices: ['price_team'] } }
  const { run } = folderWith(t, {
    secret,
    provider: { handler: 'sandbox' },
    providers: { sandbox: { plans } },
  })
  const help = await run('doctor', '--help')
  t.is(help.code, 0)
  for (const text of [
    '--leaks <site>',
    '--sitemap',
    '--address',
    '--json',
    'membership doctor --leaks https://',
  ])
    t.true(help.stdout.includes(text), text)

  const clean = await openLeakySite(t, readLeakFixture('clean'))
  const well = await run('doctor', '--leaks', clean.site)
  t.deepEqual([well.code, well.stderr], [0, ''])
  t.regex(well.stdout, /2 closed pages\.\nNo leak was found\.\n$/)

  const { texts } = readLeakFixture('planted')
  const planted = await openLeakySite(t, {
    plans: ['pro'],
    texts,
    leaks: [],
    routes: {
      '/': { body: '<a href="/chapter">One</a>' },
      '/chapter': {
        body: 'For members.',
        member: { body: '{{chapter}}', headers: { 'cache-control': 'private, no-store' } },
      },
      '/old.html': { body: '{{chapter}}' },
      '/news.xml': {
        type: 'application/xml',
        body: '<urlset><url><caption>{{chapter}}</caption></url></urlset>',
      },
    },
  })
  const more = ['--address', '/old.html', '--sitemap', '/news.xml']
  const leaking = await run('doctor', '--leaks', planted.site, ...more)
  t.is(leaking.code, 2)
  for (const [kind, path] of [
    ['old-address', '/old.html'],
    ['sitemap', '/news.xml'],
  ] as const)
    t.true(
      leaking.stdout.includes(
        `problem  ${kind}: nobody reads content of ${planted.site}/chapter at ${planted.site}${path} (`,
      ),
      leaking.stdout,
    )
  t.regex(leaking.stdout, /\n2 leaks\.\n$/)
  // No paid text is printed beyond ten words.
  for (const [, evidence = ''] of leaking.stdout.matchAll(/\(([^()]*)\)$/gm))
    t.true(evidence.split(/\s+/).length <= 10, evidence)
  const report = await run('doctor', '--leaks', planted.site, ...more, '--json')
  t.deepEqual([report.code, JSON.parse(report.stdout).leaks.length], [2, 2])

  for (const site of ['http://127.0.0.1:1', 'not-an-address']) {
    const away = await run('doctor', '--leaks', site)
    t.deepEqual([away.code, away.stdout], [1, ''], site)
    t.regex(away.stderr, /ERR_(REFUSED|USAGE)|did not prove|no address of a site/)
  }
})

test('restore and after-restore end the addresses of feeds, unless --keep-feeds is given', async (t) => {
  const { folder, run } = folderWith(t, { database: { url: 'sqlite:./site.db' }, secret: 'x'.repeat(32) })
  const feeds = { '/podcast.xml': () => '<rss/>' }
  const open = () =>
    createMembership({
      'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
      'membership.secret': 'x'.repeat(32),
      'membership.url': 'http://localhost',
      feeds,
      install: false,
      root: false,
      log: () => undefined,
    })
  const ask = async (url: string) => {
    const m = await open()
    try {
      return (await m.fetch(new Request(url))).status
    } finally {
      await m.close()
    }
  }
  const m = await open()
  const user = await m.users.create({ email: 'ann@example.com', verified: true })
  const url = await m.feeds.url(user, '/podcast.xml')
  await m.close()
  t.is((await run('backup', 'copy.db')).code, 0)
  for (const command of ['restore', 'after-restore']) {
    const help = await run(command, '--help')
    t.deepEqual([help.code, help.stdout.includes(`membership ${command}`)], [0, true])
    t.regex(help.stdout.split('Examples:')[1] ?? '', /--keep-feeds/)
  }

  const kept = await run('restore', 'copy.db', '--keep-feeds', '--json')
  t.is(kept.code, 0, kept.stderr)
  t.is(JSON.parse(kept.stdout).ended.feeds, 0)
  t.is(await ask(url), 200)
  const again = await run('after-restore', '--keep-feeds', '--json')
  t.deepEqual([again.code, JSON.parse(again.stdout).ended.feeds], [0, 0])
  t.is(await ask(url), 200)

  const ended = await run('restore', 'copy.db')
  t.is(ended.code, 0)
  t.regex(ended.stdout, /1 addresses of feeds/)
  t.is(await ask(url), 404)
  cpSync(join(folder, 'copy.db'), join(folder, 'site.db'))
  for (const end of ['-wal', '-shm']) rmSync(join(folder, `site.db${end}`), { force: true })
  t.is(await ask(url), 200, 'a copy that was put in place by hand')
  const after = await run('after-restore', '--json')
  t.deepEqual([after.code, JSON.parse(after.stdout).ended.feeds], [0, 1])
  t.is(await ask(url), 404)
  t.is((await run('restore', 'missing.db')).code, 1)
})

test('after-restore refuses a living site, and restore refuses the site’s own file', async (t) => {
  const { folder, run } = folderWith(t, { database: { url: 'sqlite:./site.db' }, secret: 'x'.repeat(32) })
  const m = await createMembership({
    'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
    'membership.secret': 'x'.repeat(32),
    install: false,
    root: false,
    log: () => undefined,
  })
  const living = await run('after-restore', '--json')
  t.is(living.code, 1)
  t.like(JSON.parse(living.stdout).error, { code: 'ERR_ACTION_REFUSED' })
  t.regex(living.stderr, /Stop the site/)
  await m.close()
  const own = await run('restore', './site.db', '--json')
  t.is(own.code, 1)
  t.like(JSON.parse(own.stdout).error, { code: 'ERR_USAGE' })
  t.regex(own.stderr, /is the site’s own database/)
  t.is((await run('after-restore')).code, 0, 'the site has stopped')
})
