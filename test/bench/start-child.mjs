// One start: node --expose-gc start-child.mjs own|better-auth DATABASE_FILE FOLDER [list]. Prints its CPU in ms and the
// heap that stays in MB; with `list` how many files of which package it loaded.
import { createRequire, register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const [kind, file, folder, list] = process.argv.slice(2)
const secret = 'kJ8mQ2vL9nR4xT7wZ5bC3dF6gH1jK0pS'

const watch = () => {
  const hooks = `let port
export const initialize = (data) => { port = data.port }
export const load = (url, context, next) => { port.postMessage(url); return next(url, context) }`
  const { port1, port2 } = new MessageChannel()
  const data = { port: port2 }
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data, transferList: [port2] })
  return () => {
    const urls = Object.keys(createRequire(import.meta.url).cache).map((path) => `file://${path}`)
    for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1))
      urls.push(next.message)
    port1.close()
    return [...new Set(urls)].filter((url) => url.startsWith('file:') && url !== import.meta.url)
  }
}

const own = async () => {
  const { createMembership } = await import(new URL('../../dist/index.js', import.meta.url).href)
  const m = await createMembership({
    'membership.database.url': `sqlite:${file}`,
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.secret': 'sk_test_1',
    'membership.providers.stripe.webhook': 'whsec_1',
    'membership.secret': secret,
    root: false,
    log: () => {},
  })
  m.koa()
}

const peer = async () => {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (name) => import(pathToFileURL(resolve(name)).href)
  const { betterAuth } = await load('better-auth')
  const { stripe } = await load('@better-auth/stripe')
  const { default: Stripe } = await load('stripe')
  const { getMigrations } = await load('better-auth/db/migration')
  const { default: Database } = await import('better-sqlite3')
  const subscription = { enabled: true, plans: [{ name: 'pro', priceId: 'price_1' }] }
  const auth = betterAuth({
    database: new Database(file),
    secret,
    baseURL: 'http://127.0.0.1',
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    plugins: [
      stripe({ stripeClient: new Stripe('sk_test_1'), stripeWebhookSecret: 'whsec_1', subscription }),
    ],
  })
  await (await getMigrations(auth.options)).runMigrations()
  await auth.$context
}

const urls = list ? watch() : null
const before = process.cpuUsage()
await (kind === 'own' ? own() : peer())
const { user, system } = process.cpuUsage(before)
globalThis.gc?.()
const packages = {}
for (const url of urls?.() ?? []) {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'membership'
  packages[name] = (packages[name] ?? 0) + 1
}
console.log(
  JSON.stringify({ cpu: (user + system) / 1000, heap: process.memoryUsage().heapUsed / 1e6, packages }),
)
process.exit()
