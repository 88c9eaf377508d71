import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { planAdd } from '../../src/site/add/index.ts'
import { createBrowser, until } from '../support/browser.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { freePort } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { toProgram } from '../support/programs.ts'

const root = join(import.meta.dirname, '../..')
type Files = Readonly<Record<string, string>>

/** A folder with these files, gone after the test. */
async function folderWith(t: ExecutionContext, files: Files, above = tmpdir()) {
  const folder = await mkdtemp(join(above, '.add-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}
function textOf(folder: string, path: string) {
  return readFileSync(join(folder, path), 'utf8')
}
function replaceIn(folder: string, path: string, before: string, after: string) {
  return writeFile(
    join(folder, path),
    textOf(folder, path).replace(before, () => after),
  )
}

/** Every file and folder with its bytes. */
function snapshot(folder: string): Record<string, string | null> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length), entry.isFile() ? readFileSync(path, 'base64') : null]
    }),
  )
}

// https://koajs.com
const koa: Files = {
  'package.json':
    '{\n  "name": "site",\n  "type": "module",\n  "main": "app.js",\n  "dependencies": {\n    "koa": "^3.0.1"\n  }\n}\n',
  'app.js':
    "import Koa from 'koa';\n\nconst app = new Koa();\n\napp.use(async ctx => {\n  ctx.body = 'Hello World';\n});\n\napp.listen(process.env.PORT ?? 3000);\n",
}
// https://expressjs.com/en/starter/hello-world.html
const express: Files = {
  'package.json':
    '{\n  "name": "site",\n  "type": "module",\n  "scripts": {\n    "start": "node index.js"\n  },\n  "dependencies": {\n    "express": "^5.1.0"\n  }\n}\n',
  'index.js':
    "import express from 'express'\nconst app = express()\nconst port = process.env.PORT ?? 3000\n\napp.use(express.json())\n\napp.get('/', (req, res) => {\n  res.send('Hello World!')\n})\n\napp.listen(port, () => {\n  console.log('Listening')\n})\n",
}
// As create-hono writes its template for Node, with the port from the environment.
const hono: Files = {
  'package.json':
    '{\n  "name": "site",\n  "type": "module",\n  "scripts": {\n    "dev": "tsx watch src/index.ts",\n    "build": "tsc",\n    "start": "node dist/index.js"\n  },\n  "dependencies": {\n    "@hono/node-server": "^1.19.9",\n    "hono": "^4.11.9"\n  },\n  "devDependencies": {\n    "@types/node": "^20.11.17",\n    "tsx": "^4.7.1",\n    "typescript": "^5.8.3"\n  }\n}\n',
  'tsconfig.json':
    '{\n  "compilerOptions": {\n    "target": "ESNext",\n    "module": "NodeNext",\n    "strict": true,\n    "outDir": "./dist"\n  }\n}\n',
  '.gitignore': 'dist/\nnode_modules/\n.env',
  'src/index.ts':
    "import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\n\nconst app = new Hono()\n\napp.get('/', (c) => {\n  return c.text('Hello Hono!')\n})\n\nserve({\n  fetch: app.fetch,\n  port: Number(process.env.PORT ?? 3000)\n})\n",
}
// https://fastify.dev/docs/latest/Guides/Getting-Started/
const fastify: Files = {
  'package.json':
    '{\n  "type": "module",\n  "scripts": { "start": "node server.js" },\n  "dependencies": { "fastify": "^5.0.0" }\n}\n',
  'server.js':
    "import Fastify from 'fastify'\nconst fastify = Fastify({\n  logger: true\n})\n\nfastify.get('/', function (request, reply) {\n  reply.send({ hello: 'world' })\n})\n\nfastify.listen({ port: Number(process.env.PORT ?? 3000) }, function (err, address) {\n  if (err) {\n    fastify.log.error(err)\n    process.exit(1)\n  }\n})\n",
}

/** Starts a site, and returns its address once it answers, and what ends it. */
async function started(t: ExecutionContext, folder: string, entry: string) {
  const port = await freePort()
  const program = await toProgram(join(folder, entry), join(folder, 'started.mjs'))
  const { NODE_ENV: _, SITE_URL: __, ...env } = process.env
  const child: ChildProcess = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  t.teardown(stop)
  const site = `http://localhost:${port}`
  await until(
    () =>
      fetch(site).then(
        ({ ok }) => ok,
        () => false,
      ),
    (isUp) => isUp,
    60_000,
  )
  return { site, stop }
}

for (const [part, name, files, entry] of [
  [test, 'Koa', koa, 'app.js'],
  [thorough(test), 'Express', express, 'index.js'],
  [thorough(test), 'Hono', hono, 'src/index.ts'],
  [thorough(test), 'Fastify', fastify, 'server.js'],
] as const)
  part.serial(
    `a starter of ${name} sells a paid page after add, and is as before after --rollback`,
    async (t) => {
      // Inside the project, so that packages are found.
      const folder = await folderWith(t, files, root)
      const before = snapshot(folder)
      const { code, stdout } = await spawnCommand(folder, ['add', '--write'])
      t.is(code, 0, stdout)
      t.regex(stdout, /npm install/)
      t.false(stdout.includes('For you to write'), stdout)
      t.regex(stdout, /http:\/\/localhost:3000\/archive\n/)

      const { site, stop } = await started(t, folder, entry)
      const buyer = createBrowser(site)
      const locked = await buyer.open('/archive')
      t.is(locked.status, 403)
      const action = /action="(\/membership\/subscribe\/[^"]+)"/.exec(locked.html)?.[1] ?? ''
      const paying = await buyer.submit(action, { price: 'basic_monthly', redirect: '/archive' })
      await buyer.submit(paying.path, { email: 'ada@example.com', name: 'Ada', card: '4242424242424242' })
      const archive = await buyer.open('/archive')
      t.deepEqual([archive.status, archive.html], [200, 'The archive.'])

      await stop()
      await rm(join(folder, 'data'), { recursive: true })
      await rm(join(folder, 'started.mjs'))
      const undone = await spawnCommand(folder, ['add', '--rollback'])
      t.is(undone.code, 0, undone.stderr)
      t.deepEqual(snapshot(folder), before)
    },
  )

test.serial('add shows its changes and writes nothing without --write', async (t) => {
  const folder = await folderWith(t, { ...hono, '.env': 'KEY=very-secret\n' })
  const before = snapshot(folder)
  const { code, stdout } = await runCommand(folder, ['add', '--provider', 'stripe'])
  t.is(code, 0)
  t.regex(stdout, /^\+const|^\+import \{ membershipHost \} from '\.\/membership-host\.js'$/m)
  t.regex(stdout, /^\+app\.use\(membershipHost\.middleware\(\)\)/m)
  t.regex(stdout, /^\+STRIPE_SECRET=$/m)
  t.regex(stdout, /^\+ {4}"stripe": /m)
  t.false(stdout.includes('very-secret'))
  t.regex(stdout, /Nothing was written\. To write it: membership add --write/)
  t.deepEqual(snapshot(folder), before)
})

test.serial('--rollback keeps what was changed since, and names a new file that was edited', async (t) => {
  const folder = await folderWith(t, koa)
  await runCommand(folder, ['add', '--write'])
  await replaceIn(folder, 'app.js', "'Hello World'", "'Hello Ada'")
  await replaceIn(folder, 'app.js', 'const app', "import './log.js';\n\nconst app")
  await replaceIn(folder, 'package.json', '\n  }\n}', ',\n    "zod": "^4.0.0"\n  }\n}')
  const done = await runCommand(folder, ['add', '--rollback'])
  t.is(done.code, 0, done.stdout)
  t.regex(done.stdout, /Taken out, and your changes kept: app\.js/)
  t.is(
    textOf(folder, 'app.js'),
    koa['app.js']!.replace("'Hello World'", "'Hello Ada'").replace(
      'const app',
      "import './log.js';\n\nconst app",
    ),
  )
  t.is(
    textOf(folder, 'package.json'),
    koa['package.json']!.replace('"^3.0.1"', '"^3.0.1",\n    "zod": "^4.0.0"'),
  )

  await runCommand(folder, ['add', '--write'])
  await replaceIn(folder, 'membership.config.js', "name: 'Basic'", "name: 'Mine'")
  const kept = await runCommand(folder, ['add', '--rollback'])
  t.is(kept.code, 2)
  t.regex(kept.stdout, /Left to you: membership\.config\.js, because it changed since it was made/)
  t.regex(textOf(folder, 'membership.config.js'), /Mine/)
  t.deepEqual(readdirSync(folder).sort(), [
    '.membership-add',
    'app.js',
    'membership.config.js',
    'package.json',
  ])
})

test.serial('add as JSON lists the files, what is left, and what was written', async (t) => {
  const folder = await folderWith(t, koa)
  const asked = JSON.parse((await runCommand(folder, ['add', '--json'])).stdout)
  t.like(asked, { host: 'koa', package_manager: 'npm', written: false, left: [], kept: [] })
  t.deepEqual(asked.files[0], { path: 'app.js', is_new: false })
  t.is(asked.address, 'http://localhost:3000/archive')
  const done = JSON.parse((await runCommand(folder, ['add', '--json', '--write'])).stdout)
  t.true(done.written)
  t.true(textOf(folder, 'app.js').includes('membershipHost'))
})

test.serial('add refuses what it cannot do, and names the fix', async (t) => {
  const refused = async (files: Files, ...flags: readonly string[]) => {
    const folder = await folderWith(t, files)
    const before = snapshot(folder)
    const { code, stderr } = await runCommand(folder, ['add', '--write', ...flags])
    t.is(code, 1)
    t.deepEqual(snapshot(folder), before)
    return stderr
  }
  t.regex(await refused({}), /no package\.json in .*\n→ .*membership init/)
  t.regex(await refused({ 'package.json': '{}' }), /No host is among the packages[\s\S]*--host payload\|/)
  t.regex(await refused({ 'package.json': 'no json' }), /is no JSON/)
  t.regex(
    await refused({ ...koa, 'membership.config.js': 'export default {}' }),
    /has memberships already: membership\.config\.js\.\n→ .*doctor.*--rollback/,
  )
  const second = { ...koa, 'package.json': '{ "dependencies": { "koa": "3" } }', 'b.js': koa['app.js']! }
  t.regex(await refused(second), /Several places .*: app\.js:3, b\.js:3\.\n→ .*--entry app\.js/)
  t.regex(await refused(koa, '--entry', 'package.json'), /package\.json makes no application of koa/)
  t.regex(await refused(koa, '--rollback'), /--write and --rollback do not go together/)
  const folder = await folderWith(t, koa)
  t.regex((await runCommand(folder, ['add', '--rollback'])).stderr, /nothing to take back/)
})

test.serial('add names files that are not committed, and goes on', async (t) => {
  const folder = await folderWith(t, koa)
  execFileSync('git', ['init', '--quiet', folder])
  const { code, stdout, stderr } = await runCommand(folder, ['add'])
  t.is(code, 0)
  t.regex(stderr, /not committed to git yet: app\.js, package\.json\. .*--rollback/)
  t.regex(stdout, /\+\+\+ b\/app\.js/)
})

const standard = { database: 'sqlite', provider: 'sandbox', mails: 'log', packages: [] } as const
/** The files of a plan as they would be, by path. */
async function planned(t: ExecutionContext, files: Files) {
  const plan = planAdd(await folderWith(t, files), standard)
  const after = Object.fromEntries(plan.files.map(({ path, after }) => [path, after]))
  return { ...plan, after }
}

test('membership is mounted below the sessions that identify reads, and above body parsers', async (t) => {
  const { after } = await planned(t, {
    ...express,
    'index.js':
      "import express from 'express'\nimport session from 'express-session'\n\nconst app = express()\napp.use(session({ secret: 'x' }))\napp.use(passport.session())\napp.use(express.json())\n",
  })
  t.regex(
    after['index.js']!,
    /passport\.session\(\)\)\napp\.use\(membershipHost\.middleware\(\)\).*\napp\.get\('\/archive', .*\napp\.use\(express\.json/,
  )
})

test('a site that is loaded by require() waits in its requests', async (t) => {
  // As express-generator writes it.
  const { after, left } = await planned(t, {
    'package.json':
      '{\n  "scripts": {\n    "start": "node ./bin/www"\n  },\n  "dependencies": {\n    "express": "~4.16.1",\n    "morgan": "~1.9.1"\n  }\n}\n',
    'app.js':
      "var express = require('express');\nvar logger = require('morgan');\n\nvar indexRouter = require('./routes/index');\n\nvar app = express();\n\napp.use(logger('dev'));\napp.use(express.json());\napp.use('/', indexRouter);\n\nmodule.exports = app;\n",
    'bin/www':
      "#!/usr/bin/env node\nvar app = require('../app');\nvar port = normalizePort(process.env.PORT || '3001');\n",
    'routes/index.js':
      "var express = require('express');\nvar router = express.Router();\nmodule.exports = router;\n",
  })
  t.deepEqual(left, [])
  t.regex(
    after['app.js']!,
    /'\.\/routes\/index'\);\nconst \{ membershipHost \} = require\('\.\/membership-host'\);\n/,
  )
  t.regex(after['app.js']!, /var app = express\(\);\napp\.use\(membershipHost\.middleware\(\)\);/)
  t.regex(after['membership-host.js']!, /^const opening = createMembership\(options\)/m)
  t.regex(after['membership.config.js']!, /^module\.exports = \{$/m)
  t.regex(after['membership.config.js']!, /PORT \?\? 3001/)
  t.regex(after['package.json']!, /"express": "\^4\.18\.0"/)
})

test('a CRLF file keeps its line breaks, and a file with double quotes its quotes', async (t) => {
  const crlf = koa['app.js']!.replaceAll("'", '"').replaceAll('\n', '\r\n')
  const { after } = await planned(t, { ...koa, 'app.js': crlf })
  t.regex(after['app.js']!, /import \{ membershipHost \} from "\.\/membership-host\.js";\r\n/)
  t.false(/[^\r]\n/.test(after['app.js']!))
})

test('what cannot be placed is printed with file and line', async (t) => {
  const folder = await folderWith(t, {
    ...koa,
    'app.js': "import Koa from 'koa'\nconst app = new Koa(); app.listen(3000)\n",
  })
  const { stdout } = await runCommand(folder, ['add'])
  t.regex(
    stdout,
    /For you to write: app\.js:2\n.*\n {4}import \{ membershipHost \}.*\n {4}app\.use\(membershipHost\.routes\)/,
  )
  const none = await folderWith(t, { 'package.json': '{ "dependencies": { "hono": "4" } }' })
  t.regex(
    (await runCommand(none, ['add'])).stdout,
    /For you to write: your server\n.*--entry[\s\S]*app\.use\(/,
  )
})

test('the package manager is that of the lock file, also above in a workspace', async (t) => {
  const folder = await folderWith(t, {
    'pnpm-lock.yaml': '',
    'apps/site/package.json': koa['package.json']!,
    'apps/site/app.js': koa['app.js']!,
  })
  const { packageManager, commands } = planAdd(join(folder, 'apps/site'), standard)
  t.is(packageManager, 'pnpm')
  t.deepEqual(commands.slice(0, 2), ['pnpm install', 'pnpm approve-builds'])
})

// As their generators write them, in the parts that matter here.
const frameworks: Readonly<
  Record<
    string,
    {
      files: Files
      after: Readonly<Record<string, string>>
      created: readonly string[]
      left?: number
      address?: string
    }
  >
> = {
  nest: {
    files: {
      'package.json':
        '{ "type": "module", "scripts": { "start:dev": "nest start --watch" }, "dependencies": { "@nestjs/core": "^12.0.1", "@nestjs/platform-express": "^12.0.1" } }\n',
      'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" } }',
      'src/main.ts':
        "import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module.js';\n\nasync function bootstrap() {\n  const app = await NestFactory.create(AppModule);\n  await app.listen(process.env.PORT ?? 3000);\n}\nawait bootstrap();\n",
      'src/app.module.ts':
        "import { Module } from '@nestjs/common';\nimport { AppController } from './app.controller.js';\n\n@Module({\n  imports: [],\n  controllers: [AppController],\n})\nexport class AppModule {}\n",
    },
    after: {
      'src/main.ts':
        "import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module.js';\nimport { membershipHost } from './membership-host.js';\n\nasync function bootstrap() {\n  const app = await NestFactory.create(AppModule);\n  await membershipHost.mount(app); // the visitor of each request, and the pages below /membership; above every body parser\n  await app.listen(process.env.PORT ?? 3000);\n}\nawait bootstrap();\n",
      'src/app.module.ts':
        "import { Module } from '@nestjs/common';\nimport { AppController } from './app.controller.js';\nimport { ArchiveController } from './archive.controller.js';\n\n@Module({\n  imports: [],\n  controllers: [AppController, ArchiveController],\n})\nexport class AppModule {}\n",
    },
    created: ['src/archive.controller.ts', 'src/membership-host.ts', 'src/membership.config.ts'],
  },
  next: {
    files: {
      'package.json': '{ "dependencies": { "next": "16.4.3", "react": "19.3.0" } }\n',
      'tsconfig.json': '{}',
      'next.config.ts': 'export default { cacheComponents: true };\n',
      'src/app/layout.tsx': 'export default function Layout() {}\n',
    },
    after: {},
    created: [
      'membership.config.ts',
      'src/app/archive/page.tsx',
      'src/app/membership/[...path]/route.ts',
      'src/lib/membership.ts',
    ],
  },
  nuxt: {
    files: {
      'package.json': '{ "type": "module", "dependencies": { "nuxt": "^4.2.0" } }\n',
      'tsconfig.json': '{}',
      'nuxt.config.ts':
        "// https://nuxt.com/docs/api/configuration/nuxt-config\nexport default defineNuxtConfig({\n  compatibilityDate: '2025-07-15',\n  devtools: { enabled: true }\n})\n",
    },
    after: {
      'nuxt.config.ts':
        "// https://nuxt.com/docs/api/configuration/nuxt-config\nexport default defineNuxtConfig({\n  compatibilityDate: '2025-07-15',\n  devtools: { enabled: true },\n  modules: ['membership/nuxt']\n})\n",
    },
    created: ['membership.config.ts', 'server/routes/archive.get.ts'],
  },
  astro: {
    files: {
      'package.json': '{ "type": "module", "dependencies": { "astro": "^5.16.0" } }\n',
      'tsconfig.json': '{}',
      'astro.config.mjs':
        "// @ts-check\nimport { defineConfig } from 'astro/config';\n\n// https://astro.build/config\nexport default defineConfig({});\n",
    },
    after: {
      'astro.config.mjs':
        "// @ts-check\nimport { defineConfig } from 'astro/config';\nimport node from '@astrojs/node';\nimport membership from 'membership/astro';\n\n// https://astro.build/config\nexport default defineConfig({\n  integrations: [membership({ gates: { '/archive': 'basic' } })],\n  adapter: node({ mode: 'standalone' }),\n});\n",
      'package.json': '',
    },
    created: ['membership.config.ts', 'src/pages/archive.astro'],
  },
  sveltekit: {
    files: {
      'package.json': '{ "type": "module", "devDependencies": { "@sveltejs/kit": "^2.63.0" } }\n',
      'tsconfig.json': '{}',
      'src/hooks.server.ts': 'export const handle = async ({ event, resolve }) => resolve(event)\n',
    },
    after: {},
    created: [
      'membership.config.ts',
      'src/lib/server/membership.ts',
      'src/routes/archive/+page.server.ts',
      'src/routes/archive/+page.svelte',
    ],
    left: 1,
  },
  'react-router': {
    files: {
      'package.json': '{ "type": "module", "devDependencies": { "@react-router/dev": "^7.9.0" } }\n',
      'tsconfig.json': '{}',
      'react-router.config.ts':
        'import type { Config } from "@react-router/dev/config";\n\nexport default {\n  // Config options...\n  ssr: true,\n} satisfies Config;\n',
      'app/routes.ts':
        'import { type RouteConfig, index } from "@react-router/dev/routes";\n\nexport default [index("routes/home.tsx")] satisfies RouteConfig;\n',
      'app/root.tsx':
        'import { Outlet } from "react-router";\n\nexport default function App() {\n  return <Outlet />;\n}\n',
    },
    after: {
      'react-router.config.ts':
        'import type { Config } from "@react-router/dev/config";\n\nexport default {\n  // Config options...\n  ssr: true,\n  future: { v8_middleware: true },\n} satisfies Config;\n',
      'app/routes.ts':
        'import { type RouteConfig, index } from "@react-router/dev/routes";\nimport { route } from "@react-router/dev/routes";\n\nexport default [index("routes/home.tsx"), route("membership/*", "routes/membership.ts"), route("archive", "routes/archive.tsx")] satisfies RouteConfig;\n',
      'app/root.tsx':
        'import { Outlet } from "react-router";\nimport { host } from "./membership.server";\n\nexport const middleware = [host.middleware];\n\nexport default function App() {\n  return <Outlet />;\n}\n',
    },
    created: [
      'app/membership.server.ts',
      'app/routes/archive.tsx',
      'app/routes/membership.ts',
      'membership.config.ts',
    ],
  },
  payload: {
    files: {
      'package.json': '{ "type": "module", "dependencies": { "payload": "3.90.2", "next": "16.4.3" } }\n',
      'tsconfig.json': '{}',
      'next.config.ts':
        "import { withPayload } from '@payloadcms/next/withPayload'\nimport type { NextConfig } from 'next'\n\nconst nextConfig: NextConfig = {\n  images: {},\n}\n\nexport default withPayload(nextConfig, { devBundleServerPackages: false })\n",
      'src/payload.config.ts':
        "import { buildConfig } from 'payload'\n\nimport { Users } from './collections/Users'\n\nexport default buildConfig({\n  collections: [Users],\n  plugins: [],\n})\n",
      'src/app/(frontend)/page.tsx': '',
    },
    after: {
      'next.config.ts':
        "import { withPayload } from '@payloadcms/next/withPayload'\nimport type { NextConfig } from 'next'\n\nconst nextConfig: NextConfig = {\n  images: {},\n  serverExternalPackages: ['membership'],\n}\n\nexport default withPayload(nextConfig, { devBundleServerPackages: false })\n",
      'src/payload.config.ts':
        "import { buildConfig } from 'payload'\n\nimport { Users } from './collections/Users'\nimport { membershipPlugin } from 'membership/payload'\nimport options from '../membership.config'\n\nexport default buildConfig({\n  collections: [Users, { slug: 'members', auth: { verify: true }, fields: [] }],\n  plugins: [membershipPlugin({ members: 'members', membership: options })],\n})\n",
    },
    created: [
      'membership.config.ts',
      'src/app/(frontend)/archive/page.tsx',
      'src/app/(frontend)/membership/[...path]/route.ts',
    ],
  },
  strapi: {
    files: {
      'package.json': '{ "dependencies": { "@strapi/strapi": "5.54.0" } }\n',
      'tsconfig.json': '{}',
      'config/plugins.ts':
        "import type { Core } from '@strapi/strapi';\n\nconst config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Plugin => ({\n  upload: {},\n});\n\nexport default config;\n",
    },
    after: {
      'config/plugins.ts':
        "import type { Core } from '@strapi/strapi';\nimport options from '../membership.config';\n\nconst config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Plugin => ({\n  upload: {},\n  membership: { enabled: true, config: { membership: options } },\n});\n\nexport default config;\n",
    },
    created: [
      'membership.config.ts',
      'src/api/archive/controllers/archive.ts',
      'src/api/archive/routes/archive.ts',
    ],
    address: 'http://localhost:1337/api/archive',
  },
}

for (const [name, { files, after: wanted, created, left: count = 0, address: page }] of Object.entries(
  frameworks,
))
  test(`add finds the places of a starter of ${name}`, async (t) => {
    const { address, after, host, files: all, left } = await planned(t, files)
    t.is(host as string, name)
    if (page !== undefined) t.is(address, page)
    for (const [file, text] of Object.entries(wanted)) if (text !== '') t.is(after[file], text)
    t.deepEqual(
      all
        .filter(({ path, before }) => before === null && path !== '.gitignore')
        .map(({ path }) => path)
        .sort(),
      [...created],
    )
    t.is(left.length, count, JSON.stringify(left))
  })

test('a collection "members" of a site on Payload is not added again, and the plugin is printed', async (t) => {
  const { files, left } = await planned(t, {
    ...frameworks.payload!.files,
    'src/collections/Members.ts': "export const Members = { slug: 'members', auth: true, fields: [] }\n",
  })
  t.false(files.some(({ path }) => path === 'src/payload.config.ts'))
  t.is(left.length, 1)
  t.regex(left[0]!.reason, /collection "members" already/)
  t.regex(left[0]!.text, /plugins: \[membershipPlugin\(/)
})

test('the route of a site on Strapi imports nothing that its tsconfig.json does not resolve', async (t) => {
  const { after } = await planned(t, frameworks.strapi!.files)
  const route = after['src/api/archive/routes/archive.ts']!
  t.false(route.includes('import'))
  t.regex(route, /policies: \[\{ name: 'plugin::membership\.requires', config: \{ gates: \['basic'\] \} \}\]/)
})

for (const [name, known] of [
  ['payload', /collection "members" with a verified address/],
  ['strapi', /confirmed address.*docs\/strapi\.md/],
] as const)
  test(`add says who can be a member on ${name}, whose users log in there`, async (t) => {
    const { notes } = await planned(t, frameworks[name]!.files)
    t.regex(notes.join('\n'), known)
  })

for (const [name, { files }] of Object.entries(frameworks))
  test.serial(
    `--rollback in a starter of ${name} keeps a line of the user’s, and takes out the rest`,
    async (t) => {
      const folder = await folderWith(t, files)
      const { stdout } = await runCommand(folder, ['add', '--write', '--json'])
      const changed = (JSON.parse(stdout).files as { path: string; is_new: boolean }[])
        .filter(({ path, is_new }) => !is_new && path !== 'package.json')
        .map(({ path }) => path)
      for (const path of changed) await writeFile(join(folder, path), `${textOf(folder, path)}// Mine.\n`)
      const undone = await runCommand(folder, ['add', '--rollback'])
      t.is(undone.code, 0, undone.stdout)
      const expected = await folderWith(t, files)
      for (const path of changed) await writeFile(join(expected, path), `${textOf(expected, path)}// Mine.\n`)
      t.deepEqual(snapshot(folder), snapshot(expected))
    },
  )
