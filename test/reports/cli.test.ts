import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { crawlCommand } from '../../src/cli/crawl-command.ts'
import { detectCommand } from '../../src/cli/detect-command.ts'
import { keysCommand } from '../../src/cli/keys-command.ts'
import { partnersCommand } from '../../src/cli/partners-command.ts'
import { reportsCommand } from '../../src/cli/reports-command.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { type Ended, runCommand, spawnCommand } from '../support/command.ts'
import { strictRows } from '../support/strict-csv.ts'
import { kirbyPage, plainPage, startWeb } from '../support/web.ts'

function settings(more: readonly string[] = []) {
  return [
    'membership:',
    '  url: https://index.example.com',
    '  database:',
    '    url: sqlite:site.db',
    '  reports:',
    '    system: kirby',
    '    contact: index@operator.example',
    ...more,
    '',
  ].join('\n')
}

async function folderWith(t: ExecutionContext, config: string) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-operator-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'config'))
  await writeFile(join(folder, 'config', 'membership.yml'), config)
  return folder
}

/** Hosts that could be anybody's, on our own web. */
function hosts() {
  return {
    'one.example.com': { '/': kirbyPage('One') },
    'two.example.com': { '/': kirbyPage('Two'), '/blog': kirbyPage('Blog') },
    'three.example.org': { '/': kirbyPage('Three') },
    'plain.example.net': { '/': plainPage() },
  }
}

/** A site's folder with an index in it, as it is before each test. */
async function startSite(t: ExecutionContext) {
  const folder = await folderWith(t, settings())
  const web = await startWeb(hosts())
  t.teardown(web.close)
  const open = () =>
    createMembership({
      install: false,
      root: false,
      log: () => undefined,
      'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
      'membership.reports.system': 'kirby',
      'membership.reports.contact': 'index@operator.example',
      'membership.reports.crawl.enabled': false,
      'membership.reports.crawl.pause_seconds': 0,
      'membership.reports.crawl.follow_links': false,
      reports: {
        ...web.options,
        policy: { allowsHost: () => true, allowsAddress: (address) => address === '127.0.0.1' },
      },
    })
  /** Works on the database with the library, then leaves it to the program. */
  const within = async <T>(work: (m: Membership) => Promise<T>): Promise<T> => {
    const m = await open()
    try {
      return await work(m)
    } finally {
      await m.close()
    }
  }
  const run = (...args: string[]) => runCommand(folder, args)
  const give = (input: string, ...args: string[]) => runCommand(folder, args, { input })
  return { folder, web, within, run, give }
}

/** Adds websites as a partner does, over HTTP without a socket. */
async function add(m: Membership, key: string, ...urls: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const url of urls) {
    const answer = await m.fetch(
      new Request(`http://index.example/reports?url=${encodeURIComponent(url)}`, {
        method: 'POST',
        headers: { 'X-API-KEY': key },
      }),
    )
    const body = (await answer.json()) as { data?: { id: string }; id?: string }
    ids.push(body.data?.id ?? body.id ?? JSON.stringify(body))
  }
  return ids
}

async function partnerOf(m: Membership, name: string) {
  const { id } = await m.reports.partners.add({ name, email: `${name.toLowerCase()}@partner.example` })
  return { id, key: (await m.reports.keys.issue(id)).key }
}

function json<T>({ stdout }: Ended) {
  return JSON.parse(stdout) as T
}

/** Random parts are named by what they are. */
function settled(text: string, names: Readonly<Record<string, string>> = {}): string {
  let settledText = text
  for (const [value, name] of Object.entries(names)) settledText = settledText.replaceAll(value, name)
  return settledText.replaceAll(/\b(prt|key|rpt|bat|exc)_[0-9A-Za-z_-]{16,}/g, '$1_…')
}

test('partners: add, list, suspend, resume', async (t) => {
  const { folder, run, within } = await startSite(t)
  await within(async () => undefined)
  t.is((await run('partners', 'list')).stdout, 'No partners.\n')
  const added = await run('partners', 'add', '--name', 'Acme', '--email', 'Index@Acme.example')
  t.deepEqual(
    [added.code, settled(added.stdout), added.stderr],
    [0, 'Added Acme <index@acme.example>: prt_…\n→ Issue a key: membership keys issue prt_…\n', ''],
  )
  const twice = await run('partners', 'add', '--name', 'Acme', '--email', 'index@acme.example')
  t.is(twice.code, 1)
  t.regex(twice.stderr, /already\.\n→ membership partners list\n\(ERR_USAGE\)/)

  const suspended = await run('partners', 'suspend', 'index@acme.example', '--json')
  t.is(json<{ status: string }>(suspended).status, 'suspended')
  t.regex(
    (await run('partners', 'list')).stdout,
    /^prt_\S+ {2}suspended {2}0 websites {2}0 keys {2}index@acme/,
  )
  t.regex((await run('partners', 'resume', 'index@acme.example')).stdout, /^Acme \(prt_\S+\) is active\.\n$/)
  const [listed] = json<Record<string, unknown>[]>(await run('partners', 'list', '--json'))
  t.deepEqual(Object.keys(listed!), ['id', 'name', 'email', 'status', 'created_at', 'websites', 'keys'])

  const unknown = await run('partners', 'suspend', 'nobody@acme.example')
  t.is(unknown.code, 1)
  t.regex(unknown.stderr, /ERR_NOT_FOUND/)
  const missing = await spawnCommand(folder, ['partners', 'add', '--name', 'x'])
  t.is(missing.code, 1)
  t.regex(missing.stderr, /required option '--email <address>'/)
})

test('keys: issued keys work, are shown once, and end by rotation and revocation', async (t) => {
  const { run, within } = await startSite(t)
  await within((m) => m.reports.partners.add({ name: 'Acme', email: 'index@acme.example' }))
  const issued = await run(
    'keys',
    'issue',
    'index@acme.example',
    '--label',
    'build',
    '--scope',
    'read',
    '--expires',
    '2099-01-01',
  )
  const [key = ''] = issued.stdout.split('\n')
  t.regex(key, /^mk_[0-9A-Za-z]{46}$/)
  t.regex(issued.stdout, /shown only once/)
  t.regex(issued.stdout, /: read; expires 2099-01-01 00:00:00 UTC\./)

  const list = await run('keys', 'list')
  t.regex(
    list.stdout,
    new RegExp(`…${key.slice(-4)} {2}until 2099-01-01 {2}read {2}prt_\\S+ {2}used - {2}build`),
  )
  const entries = await run('keys', 'list', 'index@acme.example', '--json')
  t.false(`${list.stdout}${entries.stdout}`.includes(key))
  t.false('hash' in json<object[]>(entries)[0]!)

  const rotated = json<{ key: string; old_key_until: string }>(await run('keys', 'rotate', key, '--json'))
  t.not(rotated.key, key)
  t.regex(rotated.old_key_until, /^\d{4}-/)
  t.regex((await run('keys', 'revoke', key.slice(-4))).stdout, /Would revoke key_[\s\S]*--write does it/)
  t.is((await run('keys', 'revoke', key.slice(-4), '--write')).code, 0)
  t.regex((await run('keys', 'list')).stdout, /revoked \d{4}-/)
  await within(async (m) => {
    await t.throwsAsync(m.reports.keys.authenticate(key), { message: /revoked/ })
    t.deepEqual((await m.reports.keys.authenticate(rotated.key)).scopes, ['read'])
    t.true((await m.reports.audit.list()).every(({ actor }) => /^operator/.test(actor)))
  })
})

test('keys: mistakes are explained with their fix', async (t) => {
  const { run, within } = await startSite(t)
  await within((m) => m.reports.partners.add({ name: 'Acme', email: 'index@acme.example' }))
  const wrong = async (...args: string[]) => {
    const { code, stderr, stdout } = await run('keys', ...args)
    t.deepEqual([code, stdout], [1, ''])
    return stderr
  }
  t.regex(await wrong('issue', 'nobody'), /membership partners list/)
  t.regex(await wrong('issue', 'index@acme.example', '--scope', 'admin'), /--scope read,write/)
  t.regex(await wrong('issue', 'index@acme.example', '--expires', '2020-01-01'), /in the future/)
  t.regex(await wrong('issue', 'index@acme.example', '--expires', '2099-02-31'), /Give a day, such as/)
  t.regex(await wrong('revoke', 'nothing'), /membership keys list/)
})

const list =
  '\ufeffone.example.com\r\nhttp://www.two.example.com/\r\n\r\n# theirs\r\nthree.example.org # ours?\r\nmissing.example.com\r\n=cmd|x\r\none.example.com/\r\n@home,"x"\r\n'

async function relinkSite(t: ExecutionContext) {
  const site = await startSite(t)
  const names = await site.within(async (m) => {
    const [acme, other] = [await partnerOf(m, 'Acme'), await partnerOf(m, 'Other')]
    const [first] = await add(m, acme.key, 'http://one.example.com/')
    const [two, three] = await add(m, other.key, 'http://two.example.com/', 'http://three.example.org/')
    await m.reports.operator.exclude('kept-out.example.com', 'asked')
    return { [acme.id]: 'ACME', [other.id]: 'OTHER', [first!]: 'ONE', [two!]: 'TWO', [three!]: 'THREE' }
  })
  const acme = ['--partner', 'acme@partner.example']
  const ownerOf = (url: string) =>
    site.within(async (m) => names[(await m.reports.operator.get(url)).row.partner_id ?? ''])
  return { ...site, names, acme, ownerOf }
}

test('relink as text: a dry run changes nothing, --write applies it, --undo reverts it', async (t) => {
  const { folder, give, run, names, acme, ownerOf } = await relinkSite(t)
  // Through a real pipe.
  const dry = await spawnCommand(folder, ['reports', 'relink', '-', ...acme], { input: list })
  t.is(dry.code, 2)
  t.is(
    settled(dry.stdout, names),
    [
      '     1  already-linked  one.example.com',
      '     2  reassigned      http://www.two.example.com/  (from OTHER)',
      '     5  reassigned      three.example.org            (from OTHER)',
      '     6  not-found       missing.example.com          (nearest: http://one.example.com/)',
      '     7  invalid         =cmd|x                       (no address of a public website)',
      '     8  duplicate       one.example.com/             (line 1)',
      '     9  invalid         @home,"x"                    (no address of a public website)',
      '',
      '9 lines for Acme: 1 already-linked, 2 reassigned, 1 not-found, 2 invalid, 1 duplicate, 2 blank or comment.',
      'Nothing was written. Run the command again with --write.',
      '',
    ].join('\n'),
  )
  t.is(await ownerOf('two.example.com'), 'OTHER')

  const written = await give(list, 'reports', 'relink', '-', ...acme, '--write')
  t.is(written.code, 2)
  const batch = /^Written as (bat_\S+)\.$/m.exec(written.stdout)?.[1] ?? ''
  t.true(written.stdout.endsWith(`→ Undo: membership reports relink --undo ${batch}\n`))
  t.is(await ownerOf('two.example.com'), 'ACME')

  t.regex((await run('reports', 'relink', '--undo', batch, ...acme)).stderr, /--undo stands alone/)
  const undone = await run('reports', 'relink', '--undo', batch)
  t.deepEqual([undone.code, undone.stdout], [0, 'Undone: 2 websites as before.\n'])
  t.is(await ownerOf('two.example.com'), 'OTHER')
  const again = await run('reports', 'relink', '--undo', batch)
  t.is(again.code, 1)
  t.regex(again.stderr, /was undone on/)
})

test('relink as CSV: RFC 4180, and no cell is a formula', async (t) => {
  const { give, names, acme } = await relinkSite(t)
  const lines = 'one.example.com\n=HYPERLINK("http://x","y")\n+1\n-1\n@SUM(A1)\nkept-out.example.com\na,b\n'
  const { code, stdout, stderr } = await give(lines, 'reports', 'relink', '-', ...acme, '--format', 'csv')
  t.is(code, 2)
  t.is(
    settled(stdout, names),
    [
      'line,text,outcome,report_id,detail',
      '1,one.example.com,already-linked,ONE,',
      `2,"'=HYPERLINK(""http://x"",""y"")",invalid,,no address of a public website`,
      `3,'+1,invalid,,no address of a public website`,
      `4,'-1,invalid,,no address of a public website`,
      `5,'@SUM(A1),invalid,,no address of a public website`,
      '6,kept-out.example.com,excluded,,',
      '7,"a,b",invalid,,no address of a public website',
      '',
    ].join('\r\n'),
  )
  t.is(strictRows(stdout).length, 7)
  t.is(stderr, '7 lines for Acme: 1 already-linked, 5 invalid, 1 excluded.\nThere is nothing to write.\n')
})

test('relink as JSON, from a file; it exits with 0 when every line was matched', async (t) => {
  const { folder, run, names, acme } = await relinkSite(t)
  await writeFile(join(folder, 'list.txt'), 'one.example.com\ntwo.example.com')
  const written = await run('reports', 'relink', 'list.txt', ...acme, '--write', '--format', 'json')
  t.deepEqual([written.code, written.stderr], [0, ''])
  const result = JSON.parse(settled(written.stdout, names)) as { lines: object[] }
  t.deepEqual(result as unknown, {
    partner: { id: 'ACME', name: 'Acme' },
    lines: [
      { line: 1, text: 'one.example.com', outcome: 'already-linked', report_id: 'ONE', detail: null },
      { line: 2, text: 'two.example.com', outcome: 'reassigned', report_id: 'TWO', detail: 'from OTHER' },
    ],
    counts: {
      linked: 0,
      'already-linked': 1,
      reassigned: 1,
      'not-found': 0,
      ambiguous: 0,
      invalid: 0,
      excluded: 0,
      duplicate: 0,
    },
    skipped: 0,
    batch: 'bat_…',
    undo: 'membership reports relink --undo bat_…',
  })
  const same = await run('reports', 'relink', 'list.txt', ...acme, '--write', '--json')
  t.is(json<{ batch: null }>(same).batch, null)
})

test('relink: mistakes are explained with their fix', async (t) => {
  const { run, give, acme } = await relinkSite(t)
  const wrong = async (ended: Promise<Ended>) => {
    const { code, stderr, stdout } = await ended
    t.deepEqual([code, stdout], [1, ''])
    t.notRegex(stderr, /at .*\.ts:/, 'no stack')
    return stderr
  }
  t.regex(await wrong(run('reports', 'relink', 'nowhere.txt', ...acme)), /nowhere\.txt cannot be read/)
  t.regex(await wrong(run('reports', 'relink')), /A list and a partner are needed/)
  t.regex(await wrong(run('reports', 'relink', '--undo', 'bat_0')), /There is no batch "bat_0"/)
  t.regex(await wrong(give('x', 'reports', 'relink', '-', '--partner', 'nobody')), /membership partners list/)
  t.regex(await wrong(give('x', 'reports', 'relink', '-', ...acme, '--format', 'xml')), /Allowed choices/)
  const long = 'x\n'.repeat(100_001)
  t.regex(await wrong(give(long, 'reports', 'relink', '-', ...acme)), /100001 lines; 100000 are the most/)
})

test('terminal control characters are removed', async (t) => {
  const { give, acme } = await relinkSite(t)
  const { stdout } = await give('\u001b[2Jevil\u202e\n', 'reports', 'relink', '-', ...acme)
  t.false(stdout.includes('\u001b') || stdout.includes('\u202e'))
  t.regex(stdout, /\ufffd\[2Jevil\ufffd/)
})

test('show, exclude, restore, excluded and audit', async (t) => {
  const { run, within, names } = await relinkSite(t)
  const show = await run('reports', 'show', 'one.example.com')
  t.is(show.code, 0)
  t.regex(
    settled(show.stdout, names),
    /^id {13}ONE\nurl {12}http:\/\/one\.example\.com\/\nstatus {9}listed\n/,
  )
  t.regex(show.stdout, /system {9}Kirby 4\.5\.0\n/)
  t.regex(show.stdout, /Checks\n {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}listed/)
  const shown = json<Record<string, unknown>>(await run('reports', 'show', 'one.example.com', '--json'))
  t.is(shown.indexed, true)
  t.is(names[shown.partner_id as string], 'ACME')
  t.false('data' in shown)
  const missing = await run('reports', 'show', 'https://nowhere.example.com')
  t.deepEqual([missing.code, missing.stdout], [1, ''])
  t.regex(missing.stderr, /ERR_NOT_FOUND/)

  const excluded = await run('reports', 'exclude', 'example.com', '--reason', 'the owner asked')
  t.is(
    excluded.stdout,
    'Excluded example.com: 2 websites taken out.\n→ Undo: membership reports restore example.com\n',
  )
  t.regex(
    (await run('reports', 'excluded')).stdout,
    /^example\.com {2,}for everyone {2}for good {2}the owner asked$/m,
  )
  t.is(json<object[]>(await run('reports', 'excluded', '--json')).length, 2)
  t.regex((await run('reports', 'show', 'one.example.com')).stdout, /status {9}rejected \(excluded\)/)
  t.regex((await run('reports', 'exclude', 'example.com')).stderr, /required option '--reason <text>'/)
  t.regex((await run('reports', 'exclude', 'no host', '--reason', 'x')).stderr, /is no host and no address/)

  t.is(
    (await run('reports', 'restore', 'example.com')).stdout,
    'Restored example.com: 2 websites to check.\n',
  )
  const twice = await run('reports', 'restore', 'example.com')
  t.is(twice.code, 1)
  t.regex(twice.stderr, /is not excluded.\n→ .*membership reports excluded/)

  const audit = await run('reports', 'audit', 'example.com')
  t.regex(
    audit.stdout,
    /operator\S* {2}restore {2}example\.com\n.* operator\S* {2}exclude {2}example\.com {2}\{"reason":"the owner asked"\}\n$/,
  )
  const rows = json<{ details: object }[]>(await run('reports', 'audit', '--limit', '1', '--json'))
  t.deepEqual(
    rows.map(({ details }) => details),
    [{}],
  )
  t.regex((await run('reports', 'audit', '--limit', 'all')).stderr, /Give a number from 1 to 10000/)
  t.is(await within(async (m) => (await m.reports.operator.exclusions()).length), 1)
})

test('review lists cases; accepting and excluding close them', async (t) => {
  const { run, within, names } = await relinkSite(t)
  t.is((await run('reports', 'review')).stdout, 'No cases.\n')
  const [plain] = await within(async (m) => {
    const { key } = await partnerOf(m, 'Third')
    return add(m, key, 'http://plain.example.net/')
  })
  const review = await run('reports', 'review')
  t.regex(review.stdout, new RegExp(`${plain} {2}http://plain\\.example\\.net/ {2}\\(0 of 100: `))
  t.regex(review.stdout, /→ .*membership reports accept ID/)
  t.is(json<object[]>(await run('reports', 'review', '--json')).length, 1)
  t.is(
    (await run('reports', 'accept', 'plain.example.net')).stdout,
    `Listed http://plain.example.net/ (${plain}).\n`,
  )
  t.deepEqual(json<object[]>(await run('reports', 'review', '--json')), [])
  t.is((await run('reports', 'accept', 'nowhere.example.net')).code, 1)

  const [blog] = await within(async (m) => {
    const { key } = await partnerOf(m, 'Fourth')
    await m.reports.operator.exclude('plain.example.net', 'x')
    return add(m, key, 'http://two.example.com/blog')
  })
  const merged = await run('reports', 'merge', 'two.example.com', blog!)
  t.is(merged.code, 1)
  t.regex(merged.stderr, /belong to different partners/)
  t.regex((await run('reports', 'merge', 'one.example.com', 'one.example.com')).stderr, /the same website/)
  const list = await run('reports', 'relink', '-', '--partner', 'other@partner.example')
  t.is(list.code, 0)
  await within((m) =>
    m.reports.operator.relink('two.example.com/blog', 'other@partner.example', { write: true }),
  )
  const planned = await run('reports', 'merge', 'two.example.com', blog!)
  t.regex(planned.stdout, /Would merge .*blog[\s\S]*--write does it/)
  const done = await run('reports', 'merge', 'two.example.com', blog!, '--write')
  t.is(
    settled(done.stdout, { ...names, [blog!]: 'BLOG' }),
    'Merged http://two.example.com/blog (BLOG) into http://two.example.com/ (TWO).\n',
  )
  t.is((await run('reports', 'show', blog!)).code, 1)
})

test('crawl status and retry', async (t) => {
  const { run } = await relinkSite(t)
  const status = await run('crawl', 'status')
  t.regex(
    status.stdout,
    /^websites {4}3 listed\ncandidates {2}none\ndue now {5}0 websites, 0 candidates\nnext due {4}\d{4}-\S+ \S+\nto review {3}0\n$/,
  )
  t.is((await run('crawl', 'retry', 'listed')).stdout, 'Due now: 3 websites.\n→ membership crawl run\n')
  t.deepEqual(json<object>(await run('crawl', 'retry', 'gone', '--json')), { websites: 0 })
  const unknown = await run('crawl', 'retry', 'everything')
  t.is(unknown.code, 1)
  t.regex(unknown.stderr, /There is no website "everything"/)
  const { due, websites } = json<{ due: number; websites: object }>(await run('crawl', 'status', '--json'))
  t.deepEqual([due, websites], [3, { listed: 3 }])
})

test('an operator lists a partner’s websites, exports matches, and reads the crawl history', async (t) => {
  const { run, acme } = await relinkSite(t)
  const listed = await run('reports', 'list', '--status', 'listed', ...acme)
  t.is(listed.code, 0, listed.stderr)
  t.regex(listed.stdout, /one\.example\.com/)
  t.notRegex(listed.stdout, /two\.example\.com|three\.example\.org/)
  const { stdout: csv } = await run('reports', 'export', '--csv', '--search', 'three')
  const rows = strictRows(csv)
  t.is(rows.length, 1)
  t.is(rows[0]!.url, 'http://three.example.org/')
  t.is((await run('crawl', 'history')).stdout, 'Nothing was visited yet.\n')
})

test('crawl run: unknown names look like our own network, so it says so and marks nothing', async (t) => {
  const seeds = Array.from({ length: 12 }, (_, i) => `https://no-such-host-${i}-7f3a9c.com`)
  const folder = await folderWith(
    t,
    settings(['    crawl:', '      pause_seconds: 0', `      seeds: [${seeds.join(', ')}]`]),
  )
  // A process of its own, which has to end by itself.
  const stopped = await spawnCommand(folder, ['crawl', 'run'])
  t.is(stopped.code, 3)
  t.regex(stopped.stderr, /our own network seems to be down.*\n→ Look at this machine’s network/)
  t.notRegex(stopped.stderr, /at .*\.ts:/, 'no stack')
  t.regex(stopped.stdout, /^visited 0 \(0\.0\/s\), 0 left: /)
  const status = json<{ websites: object; candidates: object; next_due_at: string }>(
    await runCommand(folder, ['crawl', 'status', '--json']),
  )
  t.deepEqual([status.websites, status.candidates], [{}, { waiting: 12 }])
  t.truthy(status.next_due_at)
  const machine = json<{ stopped: null; visited: number }>(
    await runCommand(folder, ['crawl', 'run', '--json']),
  )
  t.deepEqual([machine.stopped, machine.visited], [null, 0])
  t.regex((await runCommand(folder, ['crawl', 'run', '--limit', '0'])).stderr, /Give a number from 1 to/)
})

test('detect: only the public web can be visited; anything else is an error', async (t) => {
  const folder = await folderWith(t, settings())
  const detect = async (url: string) => {
    const { code, stdout, stderr } = await runCommand(folder, ['detect', url])
    t.deepEqual([code, stdout], [1, ''])
    t.notRegex(stderr, /at .*\.ts:/, 'no stack')
    return stderr
  }
  t.regex(
    await detect('no-such-host-7f3a9c.com'),
    /could not be read: dns\.\n→ .*name service.*\n\(ERR_SITE_UNREACHABLE/,
  )
  t.regex(await detect('http://127.0.0.1/'), /ERR_URL_NOT_ALLOWED/)
  t.regex(await detect('http://localhost:8080/'), /ERR_URL_NOT_ALLOWED/)
  t.regex(await detect('ftp://example.com/'), /ERR_URL_NOT_ALLOWED/)
})

test('a site without an index is told how to get one', async (t) => {
  const folder = await folderWith(t, 'membership:\n  database:\n    url: sqlite:site.db\n')
  const url = `sqlite:${join(folder, 'site.db')}`
  const m = await createMembership({ install: false, root: false, 'membership.database.url': url })
  await m.close()
  for (const args of [
    ['partners', 'list'],
    ['keys', 'list'],
    ['reports', 'review'],
    ['crawl', 'run'],
    ['detect', 'example.com'],
  ]) {
    const { code, stdout, stderr } = await runCommand(folder, args)
    t.deepEqual([code, stdout], [1, ''], args.join(' '))
    t.regex(stderr, /Set membership\.reports\.system, such as kirby/)
  }
})

test('a configuration file cannot open private addresses: resolver and policy are set in code only', async (t) => {
  for (const line of ['    resolve: x', '    policy: x']) {
    const folder = await folderWith(t, settings([line]))
    const { code, stderr } = await runCommand(folder, ['detect', 'example.com'])
    t.is(code, 1)
    t.regex(stderr, /membership\.reports\.(resolve|policy)/)
  }
})

test('--help has examples, for each command', async (t) => {
  const folder = await folderWith(t, settings())
  t.regex((await runCommand(folder, ['--help'])).stdout, /Examples:[\s\S]* {2}membership crawl run/)
  const commands = [partnersCommand(), keysCommand(), reportsCommand(), crawlCommand(), detectCommand()]
  const all = commands.flatMap((command) => [
    { command, name: command.name() },
    ...command.commands.map((below) => ({ command: below, name: `${command.name()} ${below.name()}` })),
  ])
  t.is(all.length, 32)
  for (const { command, name } of all) {
    let help = ''
    command.configureOutput({
      writeOut: (text) => {
        help += text
      },
    })
    command.outputHelp()
    t.regex(help, new RegExp(`Examples:\\n {2}membership ${name}`))
  }
})

test('relink requests: list, confirm, decline; a secret is never printed', async (t) => {
  const { run, within, web } = await startSite(t)
  const ids = await within(async (m) => {
    const [ann, bob] = [await partnerOf(m, 'Ann'), await partnerOf(m, 'Bob')]
    await add(m, ann.key, 'http://one.example.com/', 'http://two.example.com/')
    const ask = async (method: string, path: string) => {
      const answer = await m.fetch(
        new Request(`http://index.example${path}`, { method, headers: { 'X-API-KEY': bob.key } }),
      )
      return (await answer.json()) as {
        data: { id: string; proofs: { dns: { name: string; value: string } } }
      }
    }
    const requests = []
    for (const url of ['http://one.example.com/', 'http://two.example.com/']) {
      const { data } = await ask('POST', `/reports/relink-requests?url=${encodeURIComponent(url)}`)
      web.txt.set(data.proofs.dns.name, [[data.proofs.dns.value]])
      await ask('PATCH', `/reports/relink-requests/${data.id}`)
      requests.push(data.id)
    }
    return requests
  })
  const listed = await run('reports', 'requests')
  t.regex(listed.stdout, /proven +http:\/\/one\.example\.com\/ +for prt_\S+ +prt_\S+ has it +objection until/)
  t.false((await run('reports', 'requests', '--json')).stdout.includes('secret'))
  const declined = await run('reports', 'decline', ids[1]!, '--reason', 'not yours')
  t.regex(declined.stdout, /^Declined http:\/\/two\.example\.com\/ for prt_/)
  t.is((await run('reports', 'decline', ids[1]!, '--reason', 'again')).code, 1)
  t.regex((await run('reports', 'requests', '--all')).stdout, /declined .*\(not yours\)/)
  t.is((await run('reports', 'confirm', 'rlr_none')).code, 1)
  for (const command of ['requests', 'confirm', 'decline'])
    t.regex((await run('reports', command, '--help')).stdout, /Examples:\n {2}membership reports/)
})
