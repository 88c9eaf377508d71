import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createBrowser } from '../../test/support/browser.ts'
import { freePort } from '../../test/support/databases.ts'
import { versionIn, withBuiltSqlite } from '../install.ts'
import { must, up } from './walk.ts'

/** A starter as its generator writes it, or as the documentation of its host prints it. */
interface Starter {
  /** Arguments of npx that write it into the folder `site`. */
  readonly generator?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** What starts the site on a port; `npm run` and these. */
  readonly start: (port: number) => readonly string[]
  /** The package whose version is printed. */
  readonly package: string
}

const starters: Readonly<Record<string, Starter>> = {
  koa: {
    files: {
      'package.json':
        '{ "type": "module", "scripts": { "start": "node app.js" }, "dependencies": { "koa": "^3.0.0" } }\n',
      'app.js':
        "import Koa from 'koa';\nconst app = new Koa();\n\napp.use(async ctx => {\n  ctx.body = 'Hello World';\n});\n\napp.listen(process.env.PORT ?? 3000);\n",
    },
    start: () => ['start'],
    package: 'koa',
  },
  express: {
    generator: ['express-generator@4.16.1', '--no-view', 'site'],
    start: () => ['start'],
    package: 'express',
  },
  hono: {
    files: {
      'package.json':
        '{ "type": "module", "scripts": { "dev": "tsx watch src/index.ts", "build": "tsc", "start": "node dist/index.js" }, "dependencies": { "@hono/node-server": "^1.19.9", "hono": "^4.11.9" }, "devDependencies": { "@types/node": "^20.11.17", "tsx": "^4.7.1", "typescript": "^5.8.3" } }\n',
      'tsconfig.json':
        '{ "compilerOptions": { "target": "ESNext", "module": "NodeNext", "strict": true, "verbatimModuleSyntax": true, "skipLibCheck": true, "types": ["node"], "outDir": "./dist" }, "exclude": ["node_modules"] }\n',
      'src/index.ts':
        "import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\n\nconst app = new Hono()\n\napp.get('/', (c) => {\n  return c.text('Hello Hono!')\n})\n\nserve({\n  fetch: app.fetch,\n  port: Number(process.env.PORT ?? 3000)\n})\n",
    },
    start: () => ['dev'],
    package: 'hono',
  },
  fastify: {
    files: {
      'package.json':
        '{ "scripts": { "start": "node server.js" }, "dependencies": { "fastify": "^5.0.0" } }\n',
      'server.js':
        "const fastify = require('fastify')({\n  logger: true\n})\n\nfastify.get('/', function (request, reply) {\n  reply.send({ hello: 'world' })\n})\n\nfastify.listen({ port: Number(process.env.PORT ?? 3000) }, function (err, address) {\n  if (err) {\n    fastify.log.error(err)\n    process.exit(1)\n  }\n})\n",
    },
    start: () => ['start'],
    package: 'fastify',
  },
  nest: {
    generator: ['@nestjs/cli@12', 'new', 'site', '--skip-install', '--skip-git', '--package-manager', 'npm'],
    start: () => ['start'],
    package: '@nestjs/core',
  },
  next: {
    generator: [
      ...['create-next-app@16', 'site', '--ts', '--app', '--no-eslint', '--no-tailwind', '--no-src-dir'],
      ...['--import-alias', '@/*', '--skip-install', '--yes', '--disable-git'],
    ],
    start: (port) => ['dev', '--', '--port', String(port)],
    package: 'next',
  },
  sveltekit: {
    generator: [
      'sv@latest',
      'create',
      'site',
      '--template',
      'minimal',
      '--types',
      'ts',
      '--no-add-ons',
      '--no-install',
    ],
    start: (port) => ['dev', '--', '--port', String(port)],
    package: '@sveltejs/kit',
  },
}

/** Puts memberships into starters with `add`, buys in the sandbox, opens the closed page, and takes everything out
 *  again: `npm run hosts add [koa express …]`. Seconds count from `add` to the page that opened. */
export async function walkAdd(names: readonly string[], tarball: string): Promise<boolean> {
  let isWell = true
  for (const name of names.length > 0 ? names : Object.keys(starters)) {
    const starter = starters[name]
    if (starter === undefined)
      throw new TypeError(`No starter "${name}": ${Object.keys(starters).join(', ')}`)
    try {
      console.log(`✔ ${name}: ${await walkStarter(starter, tarball)}`)
    } catch (error) {
      isWell = false
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
      console.log(`✘ ${name}\n${message}\n${stdout}${stderr}`.slice(0, 6000))
    }
  }
  return isWell
}

async function walkStarter(starter: Starter, tarball: string): Promise<string> {
  const above = mkdtempSync(join(tmpdir(), 'membership-add-'))
  const site = join(above, 'site')
  try {
    generate(starter, above)
    run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline'], site)
    // A starter may have a package that is too old. The first install of ours therefore takes any.
    run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', '--legacy-peer-deps', tarball],
      site,
    )
    withBuiltSqlite(site)
    const before = snapshot(site)
    const began = Date.now()
    const said = run('npx', ['membership', 'add', '--write'], site)
    must(!said.includes('For you to write'), said)
    run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', '--prefer-offline'],
      site,
    )
    const lock = readFileSync(join(site, 'package-lock.json'))
    const opened = await buys(starter, site, began)
    run('npx', ['membership', 'add', '--rollback'], site)
    must(lock.length > 0, 'no lock file')
    const after = snapshot(site)
    for (const file of new Set([...Object.keys(before), ...Object.keys(after)]))
      must(before[file] === after[file] || isBuilt(file), `${file} is not as before`)
    return `${starter.package} ${versionIn(site, starter.package)}, ${opened} s`
  } finally {
    rmSync(above, { recursive: true, force: true, maxRetries: 5 })
  }
}

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CI: '1', NEXT_TELEMETRY_DISABLED: '1', npm_config_yes: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  })

function generate({ generator, files = {} }: Starter, above: string): void {
  if (generator !== undefined) run('npx', generator, above)
  for (const [path, text] of Object.entries(files)) {
    const file = join(above, 'site', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const isBuilt = (file: string): boolean =>
  /^(?:node_modules|data|dist|\.next|\.svelte-kit|package-lock\.json|next-env\.d\.ts|tsconfig\.tsbuildinfo)/.test(
    file,
  )

/** Every file of the starter, without what an install or a build writes. */
const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !isBuilt(name))
      .flatMap((entry) =>
        entry.isFile()
          ? [join(folder, entry.name)]
          : readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true })
              .filter((inner) => inner.isFile())
              .map((inner) => join(inner.parentPath, inner.name)),
      )
      .map((path) => [relative(folder, path), readFileSync(path, 'base64')]),
  )

/** Starts the site, buys, and returns the seconds since `began` when the closed page opened. */
async function buys(starter: Starter, cwd: string, began: number): Promise<string> {
  const port = await freePort()
  const site = `http://localhost:${port}`
  const { NODE_ENV: _, ...env } = process.env
  const child = spawn('npm', ['run', ...starter.start(port)], {
    cwd,
    detached: true,
    env: { ...env, PORT: String(port), SITE_URL: site, NEXT_TELEMETRY_DISABLED: '1' },
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
    must(!(await buyer.open('/archive')).html.includes('The archive.'), 'a visitor reads the closed page')
    const { html } = await buyer.open('/membership/prices')
    const action = /action="(\/membership\/subscribe\/[^"]+)"/.exec(html)?.[1]
    must(action !== undefined, `no button of a purchase: ${html.slice(0, 400)}`)
    const paying = await buyer.submit(action!, { price: 'basic_monthly', redirect: '/archive' })
    await buyer.submit(paying.path, { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' })
    const archive = await buyer.open('/archive')
    must(
      archive.html.includes('The archive.'),
      `the buyer got ${archive.status}: ${archive.html.slice(0, 400)}`,
    )
    return ((Date.now() - began) / 1000).toFixed(0)
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
