// One of several equal processes, of the built package: node site-process.mjs DATABASE_URL SETTINGS PORT [HOOK_URL | work]
import { createServer } from 'node:http'
import { createMembership, drain } from '../../dist/index.js'

const [url, settings, port, hookUrl] = process.argv.slice(2)
// Told by its id, and done when that is answered.
const tell = async ({ id, signal }) => {
  const { ok } = await fetch(`${hookUrl}?id=${encodeURIComponent(id)}`, { signal })
  if (!ok) throw new Error('not told')
}
const m = await createMembership({
  'membership.database.url': url,
  'membership.secret': 'x'.repeat(32),
  'membership.compare.automatic': false,
  root: false,
  log: (message, details) => console.error(message, JSON.stringify(details ?? {})),
  // Whoever the header names: only this machine asks.
  identify: ({ headers }) => (headers.has('x-member') ? { member: headers.get('x-member') } : null),
  office: { who: () => ({ name: 'fleet', role: 'operator' }) },
  ...(hookUrl?.startsWith('http') ? { hooks: { 'access.changed': tell } } : {}),
  ...JSON.parse(settings),
})
if (hookUrl === 'work') {
  console.log(0)
  await m.runDueJobs()
  await m.close()
  process.exit(0)
}
const routes = m.listener()
const page = (_request, response) => response.end(m.allows('pro') ? 'For members.' : 'For everybody.')
const server = createServer((request, response) => routes(request, response, () => page(request, response)))
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port))
process.once('SIGTERM', async () => {
  await drain(server)
  await m.close()
  process.exit(0)
})
