/** Loaded before the tests of the providers: writes each request that an adapter makes, and what the fake server answers, into
 *  the file that DRIFT_RECORD names. Requests that a test makes by itself are left out: they are none of the adapter's. */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.DRIFT_RECORD
const seen = new Set()

/** The adapters with a REST client of ours call `fetch` in `src/providers/rest.ts`. */
const { fetch } = globalThis
Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 20)
globalThis.fetch = async (address, init = {}) => {
  const isOurs = /providers[\\/]rest\.[tj]s/.test(new Error('where').stack ?? '')
  const answered = isOurs
    ? record(String(address), init.method ?? 'GET', init.headers ?? {}, init.body ?? '')
    : () => {}
  const response = await fetch(address, init)
  if (isOurs)
    response
      .clone()
      .text()
      .then((text) => answered(response.status, text))
      .catch(() => {})
  return response
}

// Stripe's own package sends by `node:http`: what arrives of it is read beside the fake server.
subscribe('http.server.request.start', ({ request, response }) => {
  const { headers, method, url } = request
  if (!/^Stripe\/v\d/.test(headers['user-agent'] ?? '')) return
  const parts = []
  let answered = () => {}
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    answered = record(`http://localhost${url}`, method, headers, `${Buffer.concat(parts)}`)
  })
  const { end } = response
  response.end = (text, ...rest) => {
    answered(response.statusCode, `${text}`)
    return end.call(response, text, ...rest)
  }
})

/** Writes a request down, and takes its answer. */
function record(address, method, headers, body) {
  const { pathname: path, searchParams } = new URL(address)
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  )
  const key = providerOf(named, path)
  if (key === null || file === undefined) return () => {}
  write({ key, method, path, query: `${searchParams}`, body: `${body}` })
  return (status, answer) => {
    if (status < 300 && answer.startsWith('{')) write({ key, method, path, answer })
  }
}

function write(what) {
  const line = JSON.stringify(what)
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
