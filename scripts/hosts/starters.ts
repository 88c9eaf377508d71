import type { createBrowser } from '../../test/support/browser.ts'
import { must } from './walk.ts'

type Browser = ReturnType<typeof createBrowser>

/** A starter as its generator writes it, or as the documentation of its host prints it. */
export interface Starter {
  /** Arguments of npx that write it into the folder `site`. */
  readonly generator?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** What starts the site on a port; `npm run` and these. */
  readonly start: (port: number) => readonly string[]
  /** The package whose version is printed. */
  readonly package: string
  /** The oldest Node that it and we support. */
  readonly node?: string
  /** The example page; `/archive` by default. */
  readonly page?: string
  /** Logs in before the purchase, where only users of the host are members. */
  readonly logIn?: (browser: Browser) => Promise<void>
  /** True if an install would compile for a minute; what is compiled comes from the folder of Nodes then. */
  readonly skipsScripts?: boolean
}

export const starters: Readonly<Record<string, Starter>> = {
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
    // Its command does not load on 20.19.4.
    node: '20.19.5',
  },
  next: {
    generator: [
      'create-next-app@16',
      'site',
      '--ts',
      '--app',
      '--no-eslint',
      '--no-tailwind',
      '--no-src-dir',
      '--import-alias',
      '@/*',
      '--skip-install',
      '--yes',
      '--disable-git',
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
  astro: {
    // https://docs.astro.build/en/install-and-setup/#manual-setup
    files: {
      'package.json':
        '{\n  "name": "site",\n  "type": "module",\n  "scripts": {\n    "dev": "astro dev",\n    "build": "astro build",\n    "preview": "astro preview"\n  },\n  "dependencies": {\n    "astro": "^7.3.5"\n  }\n}\n',
      'astro.config.mjs':
        "import { defineConfig } from 'astro/config';\n\n// https://astro.build/config\nexport default defineConfig({});\n",
      'tsconfig.json': '{\n  "extends": "astro/tsconfigs/strict"\n}\n',
      '.gitignore': 'dist/\n.astro/\nnode_modules/\n.env\n',
      'src/pages/index.astro':
        '---\n---\n\n<html lang="en">\n  <body>\n    <h1>My Astro Site</h1>\n  </body>\n</html>\n',
    },
    start: (port) => ['dev', '--', '--port', String(port)],
    package: 'astro',
    // Astro asks for 22.12. better-sqlite3 13 crashes below 22.14, because it needs Node-API 10.
    node: '22.14.0',
  },
  'react-router': {
    // https://reactrouter.com/start/framework/installation, without its styles
    files: {
      'package.json':
        '{\n  "name": "site",\n  "private": true,\n  "type": "module",\n  "scripts": {\n    "build": "react-router build",\n    "dev": "react-router dev",\n    "start": "react-router-serve ./build/server/index.js",\n    "typecheck": "react-router typegen && tsc"\n  },\n  "dependencies": {\n    "@react-router/node": "8.4.0",\n    "@react-router/serve": "8.4.0",\n    "isbot": "^5.1.0",\n    "react": "^19.2.7",\n    "react-dom": "^19.2.7",\n    "react-router": "8.4.0"\n  },\n  "devDependencies": {\n    "@react-router/dev": "8.4.0",\n    "@types/node": "^22",\n    "@types/react": "^19",\n    "@types/react-dom": "^19",\n    "typescript": "^5.9.2",\n    "vite": "^8.0.0"\n  }\n}\n',
      'vite.config.ts':
        'import { reactRouter } from "@react-router/dev/vite";\nimport { defineConfig } from "vite";\n\nexport default defineConfig({\n  plugins: [reactRouter()],\n});\n',
      'react-router.config.ts':
        'import type { Config } from "@react-router/dev/config";\n\nexport default {\n  ssr: true,\n} satisfies Config;\n',
      'tsconfig.json':
        '{\n  "include": ["**/*", "**/.server/**/*", "**/.client/**/*", ".react-router/types/**/*"],\n  "compilerOptions": {\n    "lib": ["DOM", "DOM.Iterable", "ES2022"],\n    "types": ["node", "vite/client"],\n    "target": "ES2022",\n    "module": "ES2022",\n    "moduleResolution": "bundler",\n    "jsx": "react-jsx",\n    "rootDirs": [".", "./.react-router/types"],\n    "esModuleInterop": true,\n    "verbatimModuleSyntax": true,\n    "noEmit": true,\n    "skipLibCheck": true,\n    "strict": true\n  }\n}\n',
      '.gitignore': '.DS_Store\n.env\n/node_modules/\n\n# React Router\n/.react-router/\n/build/\n',
      'app/routes.ts':
        'import { type RouteConfig, index } from "@react-router/dev/routes";\n\nexport default [index("routes/home.tsx")] satisfies RouteConfig;\n',
      'app/routes/home.tsx': 'export default function Home() {\n  return <h1>Hello</h1>;\n}\n',
      'app/root.tsx':
        'import { Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router";\n\nexport function Layout({ children }: { children: React.ReactNode }) {\n  return (\n    <html lang="en">\n      <head>\n        <meta charSet="utf-8" />\n        <Meta />\n        <Links />\n      </head>\n      <body>\n        {children}\n        <ScrollRestoration />\n        <Scripts />\n      </body>\n    </html>\n  );\n}\n\nexport default function App() {\n  return <Outlet />;\n}\n',
    },
    start: (port) => ['dev', '--', '--port', String(port)],
    package: '@react-router/dev',
    node: '22.22.0',
  },
  nuxt: {
    // https://nuxt.com/docs/4.x/getting-started/installation
    files: {
      'package.json':
        '{\n  "name": "site",\n  "type": "module",\n  "private": true,\n  "scripts": {\n    "build": "nuxt build",\n    "dev": "nuxt dev",\n    "generate": "nuxt generate",\n    "preview": "nuxt preview",\n    "postinstall": "nuxt prepare"\n  },\n  "dependencies": {\n    "nuxt": "^4.5.2",\n    "vue": "^3.5.0",\n    "vue-router": "^4.6.0"\n  }\n}\n',
      'nuxt.config.ts':
        "// https://nuxt.com/docs/api/configuration/nuxt-config\nexport default defineNuxtConfig({\n  compatibilityDate: '2025-07-15',\n  devtools: { enabled: true }\n})\n",
      'tsconfig.json':
        '{\n  // https://nuxt.com/docs/guide/concepts/typescript\n  "files": [],\n  "references": [\n    { "path": "./.nuxt/tsconfig.app.json" },\n    { "path": "./.nuxt/tsconfig.server.json" },\n    { "path": "./.nuxt/tsconfig.shared.json" },\n    { "path": "./.nuxt/tsconfig.node.json" }\n  ]\n}\n',
      '.gitignore':
        '.output\n.data\n.nuxt\n.nitro\n.cache\ndist\n\nnode_modules\n\n.env\n.env.*\n!.env.example\n',
      'app/app.vue':
        '<template>\n  <div>\n    <NuxtRouteAnnouncer />\n    <h1>Hello</h1>\n  </div>\n</template>\n',
    },
    start: (port) => ['dev', '--', '--port', String(port)],
    package: 'nuxt',
    node: '22.19.0',
  },
  strapi: {
    generator: [
      'create-strapi-app@5.54',
      'site',
      '--non-interactive',
      '--skip-cloud',
      '--skip-db',
      '--typescript',
      '--no-install',
      '--no-run',
      '--no-git-init',
      '--no-example',
      '--use-npm',
    ],
    start: () => ['develop'],
    package: '@strapi/strapi',
    page: '/api/archive',
    skipsScripts: true,
  },
  payload: {
    // https://payloadcms.com/docs/getting-started/installation, in an app of its own
    files: {
      'package.json':
        '{\n  "name": "site",\n  "private": true,\n  "type": "module",\n  "scripts": {\n    "dev": "next dev",\n    "build": "next build",\n    "start": "next start",\n    "payload": "payload"\n  },\n  "dependencies": {\n    "@payloadcms/db-sqlite": "3.90.2",\n    "@payloadcms/next": "3.90.2",\n    "graphql": "^16.8.1",\n    "next": "16.4.3",\n    "payload": "3.90.2",\n    "react": "19.3.0",\n    "react-dom": "19.3.0"\n  },\n  "devDependencies": {\n    "@types/node": "^22",\n    "@types/react": "^19",\n    "@types/react-dom": "^19",\n    "typescript": "^5.7.3"\n  }\n}\n',
      'tsconfig.json':
        '{\n  "compilerOptions": {\n    "lib": ["DOM", "DOM.Iterable", "ES2022"],\n    "target": "ES2022",\n    "allowJs": true,\n    "skipLibCheck": true,\n    "strict": true,\n    "noEmit": true,\n    "esModuleInterop": true,\n    "module": "esnext",\n    "moduleResolution": "bundler",\n    "resolveJsonModule": true,\n    "isolatedModules": true,\n    "jsx": "react-jsx",\n    "incremental": true,\n    "plugins": [\n      {\n        "name": "next"\n      }\n    ],\n    "paths": {\n      "@payload-config": ["./src/payload.config.ts"]\n    }\n  },\n  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts", ".next/dev/types/**/*.ts"],\n  "exclude": ["node_modules"]\n}\n',
      '.gitignore': '/node_modules\n/.next/\n.env\n*.db\n',
      'next.config.ts':
        "import { withPayload } from '@payloadcms/next/withPayload'\nimport type { NextConfig } from 'next'\n\nconst nextConfig: NextConfig = {\n  // Your Next.js config here\n}\n\nexport default withPayload(nextConfig)\n",
      'src/payload.config.ts':
        "import { sqliteAdapter } from '@payloadcms/db-sqlite'\nimport { buildConfig } from 'payload'\n\nexport default buildConfig({\n  collections: [{ slug: 'users', auth: true, fields: [] }],\n  secret: process.env.PAYLOAD_SECRET || 'only-for-development',\n  db: sqliteAdapter({\n    client: { url: process.env.DATABASE_URL || 'file:./payload.db' },\n  }),\n})\n",
      'src/app/(frontend)/layout.tsx':
        'import type { ReactNode } from \'react\'\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <html lang="en">\n      <body>{children}</body>\n    </html>\n  )\n}\n',
      'src/app/(frontend)/page.tsx': 'export default function Home() {\n  return <h1>Hello</h1>\n}\n',
      'src/app/(payload)/api/[...slug]/route.ts':
        "import config from '@payload-config'\nimport { REST_DELETE, REST_GET, REST_PATCH, REST_POST } from '@payloadcms/next/routes'\n\nexport const GET = REST_GET(config)\nexport const POST = REST_POST(config)\nexport const DELETE = REST_DELETE(config)\nexport const PATCH = REST_PATCH(config)\n",
      'src/app/(payload)/layout.tsx':
        "import config from '@payload-config'\nimport '@payloadcms/next/css'\nimport { handleServerFunctions, RootLayout } from '@payloadcms/next/layouts'\nimport type { ServerFunctionClient } from 'payload'\nimport type { ReactNode } from 'react'\nimport { importMap } from './admin/importMap.js'\n\nconst serverFunction: ServerFunctionClient = async (args) => {\n  'use server'\n  return handleServerFunctions({ ...args, config, importMap })\n}\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <RootLayout config={config} importMap={importMap} serverFunction={serverFunction}>\n      {children}\n    </RootLayout>\n  )\n}\n",
      'src/app/(payload)/admin/importMap.js': 'export const importMap = {}\n',
      'src/app/(payload)/admin/[[...segments]]/page.tsx':
        "import config from '@payload-config'\nimport { generatePageMetadata, RootPage } from '@payloadcms/next/views'\nimport { importMap } from '../importMap.js'\n\ntype Args = {\n  params: Promise<{ segments: string[] }>\n  searchParams: Promise<{ [key: string]: string | string[] }>\n}\n\nexport const generateMetadata = ({ params, searchParams }: Args) =>\n  generatePageMetadata({ config, params, searchParams })\n\nexport default function Page({ params, searchParams }: Args) {\n  return RootPage({ config, importMap, params, searchParams })\n}\n",
    },
    start: (port) => ['dev', '--', '--port', String(port)],
    package: 'payload',
    // On 20.19.0 its server refuses to require an ES module, and a purchase is answered 500.
    node: '20.20.2',
    logIn: logInToPayload,
  },
}

/** The first editor registers, makes a member whose address is verified, and the member logs in. */
async function logInToPayload({ cookies, request }: Browser): Promise<void> {
  const post = async (path: string, data: object): Promise<void> => {
    const answer = await request(path, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(data),
    })
    must(answer.ok, `${path} was answered ${answer.status}: ${await answer.text()}`)
  }
  const password = 'correct horse battery staple'
  const member = { email: 'ada@example.com', password }
  await post('/api/users/first-register', { email: 'ed@example.com', password })
  await post('/api/members', { email: member.email, password, _verified: true })
  cookies.clear()
  await post('/api/members/login', member)
}
