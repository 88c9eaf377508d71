import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError, migrateSite } from '../../src/index.ts'
import { command } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'

const config = 'site/config/config.php'
const v1 = "<?php return ['membership.stripe.secret' => 's'];\n"

function write(site: string, file: string, text: string | Buffer): void {
  mkdirSync(dirname(join(site, file)), { recursive: true })
  writeFileSync(join(site, file), text)
}
async function siteOf(t: ExecutionContext): Promise<string> {
  const site = join(await emptyFolder(t), 'site-folder')
  write(site, config, v1)
  return site
}
function digest(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (statSync(join(folder, name)).isFile()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

test('links out of the folder are reported and never followed, and loops are harmless', async (t) => {
  const site = await siteOf(t)
  const outside = await emptyFolder(t)
  write(outside, 'config/config.php', v1)
  write(outside, 'elsewhere.php', v1)
  mkdirSync(join(site, 'site/links'))
  symlinkSync(join(outside, 'config'), join(site, 'site/links/config'))
  symlinkSync(join(outside, 'elsewhere.php'), join(site, 'site/config/linked.php'))
  symlinkSync(site, join(site, 'site/links/loop'))
  symlinkSync(join(site, 'site/links/self'), join(site, 'site/links/self'))
  const before = digest(outside)
  const { plan, written } = await migrateSite(site, { write: true })
  t.deepEqual(written?.written, [config])
  t.deepEqual(plan?.skipped.map(({ file, reason }) => `${file}: ${reason}`).sort(), [
    'site/config/linked.php: a link to outside of the folder',
    'site/links/config: a link to outside of the folder',
    'site/links/self: a link that leads nowhere or in a circle',
  ])
  await migrateSite(site, { rollback: true })
  t.is(digest(outside), before)
})

test('files that are not edited text are listed and left: huge, binary, UTF-16', async (t) => {
  const site = await siteOf(t)
  write(site, 'site/config/huge.php', '')
  truncateSync(join(site, 'site/config/huge.php'), 100 * 1024 * 1024)
  write(site, 'site/config/binary.php', Buffer.from([1, 2, 0, 3]))
  write(site, 'site/config/wide.php', Buffer.from(`\ufeff${v1}`, 'utf16le'))
  write(site, 'data.sqlite', Buffer.from([1, 2, 0, 3]))
  const { plan } = await migrateSite(site)
  t.deepEqual(
    plan?.changes.map(({ file }) => file),
    [config],
  )
  t.deepEqual(plan?.skipped, [
    { file: 'site/config/binary.php', reason: 'holds a NUL, as no text does', mayHoldV1: true },
    { file: 'site/config/huge.php', reason: 'is larger than 5 MB', mayHoldV1: true },
    {
      file: 'site/config/wide.php',
      reason: 'is UTF-16: save it as UTF-8 and run the migration again',
      mayHoldV1: true,
    },
  ])
  t.deepEqual(
    plan?.decisions.filter(({ file }) => file === 'data.sqlite').map(({ code }) => code),
    ['not-a-database'],
  )
})

test('pipes, folders named like files, and odd names do not stop it', async (t) => {
  const site = await siteOf(t)
  mkdirSync(join(site, 'site/config/folder.php'))
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [join(site, 'site/config/pipe.php')])
    write(site, 'site/config/it\'s\n"odd".php', v1)
    writeFileSync(
      Buffer.concat([Buffer.from(join(site, 'site/config/')), Buffer.from([0xff]), Buffer.from('.php')]),
      v1,
    )
  }
  const { plan } = await migrateSite(site)
  t.true(plan!.changes.length >= 1)
})

test('folders a thousand deep are no problem', async (t) => {
  const site = await siteOf(t)
  let folder = site
  for (let i = 0; i < 1000 && folder.length < 3500; i++) folder = join(folder, 'd')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'a.php'), '<?php $user->subscriptions();')
  t.is((await migrateSite(site)).plan?.changes.length, 1)
})

test('texts designed to hurt a parser cost no minutes and cause no exception', async (t) => {
  const site = await siteOf(t)
  const deep = (open: string, close: string, n: number) => open.repeat(n) + close.repeat(n)
  write(site, 'site/config/deep.php', `<?php return ['membership.stripe' => ${deep('[', ']', 20_000)}];`)
  write(site, 'config/deep.json', `{"membership.stripe":${deep('[', ']', 20_000)}}`)
  write(site, 'config/deep.yml', `membership.stripe: ${deep('[', ']', 20_000)}\n`)
  write(site, 'config/deep.js', `module.exports = {'membership.stripe': ${deep('[', ']', 20_000)}}`)
  write(
    site,
    'site/templates/deep.php',
    `<?php $s['items']['data'][0]['price']['id']; ${deep('(', ')', 20_000)};`,
  )
  write(site, 'site/templates/deep.js', `subscriptions(); ${deep('(', ')', 20_000)}`)
  const laughs = Array.from(
    { length: 12 },
    (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1},`.repeat(9) : 'lol'}]`,
  )
  write(site, 'config/laughs.yml', `${laughs.join('\n')}\nmembership: { stripe: *a11 }\n`)
  write(site, 'site/accounts/x/user.txt', `Stripe:\n\n${laughs.join('\n')}\npurchases: *a11\ncustomer: c\n`)
  write(site, 'site/accounts/y/user.txt', `Stripe: ${'purchases '.repeat(100_000)}\n`)
  write(site, 'site/blueprints/users/x.yml', `fields:\n  membership: { write: ${deep('{a: ', '}', 5000)} }\n`)
  write(site, '.env', `A="${'\\'.repeat(1_000_000)}\nMEMBERSHIP_STRIPE_SECRET=1\n`)
  write(site, 'site/templates/long.php', `<?php // ${'subscriptions() '.repeat(200_000)}`)
  write(site, 'site/templates/long.twig', `{{ ${'subscription.items.data[0].price.id '.repeat(20_000)} }}`)
  const begun = Date.now()
  const { plan } = await migrateSite(site)
  t.true(plan!.changes.some(({ file }) => file === config))
  t.log(`${Date.now() - begun} ms`)
})

const isRoot = process.getuid?.() === 0

/** Runs the command as a user without rights; the site has to be reachable for it. */
function asNobody(args: string[]) {
  return spawnSync(process.execPath, [...command, 'migrate', ...args], {
    encoding: 'utf8',
    uid: 65534,
    gid: 65534,
    env: { PATH: process.env.PATH, HOME: '/tmp', TMPDIR: '/tmp' },
  })
}
;(isRoot ? test : test.skip)(
  'without the right to read or to write it says so, and nothing is changed',
  async (t) => {
    const site = await siteOf(t)
    chmodSync(dirname(site), 0o755)
    write(site, 'site/config/secret.php', v1)
    chmodSync(join(site, 'site/config/secret.php'), 0o600)
    const before = digest(site)
    const planned = asNobody([site])
    t.is(planned.status, 0, planned.stderr)
    t.regex(planned.stdout, /site\/config\/secret\.php: cannot be read: EACCES/)
    const wrote = asNobody([site, '--write'])
    t.is(wrote.status, 1)
    t.regex(wrote.stderr, /Nothing can be written in site\/config: EACCES\. Nothing was changed\./)
    t.is(digest(site), before)
  },
)

/** A disk of a few kilobytes; null where none can be made. */
function tinyDisk(t: ExecutionContext, folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0) return false
  t.teardown(() => spawnSync('umount', ['-l', folder]))
  return true
}

test('a full disk is reported, and the rollback restores everything', async (t) => {
  const site = join(await emptyFolder(t), 'site-folder')
  if (!tinyDisk(t, site)) {
    t.log('no disk of a few kilobytes can be made here: skipped')
    t.pass()
    return
  }
  const backup = await emptyFolder(t)
  for (let i = 0; i < 6; i++) write(site, `site/plugins/p${i}/config/a.php`, `${v1}// ${'x'.repeat(3000)}`)
  // What is left is less than one more file.
  let filler = 0
  try {
    for (; filler < 100; filler++) write(site, `filler/${filler}`, 'x'.repeat(4096))
  } catch {
    // Full.
  }
  const before = digest(join(site, 'site'))
  const error = await t.throwsAsync(migrateSite(site, { write: true, backup }))
  t.true(isMembershipError(error, 'ERR_STORAGE'), String(error))
  t.regex(error!.message, /the disk is full/)
  await migrateSite(site, { rollback: true, backup })
  t.is(digest(join(site, 'site')), before)
})
