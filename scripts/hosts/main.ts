/** Builds each host's example from the packed tarball in an empty folder, and walks it: `npm run hosts [koa express …]`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { freePort } from '../../test/support/databases.ts'
import { installInto, packInto, versionIn } from '../install.ts'
import { runPrisma } from './prisma.ts'
import { table } from './table.ts'
import { type Walked, walk } from './walk.ts'

const root = join(import.meta.dirname, '../..')
const secret = 'whsec_of_the_walk'

interface Host {
  readonly title: string
  readonly packages: readonly string[]
  /** A folder of its own, for a package that another host has in another version. */
  readonly apart?: string
  /** The example's folder where its commands run; else the one above all examples. */
  readonly inside?: string
  readonly env?: Readonly<Record<string, string>>
  /** Commands before the site starts, in its folder. */
  readonly build?: readonly (readonly string[])[]
  readonly start: readonly string[]
  readonly bundle?: string
  /** A browser behind the gate is shown the package's page, without a word of the example. */
  readonly showsLocked?: boolean
  /** What its version needs beside the example; only where it has a folder of its own. */
  readonly files?: Readonly<Record<string, string>>
  /** The oldest Node that it asks for, where that is newer than ours. */
  readonly fromNode?: number
}
const node = (file: string) => [process.execPath, file]
const next = ['node_modules/next/dist/bin/next']
const nextJs = (major: number, bundle: string) => ({
  title: `Next ${major}, app router`,
  packages: [`next@${major}`, 'react@19', 'react-dom@19'],
  build: [[...next, 'build', 'next']],
  start: [process.execPath, ...next, 'start', 'next'],
  bundle,
})
const nest = (adapter: string, main: string, packages: readonly string[]): Host => ({
  title: `NestJS 12 on ${adapter}`,
  packages: [
    '@nestjs/core@12',
    '@nestjs/common@12',
    'reflect-metadata',
    'rxjs@7',
    'typescript@5',
    ...packages,
  ],
  build: [['node_modules/typescript/bin/tsc', '-p', 'nest']],
  start: node(`out/nest/${main}.js`),
  showsLocked: true,
})
const bundled = (name: string, packages: readonly string[]): Host => ({
  title: 'plain Node, bundled',
  packages: [name, ...packages],
  build: [[`bundle-${name}.mjs`]],
  start: node(`out/${name}.mjs`),
  bundle: name,
})
const svelteKit = (major: number, adapter: number, plugin: number, vite: number): Host => ({
  title: `SvelteKit ${major}, adapter-node`,
  packages: [
    `@sveltejs/kit@${major}`,
    `@sveltejs/adapter-node@${adapter}`,
    `@sveltejs/vite-plugin-svelte@${plugin}`,
    'svelte@5',
    `vite@${vite}`,
  ],
  inside: 'sveltekit',
  build: [['../node_modules/vite/bin/vite.js', 'build']],
  start: node('build/index.js'),
  bundle: 'Vite',
})
const astro = (major: number, adapter: number): Host => ({
  title: `Astro ${major}, node adapter`,
  packages: [`astro@${major}`, `@astrojs/node@${adapter}`],
  inside: 'astro',
  build: [[`../node_modules/astro/${major < 7 ? 'astro.js' : 'bin/astro.mjs'}`, 'build']],
  start: node('dist/server/entry.mjs'),
  env: { HOST: '127.0.0.1', ASTRO_TELEMETRY_DISABLED: '1' },
  bundle: 'Vite',
})
const rollupPlugins = ['commonjs', 'json', 'node-resolve'].map((one) => `@rollup/plugin-${one}`)
const all: Record<string, Host> = {
  koa: { title: 'Koa 3', packages: ['koa@3'], start: node('koa.mjs'), showsLocked: true },
  express: { title: 'Express 5', packages: ['express@5'], start: node('express.mjs') },
  fastify: { title: 'Fastify 5', packages: ['fastify@5'], start: node('fastify.mjs') },
  hono: { title: 'Hono 4 on Node', packages: ['hono@4', '@hono/node-server@1'], start: node('hono.mjs') },
  node: { title: 'plain Node', packages: [], start: node('node.mjs') },
  commonjs: { title: 'CommonJS', packages: [], start: node('commonjs.cjs') },
  next: nextJs(16, 'Turbopack'),
  next15: { ...nextJs(15, 'webpack'), apart: 'next-15' },
  nest: nest('Express', 'main', ['@nestjs/platform-express@12']),
  'nest-fastify': nest('Fastify', 'main-fastify', ['@nestjs/platform-fastify@12', 'fastify@5']),
  sveltekit2: {
    ...svelteKit(2, 5, 6, 7),
    apart: 'sveltekit-2',
    files: {
      'sveltekit/vite.config.js':
        "import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n",
      'sveltekit/svelte.config.js':
        "import adapter from '@sveltejs/adapter-node'\nexport default { kit: { adapter: adapter() } }\n",
    },
  },
  sveltekit: { ...svelteKit(3, 6, 7, 8), fromNode: 22 },
  astro5: { ...astro(5, 9), apart: 'astro-5' },
  astro: { ...astro(7, 11), apart: 'astro-7', fromNode: 22 },
  strapi: {
    title: 'Strapi 5, a plugin',
    packages: [
      '@strapi/strapi@5.54',
      '@strapi/plugin-users-permissions@5.54',
      'react@18',
      'react-dom@18',
      'react-router-dom@6',
      'styled-components@6',
    ],
    apart: 'strapi-5',
    inside: 'strapi',
    start: [...node('../node_modules/@strapi/strapi/bin/strapi.js'), 'start'],
    env: { HOST: '127.0.0.1', STRAPI_TELEMETRY_DISABLED: '1' },
  },
  esbuild: bundled('esbuild', []),
  rollup: bundled('rollup', rollupPlugins),
  webpack: { ...bundled('webpack', []), start: node('out/webpack.cjs') },
}

const asked = process.argv.slice(2).filter((one) => !one.startsWith('--'))
if (asked[0] === 'prisma') process.exit((await runPrisma()) ? 0 : 1)
const [major = '0'] = process.versions.node.split('.')
const runsHere = (name: string) => Number(major) >= (all[name]!.fromNode ?? 0)
const names = asked.length > 0 ? asked : Object.keys(all).filter(runsHere)
// A folder with everything installed saves the install.
const kept = process.env.HOSTS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-hosts-'))
const clear = () => kept ?? rmSync(folder, { recursive: true, force: true })
const run = (command: string, args: readonly string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })

const tarballIn = (place: string): string => {
  const given = process.env.MEMBERSHIP_TARBALL
  if (given !== undefined) return given
  if (!existsSync(join(root, 'dist/index.js'))) run('npm', ['run', '--silent', 'build'], root)
  return packInto(place)
}
const install = (apart: string | undefined): void => {
  const place = join(folder, apart ?? '')
  cpSync(join(root, 'examples/hosts'), place, { recursive: true })
  const here = names.map((name) => all[name]!).filter((host) => host.apart === apart)
  for (const { files = {} } of here)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  if (kept !== undefined) return
  const packages = [...new Set(here.flatMap((host) => host.packages))]
  installInto(place, [tarballIn(place), 'stripe', ...packages])
}

const walkHost = async (name: string, host: Host): Promise<Walked | string> => {
  const { build = [], start, apart = '', inside = '' } = host
  const cwd = join(folder, apart, inside)
  const merchant = await createFakeStripe({ seed: 1 })
  merchant.addPrice({ id: 'price_pro', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const data = join(folder, `data-${name}`)
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
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
    STRIPE_SECRET: merchant.secret,
    STRIPE_API_BASE: merchant.url,
    STRIPE_WEBHOOK_SECRET: secret,
    MEMBERSHIP_DATABASE: `sqlite:${join(data, 'site.db')}`,
  }
  merchant.sendTo({ url: `${site}/membership/webhooks/stripe`, secret })
  let child: ChildProcess | null = null
  let said = ''
  try {
    for (const args of build) execFileSync(process.execPath, args, { cwd, env, stdio: 'pipe' })
    child = spawn(start[0]!, start.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += chunk
      })
    return await walk(site, merchant, { secret, showsLocked: host.showsLocked === true })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: Buffer; stderr?: Buffer }
    return `${(error as Error).message}\n${stdout}${stderr}${said}`.slice(0, 4000)
  } finally {
    child?.kill('SIGKILL')
    await merchant.close()
  }
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
const version = (name: string) => versionIn(join(folder, all[names[0]!]!.apart ?? ''), name)
console.log(`membership ${version('membership')} from its tarball, Node ${process.version}`)
const rows = []
for (const name of names) {
  const began = Date.now()
  const walked = await walkHost(name, all[name]!)
  rows.push({ ...all[name]!, walked })
  console.log(
    `${typeof walked === 'string' ? '✘' : '✔'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)${typeof walked === 'string' ? `\n${walked}` : ''}`,
  )
}
console.log(table(rows))
clear()
if (rows.some(({ walked }) => typeof walked === 'string')) process.exitCode = 1
