import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { allBlocks, blocksIn, isForReaders, nameOf, stepsOf, unwalked } from '../../scripts/walks/blocks.ts'
import { openReader, withTarball } from '../../scripts/walks/reader.ts'
import { withWalks } from '../../scripts/walks/table.ts'
import { walks } from '../../scripts/walks/walks.ts'

const root = join(import.meta.dirname, '../..')
function read(name: string) {
  return readFile(join(root, name), 'utf8')
}
const blocks = allBlocks()
const listed = unwalked.flatMap((item) => item.blocks)

test('every command, file and server of the pages is walked, or listed with its reason', (t) => {
  const left = blocks.filter((block) => isForReaders(block) && block.marks.length === 0).map(nameOf)
  t.deepEqual(
    left.filter((name) => !listed.includes(name)),
    [],
    'Mark each block with its walk (scripts/walks/blocks.ts), so that `npm run walks` follows it',
  )
  t.deepEqual(
    listed.filter((name) => !left.includes(name)),
    [],
    'These stand in scripts/walks/unwalked.json and on no page, or are walked: delete them there',
  )
  t.true(unwalked.every(({ reason }) => /^\S.{20,}\.$/.test(reason)))
})

test('the list of blocks that neither a walk nor a test follows only gets shorter', (t) => {
  // Lower it with the list. A higher number is a page that nobody has followed.
  t.is(unwalked.filter((item) => item.test === undefined).flatMap((item) => item.blocks).length, 75)
  for (const { test: name } of unwalked) if (name !== undefined) t.true(existsSync(join(root, name)), name)
})

test('a command is printed as a reader types it', (t) => {
  const bare = blocks
    .filter(({ language, code }) => language === 'sh' && /^membership /m.test(code))
    .map(nameOf)
  t.deepEqual(bare, [], 'Nobody has `membership` on the PATH: write `npx membership …`')
})

test('a walk takes its steps in order, and serves its site at the address that the page says to open', async (t) => {
  for (const [name, { opens }] of Object.entries(walks)) {
    const steps = stepsOf(name, blocks)
    t.deepEqual(
      steps.map(({ order }) => order),
      steps.map((_, i) => i + 1),
      name,
    )
    const serving = steps.filter(({ serves }) => serves === 'site')
    t.is(serving.length, 1, name)
    const { page } = serving[0]!.block
    t.true((await read(page)).includes(`<${opens}>`), `${page} does not say to open ${opens}`)
  }
  const marked = new Set(blocks.flatMap(({ marks }) => marks.map(({ walk }) => walk)))
  t.deepEqual([...marked].sort(), Object.keys(walks).sort())
})

test('what a reader brings along is named on the page', async (t) => {
  const accounts = Object.entries(walks).filter(([, { account }]) => account !== undefined)
  t.true(accounts.length > 0)
  for (const [name, { account }] of accounts) {
    const { variables, close } = await account!()
    const printed = stepsOf(name, blocks).map(({ block }) => block.code)
    for (const variable of Object.keys(variables))
      t.true(
        printed.some((code) => code.includes(`${variable}=`)),
        `${name} does not print ${variable}`,
      )
    await close()
  }
})

test('docs/tested.md lists each walk with the day on which it went well (npm run walks -- --all --record)', async (t) => {
  const page = await read('docs/tested.md')
  t.is(page, withWalks(page, { walked: [], node: '', today: '' }))
  for (const name of Object.keys(walks))
    t.regex(
      page,
      new RegExp(
        `^\\| \`${name}\` \\|.*\\| \\d+\\.\\d+\\.\\d+(?:, \\d+\\.\\d+\\.\\d+)* \\| 20\\d\\d-\\d\\d-\\d\\d \\|$`,
        'm',
      ),
      name,
    )
})

test('the list of walks keeps one version of each Node', async (t) => {
  const page = await read('docs/tested.md')
  const rowOf = (text: string) => /^\| `site` \|.*$/m.exec(text)![0]
  const first = withWalks(page, { walked: ['site'], node: 'v98.1.0', today: '2030-01-01' })
  t.regex(rowOf(first), /, 98\.1\.0 \| 2030-01-01 \|$/)
  const second = withWalks(first, { walked: ['site'], node: 'v98.2.0', today: '2030-01-02' })
  t.regex(rowOf(second), /, 98\.2\.0 \| 2030-01-02 \|$/)
  t.notRegex(rowOf(second), /98\.1\.0/)
})

function marked(mark: string, block: string) {
  return `<!-- walk: ${mark} -->\n${block}\n`
}
const fence = '```'

test('the pages of a walk cannot disagree', (t) => {
  const say = (text: string) => blocksIn('a.md', marked('a 1', `${fence}sh\n${text}\n${fence}`))
  t.is(stepsOf('a', [...say('true'), ...say('true')]).length, 1)
  t.throws(() => stepsOf('a', [...say('true'), ...say('false')]), { message: /differ in step 1 of "a"/ })
  t.throws(() => blocksIn('a.md', marked('a 1 somewhere', `${fence}sh\ntrue\n${fence}`)), {
    message: /is no mark of a walk/,
  })
})

test('the reader does what a page says and adds nothing: no file, no option, no package', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'membership-reader-'))
  process.env.STRIPE_SECRET = 'sk_test_of_the_machine'
  t.teardown(async () => {
    delete process.env.STRIPE_SECRET
    await rm(place, { recursive: true, force: true })
  })
  const text = [
    marked('a 1', `${fence}ts lib/server.ts\nconsole.log('as printed')\n${fence}`),
    marked('a 2', `${fence}sh\nenv | sort\n${fence}`),
    marked('a 3', `${fence}sh\nls -a . "$HOME"\n${fence}`),
    marked('a 4', `${fence}sh\necho begun; false\necho went on\n${fence}`),
  ].join('\n')
  const account = { PORT: '8080' }
  const reader = openReader({ place, tarball: '/packed.tgz', origin: 'http://localhost:8080', account })
  const [file, environment, list, failing] = stepsOf('a', blocksIn('a.md', text))
  await reader.follow(file!)
  t.is(await readFile(join(place, 'site/lib/server.ts'), 'utf8'), "console.log('as printed')\n")
  const names = [...(await reader.follow(environment!)).matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  const ofMachine =
    /^(PATH|LANG|TZ|TMPDIR|JOBS|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY|npm_config_(userconfig|globalconfig|cache|nodedir))$/
  const ofShell = /^(PWD|OLDPWD|SHLVL|_)$/
  t.deepEqual(
    names.filter((name) => !ofMachine.test(name!) && !ofShell.test(name!)),
    ['HOME', 'PORT'],
  )
  t.regex(await reader.follow(list!), /^\.:\n\.\n\.\.\nlib\n\n.*home:\n\.\n\.\.\n$/)
  const failed = await t.throwsAsync(reader.follow(failing!))
  t.regex(failed!.message, /exit 1[\s\S]*begun\n$/)
  t.deepEqual((await readdir(place, { recursive: true })).sort(), [
    'home',
    'site',
    'site/lib',
    'site/lib/server.ts',
  ])
})

test('the one substitution is the name of the package where `npm install` stands', (t) => {
  const code = [
    'npm init --yes && npm pkg set type=module',
    'npm install ../membership/membership-2.0.0-rc.1.tgz koa && npm install --save-dev tsx',
    'npx --yes --package="$PWD/membership-2.0.0-rc.1.tgz" membership init ../my-site',
  ].join('\n')
  const [first, second, third] = withTarball(code, '/packed.tgz').split('\n')
  t.is(first, 'npm init --yes && npm pkg set type=module')
  t.is(second, 'npm install "/packed.tgz" koa && npm install --save-dev tsx')
  t.is(third, code.split('\n')[2])
  for (const { block } of Object.keys(walks).flatMap((name) => stepsOf(name, blocks))) {
    const before = block.code.split('\n')
    const changed = withTarball(block.code, '/packed.tgz')
      .split('\n')
      .filter((line, i) => line !== before[i])
    t.true(changed.every((line) => line.startsWith('npm install ')))
  }
})

test('nothing in the walks writes a file but the printed ones and the list of walks, or installs a package', async (t) => {
  const folder = join(root, 'scripts/walks')
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  const writing: string[] = []
  for (const name of sources) {
    const source = await readFile(join(folder, name), 'utf8')
    for (const [call] of source.matchAll(
      /\b(writeFile|appendFile|cp|copyFile|symlink|link|rename|createWriteStream)(Sync)?\(.*/g,
    ))
      writing.push(`${name}: ${call}`)
    t.notRegex(source, /installInto|withBuiltSqlite|'install'|'ci'|registry\./, name)
  }
  t.deepEqual(writing.sort(), [
    "main.ts: writeFileSync(page, withWalks(readFileSync(page, 'utf8'), { walked, node: version, today }))",
    'reader.ts: writeFileSync(join(cwd, block.file), block.code)',
  ])
})
