import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { migrateSite } from '../src/index.ts'
import { runCommand } from './support/command.ts'
import { emptyFolder } from './support/migrate.ts'

const root = join(import.meta.dirname, '..')
const guide = await readFile(join(root, 'MIGRATION.md'), 'utf8')
const pages = ['access', 'findings', 'live'].map((name) => join(root, `docs/migration-${name}.md`))
const further = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n')
const overview = await readFile(join(root, 'docs/migration.md'), 'utf8')

/** What a line of the guide prints where `my-site` lies. */
async function run(line: string, cwd: string): Promise<string> {
  const [, ...args] = line.split(' ')
  return (await runCommand(cwd, args)).stdout
}

test('the guide shows the commands’ real output, in the order of a migration', async (t) => {
  const folder = await emptyFolder(t)
  for (const name of ['my-site', 'LIVE'])
    await cp(join(root, 'test/fixtures/migrate/site-magazine/v1'), join(folder, name), { recursive: true })
  const blocks = [...(guide + further).matchAll(/^```text\n\$ (.+)\n([\s\S]*?)^```$/gm)]
  t.true(blocks.length >= 4)
  for (const [, command, shown] of blocks) {
    // The guide's first lines write it, and show no output.
    if (command!.includes('doctor')) await run('membership migrate my-site --write', folder)
    // A random folder's name may look like a secret, and is masked then.
    const printed = [folder, join(dirname(folder), '•••')].reduce(
      (text, place) => text.replaceAll(place, '/home/ada'),
      await run(command!, folder),
    )
    t.is(shown!.trimEnd(), printed.trimEnd(), command)
  }
})

const examples = [
  ...guide.matchAll(/<!-- before (\S+) -->\n```\w*\n([\s\S]*?)```\n<!-- after -->\n```\w*\n([\s\S]*?)```/g),
]

for (const [, file, before, after] of examples)
  test(`the guide's example of ${file}`, async (t) => {
    const site = await emptyFolder(t)
    const write = async (name: string, text: string) => {
      await mkdir(dirname(join(site, name)), { recursive: true })
      await writeFile(join(site, name), text)
    }
    // A site that has memberships.
    if (!file!.includes('config/'))
      await write('site/config/config.php', "<?php return ['membership' => []];\n")
    await write(file!, before!)
    await migrateSite(site, { write: true })
    t.is(await readFile(join(site, file!), 'utf8'), after!)
  })

test('every kind of change has an example', (t) => {
  t.true(examples.length >= 7)
})

/** Needs a provider's key, or a site that answers. */
const asksOthers = /--ask|--url/

test('every command of the guide runs on a site of version 1', async (t) => {
  const folder = await emptyFolder(t)
  for (const name of ['my-site', 'LIVE'])
    await cp(join(root, 'test/fixtures/migrate/site-magazine/v1'), join(folder, name), { recursive: true })
  await mkdir(join(folder, 'config'))
  await writeFile(
    join(folder, 'config/membership.yml'),
    'membership:\n  database:\n    url: sqlite:site.db\n',
  )
  const blocks = [...`${guide}\n${further}\n${overview}`.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  const lines = blocks.flatMap(([, code = '']) => code.trim().split('\n'))
  t.true(lines.length >= 15)
  for (const line of lines.filter((command) => !asksOthers.test(command))) {
    const [, , ...args] = line.replace(/ *#.*/, '').split(' ')
    const { code, stderr } = await runCommand(folder, args)
    // 2: something is left to do, or would change.
    t.true(code === 0 || code === 2, `${line}\n${code}: ${stderr}`)
  }
})
