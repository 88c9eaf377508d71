import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { findFiles, partOf } from '../../src/migrate/find.ts'
import { emptyFolder } from '../support/migrate.ts'

test('a file’s place and name say which part of a migration it is', (t) => {
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
    ['content/1_home/home.txt', null],
    ['assets/logo.png', null],
  ]
  for (const [file, part] of places) t.is(partOf(file), part, file)
})

test('other people’s code and what a site makes again is left alone; folders of the same name elsewhere are not', async (t) => {
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
