import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
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
import { dirname, extname, join, relative } from 'node:path'
import { createBrowser, tokenOf } from '../../test/support/browser.ts'
import { freePort } from '../../test/support/databases.ts'
import { versionIn } from '../install.ts'
import { envOfNode, nodeInto } from '../node-binary.ts'
import { type Starter, starters } from './starters.ts'
import type { Added } from './table.ts'
import { must, up } from './walk.ts'

/** A starter in a folder, with the Node that it runs on. */
interface Site {
  readonly starter: Starter
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Puts memberships into starters with `add`, buys in the sandbox, opens the closed page, and takes everything
 * out again, also after edits of a user: `npm run hosts add [koa express …]`. Seconds count from `add` to the
 * page that opened. A starter runs on the oldest Node that it and we support. `NODES_FOLDER` keeps them, and
 * what was compiled for them. Returns what was shown, and names those that failed.
 */
export async function walkAdd(
  names: readonly string[],
  tarball: string,
): Promise<{ readonly shown: Readonly<Record<string, Added>>; readonly failed: readonly string[] }> {
  const kept = process.env.NODES_FOLDER
  const nodes = kept ?? mkdtempSync(join(tmpdir(), 'membership-nodes-'))
  const shown: Record<string, Added> = {}
  const failed: string[] = []
  for (const name of names.length > 0 ? names : Object.keys(starters)) {
    const starter = starters[name]
    if (starter === undefined)
      throw new TypeError(`No starter "${name}": ${Object.keys(starters).join(', ')}`)
    try {
      const added = await walkStarter(starter, tarball, nodes)
      shown[name] = added
      console.log(`✔ ${name}: ${added.package}, Node ${added.node}, ${added.seconds} s`)
    } catch (error) {
      failed.push(name)
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
      console.log(`✘ ${name}\n${message}\n${stdout}${stderr}`.slice(0, 6000))
    }
  }
  if (kept === undefined) rmSync(nodes, { recursive: true, force: true })
  return { shown, failed }
}

async function walkStarter(starter: Starter, tarball: string, nodes: string): Promise<Added> {
  const above = mkdtempSync(join(tmpdir(), 'membership-add-'))
  const folder = join(above, 'site')
  const home = nodeInto(nodes, starter.node ?? oldest)
  const site: Site = { starter, folder, env: envOf(home) }
  try {
    generate(site, above)
    install(site, ...(starter.skipsScripts === true ? ['--ignore-scripts'] : []))
    // A starter may have a package that is too old. The first install of ours therefore takes any.
    install(site, '--ignore-scripts', '--legacy-peer-deps', tarball)
    withCompiled(site, nodes)
    const before = snapshot(folder)
    const began = Date.now()
    const said = run(site, 'npx', ['membership', 'add', '--write'])
    must(!said.includes('For you to write'), said)
    install(site, '--ignore-scripts')
    must(existsSync(join(folder, 'package-lock.json')), 'no lock file')
    const seconds = await buys(site, began)
    run(site, 'npx', ['membership', 'add', '--rollback'])
    mustBe(snapshot(folder), before)
    keepsEdits(site)
    return {
      package: `${starter.package} ${versionIn(folder, starter.package)}`,
      from: starter.generator === undefined ? 'documentation' : starter.generator[0]!,
      node: run(site, 'node', ['--version']).trim().slice(1),
      seconds,
      date: new Date().toISOString().slice(0, 10),
    }
  } finally {
    rmSync(above, { recursive: true, force: true, maxRetries: 5 })
  }
}

const oldest = '20.19.0'

/** The environment of a new reader: no name of a site, and no mode, comes from here. */
function envOf(home: string): NodeJS.ProcessEnv {
  const { NODE_ENV: _, SITE_URL: __, ...env } = envOfNode(home)
  return {
    ...env,
    CI: '1',
    npm_config_yes: 'true',
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    STRAPI_TELEMETRY_DISABLED: '1',
  }
}

function run({ folder, env }: Site, command: string, args: readonly string[], cwd = folder): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  })
}

function install(site: Site, ...args: readonly string[]): void {
  run(site, 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', ...args])
}

function generate(site: Site, above: string): void {
  const { generator, files = {} } = site.starter
  if (generator !== undefined) run(site, 'npx', generator, above)
  for (const [path, text] of Object.entries(files)) {
    const file = join(site.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** Compiles each better-sqlite3 of the site, unless this was done for its Node before. */
function withCompiled(site: Site, nodes: string): void {
  const major = run(site, 'node', ['--version']).split('.')[0]!.slice(1)
  for (const inside of ['', 'node_modules/membership']) {
    const place = join(site.folder, inside)
    if (!existsSync(join(place, 'node_modules/better-sqlite3'))) continue
    const built = join(place, 'node_modules/better-sqlite3/build')
    const known = join(nodes, `sqlite-${versionIn(place, 'better-sqlite3')}-${major}`)
    if (!existsSync(known)) {
      run(site, 'npm', ['rebuild', '--silent', 'better-sqlite3'])
      cpSync(built, known, { recursive: true })
    }
    cpSync(known, built, { recursive: true })
  }
}

/** Files that an install, a build or a running site writes. */
const written = [
  /^(?:node_modules|dist|build|\.astro|\.cache|\.next|\.nuxt|\.react-router|\.strapi|\.svelte-kit|\.tmp)\//,
  /^(?:data\/membership\.|package-lock\.json$|next-env\.d\.ts$|payload-types\.ts$|payload\.db|types\/generated\/)|\.tsbuildinfo$/,
]

/** Every file of the starter, without what is written by others. */
function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !written[0]!.test(`${name}/`))
      .flatMap((entry) =>
        entry.isFile()
          ? [join(folder, entry.name)]
          : readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true })
              .filter((inner) => inner.isFile())
              .map((inner) => join(inner.parentPath, inner.name)),
      )
      .map((path) => [relative(folder, path), readFileSync(path, 'base64')] as const)
      .filter(([path]) => !written.some((pattern) => pattern.test(path))),
  )
}

function mustBe(after: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): void {
  for (const file of new Set([...Object.keys(before), ...Object.keys(after)]))
    must(before[file] === after[file], `${file} is not as before`)
}

/** Adds once more, and writes a line of the user's into every file that `add` changed. `--rollback` keeps those. */
function keepsEdits(site: Site): void {
  const { folder } = site
  const before = snapshot(folder)
  const { files } = JSON.parse(run(site, 'npx', ['membership', 'add', '--write', '--json'])) as {
    files: readonly { path: string; is_new: boolean }[]
  }
  const changed = files.filter(({ is_new }) => !is_new).map(({ path }) => path)
  must(changed.length > 0, 'no file of the starter was changed')
  for (const path of changed) edit(join(folder, path))
  run(site, 'npx', ['membership', 'add', '--rollback'])
  const after = snapshot(folder)
  // The same lines in the files of before.
  for (const path of changed) {
    writeFileSync(join(folder, path), Buffer.from(before[path]!, 'base64'))
    edit(join(folder, path))
  }
  mustBe(after, snapshot(folder))
}

function edit(file: string): void {
  const text = readFileSync(file, 'utf8')
  if (extname(file) === '.json') {
    writeFileSync(file, text.replace('{', '{\n  "mine": true,'))
    return
  }
  const comment = /\.[cm]?[jt]sx?$/.test(file) ? '//' : '#'
  appendFileSync(file, `${text.endsWith('\n') ? '' : '\n'}${comment} A line of the user.\n`)
}

/** Starts the site, buys, and returns the seconds since `began` when the closed page opened. */
async function buys({ starter, folder, env }: Site, began: number): Promise<number> {
  const { start, page = '/archive' } = starter
  const port = await freePort()
  const site = `http://localhost:${port}`
  const child = spawn('npm', ['run', ...start(port)], {
    cwd: folder,
    detached: true,
    env: { ...env, PORT: String(port), SITE_URL: site },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      said += chunk
    })
  try {
    await up(site)
    const buyer = createBrowser(site)
    must(!(await buyer.open(page)).html.includes('The archive.'), 'a visitor reads the closed page')
    await starter.logIn?.(buyer)
    const { html } = await buyer.open('/membership/prices')
    const action = /action="(\/membership\/subscribe\/[^"]+)"/.exec(html)?.[1]
    must(action !== undefined, `no button of a purchase: ${html.slice(0, 400)}`)
    // With its origin, as browsers send it: frameworks take no form without one.
    const send = async (path: string, token: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ token, ...fields })
      const answer = await buyer.request(path, { method: 'POST', headers: { origin: site }, body })
      const next = answer.headers.get('location')
      must(next !== null, `the form of ${path} was answered ${answer.status}: ${await answer.text()}`)
      return buyer.open(next!)
    }
    const paying = await send(action!, tokenOf(html), { price: 'basic_monthly', redirect: page })
    const card = { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' }
    await send(paying.path, tokenOf(paying.html), card)
    const archive = await buyer.open(page)
    must(
      archive.html.includes('The archive.'),
      `the buyer got ${archive.status}: ${archive.html.slice(0, 400)}`,
    )
    return Math.round((Date.now() - began) / 1000)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${said.slice(-3000)}`)
  } finally {
    // npm and what it starts are one group.
    process.kill(-child.pid!, 'SIGKILL')
    await new Promise((ended) =>
      (child.exitCode ?? child.signalCode) ? ended(null) : child.once('exit', ended),
    )
  }
}
