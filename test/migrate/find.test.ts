import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import type { z } from 'zod'
import { loadConfig } from '../../src/core/config/index.ts'
import { findFiles, partOf } from '../../src/migrate/find.ts'
import { migrateConfig, migrateSite, planSite } from '../../src/migrate/index.ts'
import { providers } from '../../src/providers/index.ts'
import { emptyFolder } from '../support/migrate.ts'

test('a file’s path and name determine its part of the migration', (t) => {
  const places: [string, ReturnType<typeof partOf>][] = [
    ['site/config/config.php', 'config'],
    ['site/config/config.example.com.php', 'config'],
    ['config/membership.production.yml', 'config'],
    ['membership.config.ts', 'config'],
    ['membership.json', 'config'],
    ['.env', 'env'],
    ['public/.env.localhost', 'env'],
    ['site/blueprints/users/member.yml', 'blueprints'],
    ['site/plugins/shop/blueprints/fields/price.yaml', 'blueprints'],
    ['site/accounts/a1/user.txt', 'accounts'],
    ['site/accounts/a1/user.de.txt', 'accounts'],
    ['site/accounts/a1/index.php', null],
    ['site/templates/shop.php', 'templates'],
    ['site/templates/accounts/login.php', 'templates'],
    ['site/snippets/shop/card.twig', 'templates'],
    ['src/server.ts', 'templates'],
    ['templates/account.eta', 'templates'],
    ['data/users.sqlite', 'database'],
    ['content/1_home/home.txt', 'text'],
    ['assets/logo.png', null],
  ]
  for (const [file, part] of places) t.is(partOf(file), part, file)
})

test('third-party and generated code is left alone; folders of the same name elsewhere are not', async (t) => {
  const site = await emptyFolder(t)
  const files = [
    'kirby/src/a.php',
    'vendor/x/a.php',
    'node_modules/x/a.js',
    'media/a.php',
    'public/media/a.php',
    'site/cache/a.php',
    'site/sessions/a.php',
    'storage/logs/a.php',
    '.git/a.php',
    'site/snippets/media/a.php',
    'site/templates/cache/a.php',
    'site/plugins/kirby/a.php',
  ]
  for (const file of files) {
    await mkdir(dirname(join(site, file)), { recursive: true })
    await writeFile(join(site, file), '')
  }
  t.deepEqual(
    findFiles(site).found.map(({ file }) => file),
    ['site/plugins/kirby/a.php', 'site/snippets/media/a.php', 'site/templates/cache/a.php'],
  )
})

// What a provider's section had beside the keys of the contract's table, and what becomes of it; as those who used the
// plugin wrote it.
const written: Readonly<Record<string, { webhook: string; gone: readonly string[] }>> = {
  paddle: { webhook: 'webhook_secret', gone: ['environment', 'proration_billing_mode'] },
  paypal: { webhook: 'webhook_id', gone: ['environment', 'cancel_behavior'] },
  polar: { webhook: 'webhook_secret', gone: ['server', 'organization'] },
  chargebee: { webhook: 'webhook_auth', gone: [] },
}

for (const { key, load } of providers.filter((provider) => provider.key !== 'sandbox'))
  test(`a site whose provider was ${key} is recognised by its configuration, and migrates completely`, async (t) => {
    const site = await emptyFolder(t)
    const { webhook, gone } = written[key] ?? { webhook: 'webhook', gone: [] }
    const upper = key.toUpperCase()
    const definition = await load()
    const known = Object.keys((definition.options as z.ZodObject).shape)
    const left = gone.filter((name) => !known.includes(name))
    const files: Record<string, string> = {
      'site/config/config.php': `<?php\nreturn [\n    'membership' => [\n        '${key}' => [\n            'secret' => env('MEMBERSHIP_${upper}_SECRET'),\n            '${webhook}' => 'a secret',\n${gone.map((name) => `            '${name}' => 'sandbox',\n`).join('')}        ],\n        'manageUsers' => ['role' => 'member'],\n    ],\n];\n`,
      '.env': `MEMBERSHIP_${upper}_SECRET=a\nMEMBERSHIP_${upper}_WEBHOOK=b\n`,
      'site/blueprints/users/member.yml': 'title: Member\nfields:\n  city:\n    type: text\n',
      'site/templates/a.php': `<?= $user->subscriptions()[0]['items']['data'][0]['price']['id'] ?>\n<?= option('membership.${key}.secret') ?>\n`,
      'site/accounts/a1/user.txt': `Name: Ann\n\n----\n\n${key}:\n\ncustomer: c\npurchases:\n- one\n`,
    }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(site, file)), { recursive: true })
      await writeFile(join(site, file), text)
    }
    const { plan, written: report } = await migrateSite(site, {
      write: true,
      renameEnv: true,
      backup: join(await emptyFolder(t), 'backup'),
    })
    t.like(plan!.facts, { provider: key, field: key })
    t.deepEqual(plan!.webhooks, [{ provider: key, path: `/membership/webhooks/${key}`, isUnchanged: true }])
    t.deepEqual(report!.kept, [])
    const now = async (file: string) => readFile(join(site, file), 'utf8')
    const config = await now('site/config/config.php')
    for (const line of [
      `'providers.${key}' => [`,
      `'secret' => env('MEMBERSHIP_PROVIDERS_${upper}_SECRET')`,
      `'provider.handler' => '${key}'`,
    ])
      t.true(config.includes(line), config)
    t.is(
      await now('.env'),
      `MEMBERSHIP_PROVIDERS_${upper}_SECRET=a\nMEMBERSHIP_PROVIDERS_${upper}_WEBHOOK=b\n`,
    )
    t.regex(await now('site/blueprints/users/member.yml'), new RegExp(`\n  ${key}:\n    type: hidden`))
    t.regex(await now('site/templates/a.php'), /subscriptions\(\)\[0\]->price_id/)
    t.regex(await now('site/accounts/a1/user.txt'), /\npayments:\n- one/)
    const asked = plan!.decisions.filter(({ code }) => code === 'provider-option')
    t.deepEqual(
      asked.map(({ reason }) => /^"membership\.\w+\.(\w+)"/.exec(reason)?.[1]),
      left,
    )
    if (left.some((name) => name === 'environment' || name === 'server'))
      t.true(asked.some(({ replacement }) => replacement === `membership.providers.${key}.livemode: false`))
    const again = await planSite(site)
    t.is(again.facts.provider, key, 'known by the names of version 2, too')
    t.deepEqual([again.changes, again.webhooks.length], [[], 1])
    // What version 2 reads, it takes.
    const loaded = await loadConfig({
      root: false,
      env: {},
      options: {
        'membership.provider.handler': key,
        [`membership.providers.${key}`]: { [webhook]: 'a secret' },
      },
      definitions: [definition],
    })
    t.is(loaded.config.providers[key]?.webhook[0]?.secret, 'a secret')
  })

test('of several providers the one in use is version 1’s; an environment alone shows it too', async (t) => {
  const providerOf = async (files: Record<string, string>) => {
    const site = await emptyFolder(t)
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(site, file)), { recursive: true })
      await writeFile(join(site, file), text)
    }
    return (await planSite(site)).facts.provider
  }
  const both = { 'membership.paddle.secret': 'a', 'membership.mollie.secret': 'b' }
  const json = (data: object) => ({ 'config/membership.json': JSON.stringify(data) })
  t.is(await providerOf(json({ ...both, 'membership.provider.current': 'mollie' })), 'mollie')
  t.is(await providerOf(json({ ...both, 'membership.stripe.secret': 'c' })), 'stripe')
  t.is(
    await providerOf(
      json({ 'membership.providers': { paddle: {}, mollie: {} }, 'membership.provider.handler': 'mollie' }),
    ),
    'mollie',
  )
  t.is(await providerOf({ '.env': 'APP_MEMBERSHIP__PAYPAL__SECRET=x\n' }), 'paypal')
  t.is(await providerOf(json({ 'shop.paddle.secret': 'x' })), 'stripe', 'somebody else’s key')
  const moved = migrateConfig({ membership: { paddle: { secret: 's' } } })
  t.deepEqual(moved.config['membership.provider.handler'], 'paddle')
})
