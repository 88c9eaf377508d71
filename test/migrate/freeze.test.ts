import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { importAccounts } from '../../src/migrate/accounts/index.ts'
import { bringBack } from '../../src/migrate/back/index.ts'
import { freezeSite, unfreezeSite } from '../../src/migrate/freeze/index.ts'
import { migrateSite } from '../../src/migrate/index.ts'
import { deliver, openInstance } from '../support/converge.ts'
import { freePort } from '../support/databases.ts'
import { emptyFolder } from '../support/migrate.ts'
import { checkoutObject, month, start, stripeEvent } from '../support/stripe-events.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

test('a freeze is one marked piece, written once, and removed to the byte', async (t) => {
  const folder = await emptyFolder(t)
  const index = join(folder, 'index.php')
  const controller = Buffer.from('<?php\n\nrequire "kirby.php"; // \xe9\r\necho "";\n', 'latin1')
  writeFileSync(index, controller)
  writeFileSync(join(folder, '.htaccess'), 'RewriteEngine On\n')
  t.like(freezeSite(folder, facts, { write: false }), { files: ['index.php'], changed: [], isFrozen: false })
  t.deepEqual(readFileSync(index), controller, 'shown first')
  t.like(freezeSite(folder, facts, { write: true }), { changed: ['index.php'], isFrozen: true })
  const frozen = readFileSync(index)
  t.like(freezeSite(folder, facts, { write: true }), { changed: [], isFrozen: true })
  t.deepEqual(readFileSync(index), frozen)
  // Somebody edits it meanwhile.
  writeFileSync(index, Buffer.concat([frozen, Buffer.from('// more\n')]))
  t.like(unfreezeSite(folder, facts), { changed: ['index.php'] })
  t.deepEqual(readFileSync(index), Buffer.concat([controller, Buffer.from('// more\n')]))
  t.like(unfreezeSite(folder, facts), { changed: [], files: [] })
})

test('if nothing may precede the code, Apache gets the guard; without both, the text to write is shown', async (t) => {
  const folder = await emptyFolder(t)
  writeFileSync(join(folder, 'index.php'), '<?php\ndeclare(strict_types=1);\n')
  const shown = freezeSite(folder, { ...facts, prefix: 'bnomei.klub' }, { write: true })
  t.deepEqual([shown.isFrozen, shown.files], [false, []])
  t.true(shown.byHand.every(({ text }) => text.includes('/klub/webhooks/')))
  t.deepEqual(
    shown.byHand.map(({ server }) => server.split(/[,’ ]/)[0]),
    ['nginx', 'Caddy'],
  )
  const rules = 'RewriteRule ^(.*) index.php [L]\n'
  writeFileSync(join(folder, '.htaccess'), rules)
  t.deepEqual(freezeSite(folder, facts, { write: true }).changed, ['.htaccess'])
  const text = readFileSync(join(folder, '.htaccess'), 'utf8')
  t.true(text.endsWith(rules))
  const rule = /^RewriteRule (\S+) - \[R=503,L\]$/m.exec(text)![1]!
  t.true(new RegExp(rule).test('membership/webhooks/stripe'))
  t.false(new RegExp(rule).test('blog/membership'))
  unfreezeSite(folder, facts)
  t.is(readFileSync(join(folder, '.htaccess'), 'utf8'), rules)
})

// What version 1 does with a purchase: it writes it into the account, and nowhere else.
const version1 = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/membership/webhooks/stripe' && $_SERVER['REQUEST_METHOD'] === 'POST') {
  $event = json_decode(file_get_contents('php://input'), true);
  $file = __DIR__ . '/site/accounts/ann/user.json';
  $account = json_decode(file_get_contents($file), true);
  $account['stripe']['purchases'][] = $event['data']['object']['metadata']['price_id'];
  file_put_contents($file, json_encode($account), LOCK_EX);
  exit('ok');
}
echo 'the site';
`
const hasPhp = (() => {
  try {
    execFileSync('php', ['-v'])
    return true
  } catch {
    return false
  }
})()
const withPhp = hasPhp ? test : test.skip

/** Version 1, at an address of its own. */
async function serve(t: ExecutionContext, folder: string) {
  const port = await freePort()
  const php = spawn('php', ['-S', `127.0.0.1:${port}`, 'index.php'], { cwd: folder, stdio: 'ignore' })
  t.teardown(() => php.kill())
  const site = `http://127.0.0.1:${port}`
  while (!(await fetch(site).catch(() => null))) await pause(50)
  const post = async (body: string) =>
    (await fetch(`${site}/membership/webhooks/stripe`, { method: 'POST', body }).catch(() => null))?.status ??
    0
  return { site, php, post }
}

withPhp('a live site moves under load and every purchase is counted once', async (t) => {
  const live = await emptyFolder(t)
  mkdirSync(join(live, 'site/accounts/ann'), { recursive: true })
  const ann = { id: 'ann', email: 'ann@example.com', stripe: { customer: 'cus_1', purchases: ['price_0'] } }
  writeFileSync(join(live, 'site/accounts/ann/user.json'), JSON.stringify(ann))
  writeFileSync(join(live, 'index.php'), version1)
  const { site, php, post } = await serve(t, live)
  /** The provider: each message is sent until it is taken, to whatever stands at the address. */
  let send = async (event: ReturnType<typeof purchase>): Promise<boolean> =>
    (await post(JSON.stringify(event))) === 200
  const waiting = Array.from({ length: 60 }, (_, i) => purchase(i + 1))
  let isSelling = true
  const refused = new Set<string>()
  const provider = (async () => {
    while (isSelling || waiting.length > 0) {
      const event = waiting.shift()
      if (event === undefined) await pause(5)
      else if (!(await send(event))) {
        refused.add(event.id)
        waiting.push(event)
        await pause(5)
      }
    }
  })()

  t.teardown(() => {
    isSelling = false
    waiting.length = 0
  })
  while (waiting.length > 40) await pause(5)
  t.like(freezeSite(live, facts, { write: true }), { isFrozen: true })
  // PHP may keep a file for some seconds as it was.
  while ((await fetch(`${site}/membership/webhooks/stripe`)).status !== 503) await pause(50)
  t.is(await post('{}'), 503)
  t.is(await (await fetch(site)).text(), 'the site', 'members read on')
  // One that was being taken while the file changed is done when the next has been refused.
  const before = readFileSync(join(live, 'site/accounts/ann/user.json'), 'utf8')
  const copy = await emptyFolder(t)
  cpSync(live, copy, { recursive: true })
  waiting.push(...Array.from({ length: 20 }, (_, i) => purchase(i + 61)))
  await migrateSite(copy, { ...facts, write: true, backup: join(await emptyFolder(t), 'backups') })
  await pause(100)
  t.is(
    readFileSync(join(live, 'site/accounts/ann/user.json'), 'utf8'),
    before,
    'nothing comes in behind the copy',
  )
  t.true(refused.size > 0)

  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  t.teardown(() => m.close())
  const rules = { facts, account: '', defaultRole: 'member', now: () => new Date((start + month) * 1000) }
  await importAccounts(m.storage, rules, copy, { write: true })
  php.kill()
  send = async (event) => {
    await deliver(m, event)
    return true
  }
  isSelling = false
  await provider

  const member = (await m.users.findByEmail('ann@example.com'))!
  const inV1 = (JSON.parse(before) as typeof ann).stripe.purchases
  const inV2 = member.payments().map(({ price_id }) => price_id)
  const all = Array.from({ length: 81 }, (_, i) => `price_${i}`)
  t.deepEqual([...inV1, ...inV2].sort(), all.sort(), 'none is lost and none stands twice')
  t.deepEqual(
    all.filter((price) => !member.hasGate(price as never)),
    [],
  )
  t.true(inV1.length > 15 && inV2.length > 15, `${inV1.length} and ${inV2.length}`)
})

withPhp('a site that goes back under load has every purchase in version 1, each once', async (t) => {
  const v1 = await emptyFolder(t)
  mkdirSync(join(v1, 'site/accounts/ann'), { recursive: true })
  const path = join(v1, 'site/accounts/ann/user.json')
  const ann = { id: 'ann', email: 'ann@example.com', stripe: { customer: 'cus_1', purchases: ['price_0'] } }
  writeFileSync(path, JSON.stringify(ann))
  writeFileSync(join(v1, 'index.php'), version1)
  const backup = join(await emptyFolder(t), 'backups')
  const now = () => new Date((start + month) * 1000)
  await migrateSite(v1, { ...facts, write: true, backup })
  const m = await openInstance('sqlite::memory:', now)
  t.teardown(() => m.close())
  await importAccounts(m.storage, { facts, account: '', defaultRole: 'member', now }, v1, { write: true })

  const ofV2 = async (event: ReturnType<typeof purchase>) => {
    await deliver(m, event)
    return true
  }
  let send = ofV2
  const waiting = Array.from({ length: 60 }, (_, i) => purchase(i + 1))
  let isSelling = true
  t.teardown(() => {
    isSelling = false
    waiting.length = 0
  })
  const provider = (async () => {
    while (isSelling || waiting.length > 0) {
      const event = waiting.shift()
      if (event === undefined) await pause(5)
      else if (!(await send(event))) {
        waiting.push(event)
        await pause(5)
      }
    }
  })()
  while (waiting.length > 30) await pause(5)
  // Version 2 is stopped: what was being taken is done, and the next is refused and comes again.
  let refused = 0
  send = async () => {
    refused++
    return false
  }
  while (refused < 3) await pause(5)
  waiting.push(...Array.from({ length: 20 }, (_, i) => purchase(i + 61)))
  const site = { storage: m.storage, findMember: m.users.findById }
  const back = () => bringBack(v1, { facts, site, write: true, backup, now })
  await migrateSite(v1, { ...facts, rollback: true, backup })
  const { brought, left, differences } = await back()
  t.deepEqual([brought.length, left, differences], [1, [], []])
  const inV2 = (await m.users.findByEmail('ann@example.com'))!.payments().length
  t.deepEqual((await back()).brought, [], 'again, nothing is to be written')

  const { post } = await serve(t, v1)
  send = async (event) => (await post(JSON.stringify(event))) === 200
  isSelling = false
  await provider
  const { purchases } = (JSON.parse(readFileSync(path, 'utf8')) as typeof ann).stripe
  const all = Array.from({ length: 81 }, (_, i) => `price_${i}`)
  t.deepEqual([...purchases].sort(), all.sort(), 'none is lost and none stands twice')
  t.true(inV2 > 15 && purchases.length - inV2 > 15, `${inV2} and ${purchases.length}`)
})

function purchase(n: number) {
  return stripeEvent(
    'checkout.session.completed',
    checkoutObject({ id: `cs_${n}`, payment_intent: `pi_${n}`, metadata: { price_id: `price_${n}` } }),
    { created: start + n },
  )
}
