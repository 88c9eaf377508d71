import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { applyPatch } from 'diff'
import { applyEdits } from '../../src/migrate/edits.ts'
import type { Plan } from '../../src/migrate/plan.ts'
import {
  planDiff,
  planHtml,
  planJson,
  planText,
  rollbackText,
  writeText,
} from '../../src/migrate/report/index.ts'
import { planSite } from '../../src/migrate/site.ts'
import { type Source, toSource } from '../../src/migrate/source.ts'
import { emptyFolder } from '../support/migrate.ts'

async function planOf(t: ExecutionContext, files: Record<string, string>) {
  const site = await emptyFolder(t)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(site, file)), { recursive: true })
    await writeFile(join(site, file), text)
  }
  const plan = await planSite(site)
  const texts = new Map<string, Source>()
  for (const { file } of plan.changes)
    texts.set(file, toSource(file, await readFile(join(site, file))) as Source)
  return { plan, read: (file: string) => texts.get(file)! }
}
function text(plan: Plan) {
  return planText(plan, { color: false, folder: 'site' })
}

const member = 'site/blueprints/users/member.yml'
const secretSite = {
  'site/config/config.php':
    "<?php\nreturn [\n  'mail' => 'ada@example.com',\n  'membership.stripe.secret' => 'hunter2',\n  'membership.stripe.webhook' => 'whsec_abcdef123456',\n  'membership.manageUsers.role' => 'member'.ROLE,\n];\n",
  '.env': 'MEMBERSHIP_STRIPE_SECRET=hunter4\n',
  [member]: 'title: Member # ask bob@example.com\nfields:\n  a: <b>bold</b>\n',
  'site/accounts/a/user.txt':
    'Email: eve@example.com\n----\nHash: $2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\n----\nStripe:\n\ncustomer: cus_1\npurchases: []\n',
}
const secrets = /hunter\d|abcdef123456|ada@|bob@|eve@|N9qo8uLOick/

test('no output contains a secret, an e-mail address or a hash', async (t) => {
  const { plan, read } = await planOf(t, secretSite)
  t.is(plan.changes.length, 3)
  t.notRegex(text(plan), secrets)
  t.notRegex([...planDiff(plan, read)].join(''), secrets)
  t.notRegex(planHtml(plan, read), secrets)
  t.notRegex(JSON.stringify(planJson(plan)), secrets)
})

test('many accounts with the same change are one line', async (t) => {
  const accounts = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `site/accounts/a${i}/user.txt`,
      'Stripe:\n\ncustomer: c\npurchases: []\n',
    ]),
  )
  const { plan } = await planOf(t, accounts)
  t.regex(text(plan), /30 files below site\/accounts\/\n {5}stripe\.purchases → stripe\.payments/)
  t.notRegex(text(plan), /a17/)
})

test('a decision has its place, its reason and the text to write', async (t) => {
  const { plan } = await planOf(t, {
    'config/membership.js': "module.exports = {\n  'membership.manageUsers.role': role(),\n}\n",
  })
  t.regex(text(plan), /^1 thing|one thing is yours to decide/)
  t.regex(
    text(plan),
    /1\. config\/membership\.js:2:3 role-not-literal\n.*\n {5}'membership\.members\.roles': \[role\(\)\]/,
  )
})

test('the headline counts, and says when nothing is left', async (t) => {
  const { plan } = await planOf(t, { 'site/templates/a.php': '<h1>Hello</h1>' })
  t.regex(text(plan), /^Nothing left to do: 1 file looked at\./)
  t.notRegex(text(plan), /--write/)
  t.true(planJson(plan).isDone)
})

test('the diff is one that patches the file into what the migration makes', async (t) => {
  const { plan, read } = await planOf(t, {
    'site/config/config.php':
      "<?php\nreturn [\n  'a' => 1,\n  'membership' => ['stripe' => []],\n  'b' => 2,\n];\n",
  })
  const [patch] = [...planDiff(plan, read)]
  const { text: before } = read('site/config/config.php')
  t.is(applyPatch(before, patch!), applyEdits(before, plan.changes[0]!.edits))
  t.regex(patch!, /^--- a\/site\/config\/config\.php\n\+\+\+ b\/site\/config\/config\.php\n@@ /)
})

test('the page is self-contained: no script, nothing external, everything escaped', async (t) => {
  const { plan, read } = await planOf(t, secretSite)
  const html = planHtml(plan, read)
  t.regex(html, /^<!doctype html>\n<html lang="en">/)
  t.regex(html, /<meta charset="utf-8">/)
  t.notRegex(html, /<script|\bon\w+=|src=|url\(|@import/)
  t.deepEqual(
    [...html.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !to!.startsWith('#')),
    [],
  )
  for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) t.true(html.includes(`id="${id}"`), id)
  t.notRegex(html, /<b>bold/)
  t.regex(html, /&lt;b&gt;bold/)
  t.regex(html, /<mark>providers\.<\/mark>/)
})

test('the JSON has a version and the totals', async (t) => {
  const { plan } = await planOf(t, secretSite)
  const json = planJson(plan)
  t.like(json, { version: 2, provider: 'stripe', field: 'stripe', isDone: false, files: 4 })
  t.deepEqual(
    json.changes.map(({ part, file }) => [part, file]),
    plan.changes.map(({ part, file }) => [part, file]),
  )
  t.deepEqual(json.webhooks, [{ provider: 'stripe', path: '/membership/webhooks/stripe', isUnchanged: true }])
})

test('written and undone changes are reported with the places of both versions', (t) => {
  const wrote = writeText(
    { backup: '/b/001', written: ['a'], kept: [{ file: 'c', reason: 'it changed' }] },
    'site',
  )
  t.regex(wrote, /^1 file written\. The files as they were: \/b\/001\nLeft as it is: c, because it changed\./)
  t.regex(wrote, /membership migrate site --rollback/)
  const back = rollbackText({
    restored: ['a', 'b'],
    merged: ['m'],
    untouched: ['u'],
    kept: [{ file: 'k', current: '/b/k.current', original: '/b/k', reason: 'it changed since' }],
  })
  for (const part of [
    '2 files are as before',
    '1 had changed since',
    '1 had not been reached',
    '/b/k.current',
    'Left to you: k',
  ])
    t.true(back.includes(part), part)
})
