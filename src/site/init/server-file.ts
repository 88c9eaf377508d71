import type { InitHost } from './answers.ts'

/** Offer that the first page sells, and that opens the members' page. */
export interface Offer {
  readonly gate: string
  readonly price: string
}

/** Returns `server.ts` of a new site, with a page that sells and a page for members. `config` is the path of its options. */
export function serverFile(host: Exclude<InitHost, 'next'>, offer: Offer, config: string): string {
  const { packages, ours = '', mounted } = servers[host]
  const lines = [
    ...packages,
    "import { createMembership, drain } from 'membership'",
    ...(ours === '' ? [] : [ours]),
    `import options from '${config}'`,
    '',
    'const m = await createMembership(options)',
    ...mounted,
    '',
    ...ending,
  ]
  const text = lines.join('\n').replaceAll('GATE', offer.gate).replaceAll('PRICE', offer.price)
  return `${text}\n`
}

interface ServerCode {
  readonly packages: readonly string[]
  /** Entry of the package for this host. */
  readonly ours?: string
  readonly mounted: readonly string[]
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the code of sites */
function first(form: string): string[] {
  return [
    'const first = (form: string) =>',
    '  `<!doctype html><title>Membership</title><h1>Membership</h1>',
    `   <p>\${m.allows('GATE') ? '<a href="/archive">The archive</a>' : form}</p>`,
    '   <p><a href="/membership/prices">Prices</a> <a href="/membership/account">Account</a></p>`',
    ...(form === '' ? [] : [form]),
  ]
}
const join = "{ ...m.provider().subscriptionAction('PRICE'), label: 'Join' }"
const port = 'const port = Number(process.env.PORT ?? 3000)'
const ready = 'console.log(`http://localhost:${port}`)'
const listening = [port, `const server = app.listen(port, () => ${ready})`]
// Express passes an error of the port to the same function.
const expressListening = [port, `const server = app.listen(port, (error) => error ?? ${ready})`]

// Needed in a container too: its first process ignores signals without a listener.
const ending = [
  "server.once('error', (error) => {",
  '  console.error(`${error.message}. For another port: PORT=3001 npm start`)',
  '  process.exit(1)',
  '})',
  '// A deploy ends the process. Open requests are answered first.',
  "process.once('SIGTERM', async () => {",
  '  await drain(server)',
  '  await m.close()',
  '  process.exit()',
  '})',
]

const servers: Record<Exclude<InitHost, 'next'>, ServerCode> = {
  koa: {
    packages: ["import Koa from 'koa'"],
    mounted: [
      "const archive = m.gate('GATE')",
      ...first(''),
      '',
      'const app = new Koa()',
      'app.use(m.koa()) // the visitor of each request, and our routes; above every body parser',
      'app.use(async (ctx) => {',
      "  if (ctx.path === '/archive')",
      '    return archive(ctx, async () => {',
      "      ctx.body = 'The archive.'",
      '    })',
      "  if (ctx.path !== '/') return",
      "  ctx.type = 'html'",
      `  ctx.body = first(m.pages.form(ctx, ${join}))`,
      '})',
      '',
      ...listening,
    ],
  },
  express: {
    packages: ["import express from 'express'"],
    ours: "import { expressHost } from 'membership/express'",
    mounted: [
      'const { middleware, gate, form } = expressHost(m)',
      ...first(''),
      '',
      'const app = express()',
      'app.use(middleware()) // the visitor of each request, and our routes; above every body parser',
      "app.get('/archive', gate('GATE'), (_request, response) => {",
      "  response.send('The archive.')",
      '})',
      "app.get('/', (request, response) => {",
      `  response.send(first(form(request, response, ${join})))`,
      '})',
      '',
      ...expressListening,
    ],
  },
  fastify: {
    packages: ["import { fastify } from 'fastify'"],
    ours: "import { fastifyHost } from 'membership/fastify'",
    mounted: [
      'const { plugin, gate, form } = fastifyHost(m)',
      ...first(''),
      '',
      'const app = fastify()',
      'await app.register(plugin) // the visitor of each request, and our routes',
      "app.get('/archive', { preHandler: gate('GATE') }, async () => 'The archive.')",
      "app.get('/', (request, reply) =>",
      `  reply.type('text/html').send(first(form(request, reply, ${join}))),`,
      ')',
      '',
      port,
      'await app.listen({ port })',
      ready,
      'const { server } = app',
    ],
  },
  hono: {
    packages: ["import { serve } from '@hono/node-server'", "import { Hono } from 'hono'"],
    ours: "import { honoHost } from 'membership/hono'",
    mounted: [
      'const { middleware, gate, form } = honoHost(m)',
      ...first(''),
      '',
      'const app = new Hono()',
      'app.use(middleware()) // the visitor of each request, and our routes',
      "app.get('/archive', gate('GATE'), (c) => c.text('The archive.'))",
      `app.get('/', (c) => c.html(first(form(c, ${join}))))`,
      '',
      port,
      `const server = serve({ fetch: app.fetch, port }, () => ${ready})`,
    ],
  },
  node: {
    packages: ["import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'"],
    mounted: [
      "const archive = m.guard('GATE')",
      'const routes = m.listener()',
      ...first(''),
      '',
      'const page = async (request: IncomingMessage, response: ServerResponse) => {',
      "  if (request.url !== '/archive') {",
      "    response.setHeader('Content-Type', 'text/html; charset=utf-8')",
      `    return response.end(first(m.pages.form(request, response, ${join})))`,
      '  }',
      "  response.setHeader('Cache-Control', 'private, no-store')",
      '  const { allowed, error } = await archive(request)',
      "  if (allowed) return response.end('The archive.')",
      "  response.writeHead(error.status, { 'Content-Type': 'text/html; charset=utf-8' })",
      "  response.end(await m.pages.locked(request, response, ['GATE']))",
      '}',
      '',
      port,
      '// Our routes answer first; everything else is a page, which knows its visitor.',
      'const server = createServer((request, response) =>',
      '  routes(request, response, () => page(request, response)),',
      `).listen(port, () => ${ready})`,
    ],
  },
}
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the code of sites */
