/**
 * Builds each host's example from the packed tarball in an empty folder, and walks it: `npm run hosts [koa
 * express payload strapi better-auth authjs …]`; `npm run hosts tutorial` walks the tutorial on a server;
 * `npm run hosts add` puts memberships into starters; `-- --record` writes what was shown into the table of
 * docs/tested.md.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createMembership, type Membership } from '../../src/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { freePort } from '../../test/support/databases.ts'
import { installInto, packInto, versionIn } from '../install.ts'
import { walkPages } from '../walks/walk.ts'
import { walkAdd } from './add.ts'
import { hosts as all, type Host, hostNamed, ownLogins, runsHere } from './hosts.ts'
import { buildsWithoutSecrets } from './next-build.ts'
import { walkPayload } from './payload.ts'
import { runPrisma } from './prisma.ts'
import { noteAdds, noteSizes, noteWalks } from './record.ts'
import { measureEntries, sizesOf, sizesTable } from './sizes.ts'
import { walkStrapi } from './strapi.ts'
import { hostsTable } from './table.ts'
import { walkServer, walkTutorial } from './tutorial.ts'
import { must, type Walked, walk } from './walk.ts'
import { walkScript } from './walk-script.ts'

const root = join(import.meta.dirname, '../..')
const secret = 'whsec_of_the_walk'

const asked = process.argv.slice(2).filter((item) => !item.startsWith('--'))
if (asked[0] === 'prisma') process.exit((await runPrisma()) ? 0 : 1)
// A folder with everything installed saves the install.
const kept = process.env.HOSTS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-hosts-'))
function clear() {
  return kept ?? rmSync(folder, { recursive: true, force: true })
}
function run(command: string, args: readonly string[], cwd = folder): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  })
}

function tarballIn(place: string): string {
  const given = process.env.MEMBERSHIP_TARBALL
  if (given !== undefined) return given
  if (!existsSync(join(root, 'dist/index.js'))) run('npm', ['run', '--silent', 'build'], root)
  return packInto(place)
}
if (process.argv.includes('--sizes')) {
  const measured = await measureEntries(folder, tarballIn)
  console.log(sizesTable(measured))
  if (process.argv.includes('--record')) noteSizes(sizesOf(measured))
  clear()
  process.exit(0)
}
if (asked[0] === 'add') {
  const { shown, failed } = await walkAdd(asked.slice(1), tarballIn(folder))
  if (process.argv.includes('--record')) noteAdds(shown)
  process.exit(failed.length === 0 ? 0 : 1)
}
if (asked[0] === 'next-build') process.exit(buildsWithoutSecrets(tarballIn) ? 0 : 1)
if (asked[0] === 'tutorial') {
  const isWell = process.argv.includes('--server') ? walkServer(asked[1] ?? '') : walkTutorial(tarballIn)
  process.exit((await isWell) ? 0 : 1)
}

const wanted = (asked.length > 0 ? asked : Object.keys(all).filter(runsHere)).map((name) => {
  const found = hostNamed(name)
  if (found === undefined)
    throw new Error(
      `No host "${name}" runs on Node ${process.version}. Hosts: ${Object.keys(all).join(', ')}`,
    )
  return found
})

// Walks with folders, people and questions of their own.
const ownWalks: Readonly<Record<string, (tarball: (place: string) => string) => Promise<boolean>>> = {
  payload: walkPayload,
  strapi: walkStrapi,
}
const logins = wanted.filter((name) => ownLogins.includes(name))
const walks: Record<string, Walked> = {}
for (const name of logins) {
  const wrong = await walkPages(name, tarballIn(folder)).then(() => undefined, String)
  const isShown = wrong === undefined
  walks[name] = { events: isShown, gate: isShown, sells: isShown }
  if (!isShown) walks[name] = { ...walks[name], wrong }
  console.log(isShown ? `✔ ${name}` : `✘ ${name}\n${wrong}`)
}
let isWell = isAllWell(walks)
for (const [name, walkOwn] of Object.entries(ownWalks).filter(([own]) => wanted.includes(own))) {
  const shown = await walkOwn(tarballIn)
  walks[name] = { events: shown, gate: shown, sells: shown }
  isWell &&= shown
}
const names = wanted.filter((name) => !(name in ownWalks) && !ownLogins.includes(name))
function install(apart: string | undefined): void {
  const place = join(folder, apart ?? '')
  cpSync(join(root, 'examples/hosts'), place, { recursive: true })
  const here = names.map((name) => all[name]!).filter((host) => host.apart === apart)
  for (const { files = {} } of here)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  if (kept !== undefined) return
  const packages = [...new Set(here.flatMap((host) => host.packages))]
  installInto(place, [tarballIn(place), 'stripe', ...packages])
}

async function walkHost(name: string, host: Host): Promise<Walked> {
  const { build = [], start, apart = '', inside = '' } = host
  const cwd = join(folder, apart, inside)
  // Its clock goes on, as a provider's does: a build may take minutes, and what was bought before a session began is not
  // that session's to cancel.
  const fake = await createFakeStripe({ seed: 1, running: true })
  fake.addPrice({ id: 'price_pro', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const data = join(folder, `data-${name}`)
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  const database = `sqlite:${join(data, 'site.db')}`
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    // Where Node's servers of frameworks cannot know it.
    ORIGIN: site,
    ...host.env,
    STRIPE_SECRET: fake.secret,
    STRIPE_API_BASE: fake.url,
    STRIPE_WEBHOOK_SECRET: secret,
    SITE_URL: site,
    MEMBERSHIP_DATABASE: database,
  }
  fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret })
  let child: ChildProcess | null = null
  let said = ''
  let away: string | null = null
  try {
    for (const args of build) execFileSync(process.execPath, args, { cwd, env, stdio: 'pipe' })
    const [command = '', ...args] = start
    if (host.isScript === true)
      return await walkScript(
        fake,
        async () => (await promisify(execFile)(command, args, { cwd, env })).stdout,
      )
    const place = host.alone === undefined ? cwd : mkdtempSync(join(tmpdir(), 'membership-alone-'))
    if (host.alone !== undefined) {
      away = place
      cpSync(join(cwd, host.alone), place, { recursive: true, verbatimSymlinks: true })
    }
    child = spawn(command, args, { cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += chunk
      })
    const walked = await walk({
      site,
      fake,
      secret,
      ways: host.ways,
      noWays: host.noWays,
      showsLocked: host.showsLocked === true,
      boughtBy: async ({ cookies }) =>
        host.inBrowser?.({ name, site, fake, cookies, secrets: [fake.secret, secret] }),
      isMember: (email) =>
        inDatabase(database, async (m) => (await m.users.findByEmail(email))?.hasGate('price_pro') ?? false),
      join: (email) =>
        inDatabase(database, async (m) => void (await m.users.create({ email, verified: true }))),
      printed: () => said,
    })
    if (host.assets !== undefined) staysOut(join(cwd, host.assets))
    return walked.wrong === undefined ? walked : { ...walked, wrong: `${walked.wrong}\n${said}` }
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: Buffer; stderr?: Buffer }
    return { events: false, gate: false, sells: false, wrong: `${message}\n${stdout}${stderr}` }
  } finally {
    child?.kill('SIGKILL')
    if (away !== null) rmSync(away, { recursive: true, force: true })
    await fake.close()
  }
}

function isAllWell(walked: Readonly<Record<string, Walked>>): boolean {
  return Object.values(walked).every(({ wrong }) => wrong === undefined)
}

async function inDatabase<T>(database: string, ask: (m: Membership) => Promise<T>): Promise<T> {
  const m = await createMembership({ root: false, install: false, 'membership.database.url': database })
  try {
    return await ask(m)
  } finally {
    await m.close()
  }
}

/** @throws if a file that everybody can load has the closed text */
function staysOut(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  must(files.length > 0, `${folder} is empty`)
  for (const { parentPath, name } of files)
    must(
      !readFileSync(join(parentPath, name), 'utf8').includes('CLOSED-TEXT'),
      `everybody can load ${name}, which has the closed text`,
    )
}

try {
  for (const apart of new Set(names.map((name) => all[name]!.apart))) install(apart)
} catch (error) {
  console.log(
    `!! The hosts are skipped: their packages could not be installed.\n${String((error as { stderr?: string }).stderr ?? error).slice(0, 600)}`,
  )
  clear()
  process.exit(process.env.CI ? 0 : 1)
}
if (names[0] !== undefined) {
  const version = versionIn(join(folder, all[names[0]]!.apart ?? ''), 'membership')
  console.log(`membership ${version} from its tarball, Node ${process.version}`)
}
for (const name of names) {
  const began = Date.now()
  const walked = await walkHost(name, all[name]!)
  walks[name] = walked
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  const { wrong } = walked
  console.log(
    wrong === undefined ? `✔ ${name} (${seconds} s)` : `✘ ${name} (${seconds} s)\n${wrong.slice(0, 4000)}`,
  )
}
const here = process.version.slice(1)
console.log(
  hostsTable(Object.fromEntries(Object.entries(walks).map(([name, walked]) => [name, { [here]: walked }]))),
)
if (process.argv.includes('--record')) noteWalks(here, walks)
clear()
// The databases of the tests end a process that ends by itself with 0.
process.exit(isWell && isAllWell(walks) ? 0 : 1)
