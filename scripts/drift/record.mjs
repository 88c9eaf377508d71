/** Loaded before the tests of the providers: writes each request that an adapter makes into the file that DRIFT_RECORD names.
 *  Requests that a test makes by itself are left out: they are none of the adapter's. */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.DRIFT_RECORD
const seen = new Set()

/** The adapters with a REST client of ours call `fetch` in `src/providers/rest.ts`. */
const { fetch } = globalThis
Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 20)
globalThis.fetch = (address, init = {}) => {
  if (/providers[\\/]rest\.[tj]s/.test(new Error('where').stack ?? ''))
    record(String(address), init.method ?? 'GET', init.headers ?? {}, init.body ?? '')
  return fetch(address, init)
}

// Stripe's own package sends by `node:http`: what arrives of it is read beside the fake server.
subscribe('http.server.request.start', ({ request }) => {
  const { headers, method, url } = request
  if (!/^Stripe\/v\d/.test(headers['user-agent'] ?? '')) return
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => record(`http://localhost${url}`, method, headers, `${Buffer.concat(parts)}`))
})

function record(address, method, headers, body) {
  const { pathname, searchParams } = new URL(address)
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  )
  const key = providerOf(named, pathname)
  if (key === null || file === undefined) return
  const line = JSON.stringify({ key, method, path: pathname, query: `${searchParams}`, body: `${body}` })
  if (seen.has(line)) return
  seen.add(line)
  appendFileSync(file, `${line}\n`)
}

/** The provider by what its requests alone have. */
function providerOf(headers, path) {
  const { authorization = '', accept = '' } = headers
  if (/^Stripe\/v\d/.test(headers['user-agent'] ?? '')) return 'stripe'
  if ('paddle-version' in headers) return 'paddle'
  if ('polar-version' in headers) return 'polar'
  if ('x-api-key' in headers) return 'creem'
  if (accept === 'application/vnd.api+json') return 'lemonsqueezy'
  if (path.startsWith('/api/v2/') && authorization.startsWith('Basic ')) return 'chargebee'
  if (/^Bearer (?:test|live|access)_/.test(authorization)) return 'mollie'
  if (
    /^\/v1\/(?:oauth2|billing|payments|notifications|customer)\/|^\/v2\/(?:checkout|payments\/(?:captures|refunds))\//.test(
      path,
    )
  )
    return 'paypal'
  if (path.startsWith('/v2/')) return 'mollie'
  return authorization.startsWith('Bearer ') ? 'dodo' : null
}
